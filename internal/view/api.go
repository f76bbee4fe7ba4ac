package view

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/judgekit/judge/internal/labels"
	"github.com/judgekit/judge/internal/report/page"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/judges"
)

// Run is a run directory to show.
type Run struct {
	// Dir is its path, Name what the user called it.
	Dir, Name string
	Manifest  *directory.Manifest
	// Logs opens the run's own logs.
	Logs *input.Source
	// Prompts renders the prompts of a judgement.
	Prompts func(ctx context.Context, c *transcript.Conversation, t judges.Target, rubric string) ([]instrument.Prompt, error)
}

// Config says which runs to show, who labels, and what.
type Config struct {
	// Runs are shown in this order.
	Runs []Run
	// Who labels by Rubric, or the call as a whole if Rubric is "". The plan has about Calls calls,
	// in the random order of Seed, with PerConversation calls per conversation (0 means all).
	Who, Rubric            string
	Calls, PerConversation int
	Seed                   uint64
	// Refused is called with the reason for each refused request; Now is the clock.
	Refused func(why string)
	Now     func() time.Time
}

// Server serves runs. It must be closed.
type Server struct {
	Config
	ctx      context.Context
	cancel   context.CancelFunc
	listener net.Listener
	door     *door
	runs     []*run
}

// New listens on loopback. It starts to read the runs if there are at most two; of more, only the trend
// is shown.
func New(cfg Config) (*Server, error) {
	l, port, err := listen()
	if err != nil {
		return nil, err
	}
	s := &Server{Config: cfg, listener: l, door: newDoor(port, cfg.Refused)}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	for _, of := range cfg.Runs {
		r, err := s.open(of)
		if err != nil {
			s.Close()
			return nil, err
		}
		s.runs = append(s.runs, r)
	}
	if len(s.runs) == 2 {
		s.runs[0].other, s.runs[1].other = s.runs[1], s.runs[0]
	}
	for _, r := range s.runs {
		if !s.several() {
			r.begin() // one run's changed call is shown beside the other's
		}
	}
	return s, nil
}

// several reports whether there are too many runs to show side by side; then the trend is shown.
func (s *Server) several() bool { return len(s.runs) > 2 }

// opened returns the run that the view begins with: of two runs the second, whose changes against
// the first are shown, unless it has no scores yet.
func (s *Server) opened() int {
	if len(s.runs) == 2 && s.runs[1].identity() != (identity{}) {
		return 1
	}
	return 0
}

// URL returns the address to open, with the token.
func (s *Server) URL() string { return s.address("/") }

// LabelURL returns the address for labelling the run that the view begins with.
func (s *Server) LabelURL() string { return s.address(fmt.Sprintf("/%d/label", s.opened())) }

func (s *Server) address(path string) string {
	return "http://" + s.listener.Addr().String() + path + "?token=" + s.door.token
}

// Serve answers until ctx is done.
func (s *Server) Serve(ctx context.Context) error {
	return serve(ctx, s.listener, s.door.guard(s.routes()))
}

// Close stops all reading and removes the temporary files.
func (s *Server) Close() {
	s.cancel()
	_ = s.listener.Close()
	for _, r := range s.runs {
		r.close()
	}
}

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.home)
	mux.HandleFunc("GET /trend", s.showTrend)
	mux.HandleFunc("GET /{run}/{$}", s.ofRun(s.showPage))
	mux.HandleFunc("GET /{run}/label", s.ofRun(s.showLabel))
	for path, answer := range map[string]func(*run, *http.Request) (any, error){
		"GET /{run}/api/status":       (*run).status,
		"POST /{run}/api/items":       (*run).items,
		"GET /{run}/api/conversation": (*run).conversation,
		"GET /{run}/api/prompt":       (*run).prompt,
		"GET /{run}/api/partner":      (*run).partner,
		"GET /{run}/api/queue":        (*run).queue,
		"GET /{run}/api/card":         (*run).card,
		"POST /{run}/api/press":       (*run).press,
	} {
		mux.HandleFunc(path, s.ofRun(func(w http.ResponseWriter, req *http.Request, r *run) {
			out, err := answer(r, req)
			reply(w, out, err)
		}))
	}
	return mux
}

// ofRun calls h with the run that the request names.
func (s *Server) ofRun(h func(http.ResponseWriter, *http.Request, *run)) http.HandlerFunc {
	return func(w http.ResponseWriter, req *http.Request) {
		at, err := strconv.Atoi(req.PathValue("run"))
		if err != nil || at < 0 || at >= len(s.runs) {
			http.NotFound(w, req)
			return
		}
		s.runs[at].begin()
		h(w, req, s.runs[at])
	}
}

func reply(w http.ResponseWriter, out any, err error) {
	if err != nil {
		status := http.StatusInternalServerError
		var bad *requestError
		if errors.As(err, &bad) {
			status = bad.status
		}
		http.Error(w, err.Error(), status)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(out) // an error means that the browser has left
}

// requestError is a mistake of the client.
type requestError struct {
	status int
	cause  string
}

// Error implements error.
func (e *requestError) Error() string { return e.cause }

var errBlind = &requestError{http.StatusForbidden,
	"you label this conversation: what was said of it is shown when all its calls are labelled"}

// body reads the JSON of a request.
func body(r *http.Request, into any) error {
	if err := json.NewDecoder(http.MaxBytesReader(nil, r.Body, 1<<20)).Decode(into); err != nil {
		return &requestError{http.StatusBadRequest, fmt.Sprintf("the request is no JSON: %v", err)}
	}
	return nil
}

// itemOf returns the item that a request names.
func itemOf(r *http.Request) (place, error) {
	q := r.URL.Query()
	p := place{Conversation: q.Get("conversation"), Call: -1, Scope: q.Get("scope")}
	var err, errTurn error
	if text := q.Get("call"); text != "" {
		p.Call, err = strconv.Atoi(text)
	}
	if p.Scope == labels.Turn {
		p.Turn, errTurn = strconv.Atoi(q.Get("turn"))
	}
	if p.Conversation == "" || err != nil || errTurn != nil {
		return p, &requestError{http.StatusBadRequest, "conversation, call and turn must name an item"}
	}
	return p, nil
}

// statusOf is the status that an open page polls.
type statusOf struct {
	// Version counts how often the run was read again because it had grown.
	Version int `json:"version"`
	// Ready says that items can be requested. Partial says why the scores do not cover a whole run.
	Ready   bool   `json:"ready"`
	Partial string `json:"partial,omitempty"`
	// Uncompared says why the changes against the other run are unknown.
	Uncompared string `json:"uncompared,omitempty"`
	Problem    string `json:"problem,omitempty"`
	// Provisional says that some disagreements are not known yet.
	Provisional bool `json:"provisional,omitempty"`
	// LogsRead says that all conversations can be read and searched.
	LogsRead bool `json:"logs_read"`
}

func (r *run) status(*http.Request) (any, error) {
	snap, err := r.now()
	out := statusOf{LogsRead: r.records.isDone()}
	if err != nil {
		out.Problem = err.Error()
	}
	if snap != nil {
		out.Ready, out.Version, out.Partial, out.Provisional = true, snap.version, snap.partial, snap.provisional
		out.Uncompared = snap.uncompared
	}
	return out, nil
}

// blind returns isBlind for one request; it asks once for each conversation.
func (r *run) blind() func(string) bool {
	known := map[string]bool{}
	return func(id string) bool {
		hidden, ok := known[id]
		if !ok {
			var err error
			if hidden, err = r.labels.isBlind(id); err != nil {
				hidden = true // we cannot tell whether it was labelled
			}
			known[id] = hidden
		}
		return hidden
	}
}

func (r *run) items(req *http.Request) (any, error) {
	var q page.Query
	if err := body(req, &q); err != nil {
		return nil, err
	}
	snap, err := r.snapshot(req.Context())
	if err != nil {
		return nil, err
	}
	blind := r.blind()
	only := func(string) bool { return true }
	if at := slices.Index(q.Terms, "show="+page.ShowChanged); at >= 0 {
		q.Terms = slices.Delete(q.Terms, at, at+1)
		only = func(id string) bool { return snap.changed[id] && !blind(id) }
	}
	list, err := snap.query(req.Context(), r.records, q, blind, only)
	if err == nil && q.Conversation != "" && !blind(q.Conversation) {
		r.labels.sent(q.Conversation)
	}
	return list, err
}

// opened is a conversation, or the reason why it is missing.
type opened struct {
	Conversation *page.Conversation `json:"conversation"`
	Problem      string             `json:"problem,omitempty"`
	of           *transcript.Conversation
}

func (r *run) conversation(req *http.Request) (any, error) {
	p, err := itemOf(req)
	if err != nil {
		return nil, err
	}
	return r.opened(req.Context(), p.Conversation, r.blind()(p.Conversation)), nil
}

// opened returns a conversation, without the log's reference and labels if it is blind.
func (r *run) opened(ctx context.Context, id string, blind bool) opened {
	c, place, problem := r.records.conversation(ctx, id)
	if c == nil {
		return opened{Problem: problem}
	}
	if blind {
		c.Expected, c.Labels = nil, nil
	}
	out := page.NewConversation(c)
	out.Place = place
	return opened{Conversation: out, Problem: problem, of: c}
}

func (r *run) prompt(req *http.Request) (any, error) {
	p, err := itemOf(req)
	if err != nil {
		return nil, err
	}
	c, _, problem := r.records.conversation(req.Context(), p.Conversation)
	if c == nil || p.Call >= len(c.Calls) {
		return nil, &requestError{http.StatusNotFound, "the prompt cannot be made again: " + problem}
	}
	return r.Prompts(req.Context(), c, p.target(), req.URL.Query().Get("rubric"))
}

// partner is the same item in the other run.
type partner struct {
	Run string `json:"run"`
	// Path leads from the page of this run to the page of the other.
	Path         string `json:"path"`
	Conversation string `json:"conversation"`
	Call         int    `json:"call"`
	Problem      string `json:"problem,omitempty"`
}

// partner returns the item in the other run; null if there is no other run.
func (r *run) partner(req *http.Request) (any, error) {
	p, err := itemOf(req)
	switch {
	case err != nil:
		return nil, err
	case r.blind()(p.Conversation):
		return nil, errBlind
	case r.other == nil || p.Scope != "":
		return nil, nil
	}
	out := partner{Run: r.other.Name, Path: fmt.Sprintf("../%d/", r.other.number)}
	partners, err := r.partners()
	if err != nil {
		out.Problem = err.Error()
		return out, nil
	}
	known := false
	if out.Conversation, out.Call, known = partners.Of(p.Conversation, p.Call); !known {
		r.align(req.Context(), partners, p.Conversation, p.Call, &out)
	}
	return out, nil
}

// align finds the call in the other run that corresponds to a call without a partner.
func (r *run) align(ctx context.Context, partners *directory.Partners, id string, call int, out *partner) {
	idInB, _, ok := partners.Of(id, -1)
	if ok && call >= 0 {
		mine, its := r.opened(ctx, id, true).Conversation, r.other.opened(ctx, idInB, true).Conversation
		if mine != nil && its != nil {
			out.Conversation, out.Call = idInB, slices.Index(page.Align(mine.Calls, its.Calls), call)
			if out.Call >= 0 {
				return
			}
		}
	}
	out.Problem = "this run has no such item"
}

func (r *run) queue(req *http.Request) (any, error) {
	return r.labels.queue(req.Context(), req.URL.Query().Get("frame"))
}

func (r *run) card(req *http.Request) (any, error) {
	p, err := itemOf(req)
	if err != nil {
		return nil, err
	}
	return r.labels.card(req.Context(), p)
}

func (r *run) press(req *http.Request) (any, error) {
	var p press
	if err := body(req, &p); err != nil {
		return nil, err
	}
	return r.labels.press(req.Context(), p)
}

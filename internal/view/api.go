package view

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/judgekit/judge/internal/report/page"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/transcript"
)

// Run is a run directory to look at.
type Run struct {
	// Dir is its path, Name how the user called it.
	Dir, Name string
	Manifest  *directory.Manifest
	// Logs are the run's own, to be read again.
	Logs *input.Source
	// Prompts makes the prompts of a judgement again.
	Prompts func(ctx context.Context, c *transcript.Conversation, call int, rubric string) ([]Prompt, error)
}

// Prompt holds what a judge was sent.
type Prompt struct {
	Judge    string    `json:"judge"`
	Messages []Message `json:"messages"`
}

// Message is one message of a prompt.
type Message struct {
	Role string `json:"role"`
	Text string `json:"text"`
}

// Config says who labels, and what.
type Config struct {
	// Runs are in the order in which they are shown; the first is opened.
	Runs []Run
	// Who labels, and by which rubric; "" is the call as a whole. Calls is about how many are
	// planned, Seed that of their order.
	Who, Rubric string
	Calls       int
	Seed        uint64
	// Refused is called with each request that is refused, and why; Now is the clock.
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

// New listens on loopback and begins to read the first run.
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
	if len(s.runs) > 0 && !s.several() {
		s.runs[0].begin()
	}
	return s, nil
}

// several says that there are more runs than can be shown side by side: a trend.
func (s *Server) several() bool { return len(s.runs) > 2 }

// URL is the address to open, with the token.
func (s *Server) URL() string { return s.address("/") }

// LabelURL is the address at which the first run is labelled.
func (s *Server) LabelURL() string { return s.address("/0/label") }

func (s *Server) address(path string) string {
	return "http://" + s.listener.Addr().String() + path + "?token=" + s.door.token
}

// Serve answers until ctx is done.
func (s *Server) Serve(ctx context.Context) error {
	return serve(ctx, s.listener, s.door.guard(s.routes()))
}

// Close ends all reading and removes the temporary files.
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

// ofRun finds the run of a request.
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
	_ = json.NewEncoder(w).Encode(out) // whoever asked is gone
}

// requestError is an error of the one who asks.
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

// itemOf is the item that a request names; -1 is the conversation as a whole.
func itemOf(r *http.Request) (conversation string, call int, err error) {
	q := r.URL.Query()
	conversation, call = q.Get("conversation"), -1
	if text := q.Get("call"); text != "" {
		call, err = strconv.Atoi(text)
	}
	if conversation == "" || err != nil {
		return "", 0, &requestError{http.StatusBadRequest, "conversation and call must name an item"}
	}
	return conversation, call, nil
}

// statusOf holds what a page that is open asks for again and again.
type statusOf struct {
	// Version counts how often the run was read, since more was there.
	Version int `json:"version"`
	// Ready says that its items can be asked for. Partial says why the scores are not
	// those of a whole run.
	Ready   bool   `json:"ready"`
	Partial string `json:"partial,omitempty"`
	Problem string `json:"problem,omitempty"`
	// Provisional says that not all disagreements are known yet.
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
	}
	return out, nil
}

// blind is isBlind of the run, for a whole request.
func (r *run) blind() func(string) bool {
	known := map[string]bool{}
	return func(id string) bool {
		hidden, ok := known[id]
		if !ok {
			var err error
			if hidden, err = r.labels.isBlind(id); err != nil {
				hidden = true // nobody can say that it was labelled
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
	list, err := snap.query(req.Context(), r.records, q, blind)
	if err == nil && q.Conversation != "" && !blind(q.Conversation) {
		r.labels.sent(q.Conversation)
	}
	return list, err
}

// opened is a conversation, or why it is not there.
type opened struct {
	Conversation *page.Conversation `json:"conversation"`
	Problem      string             `json:"problem,omitempty"`
}

func (r *run) conversation(req *http.Request) (any, error) {
	id, _, err := itemOf(req)
	if err != nil {
		return nil, err
	}
	return r.opened(req.Context(), id, r.blind()(id)), nil
}

// opened is a conversation. Of a blind one the log's own reference and labels are left out.
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
	return opened{Conversation: out, Problem: problem}
}

func (r *run) prompt(req *http.Request) (any, error) {
	id, call, err := itemOf(req)
	if err != nil {
		return nil, err
	}
	c, _, problem := r.records.conversation(req.Context(), id)
	if c == nil || call < 0 || call >= len(c.Calls) {
		return nil, &requestError{http.StatusNotFound, "the prompt cannot be made again: " + problem}
	}
	return r.Prompts(req.Context(), c, call, req.URL.Query().Get("rubric"))
}

// partner is the same item in the other run.
type partner struct {
	Run string `json:"run"`
	// Path leads from the page of this run to that of the other.
	Path         string `json:"path"`
	Conversation string `json:"conversation"`
	Call         int    `json:"call"`
	Problem      string `json:"problem,omitempty"`
}

// partner is null if there is no other run.
func (r *run) partner(req *http.Request) (any, error) {
	id, call, err := itemOf(req)
	switch {
	case err != nil:
		return nil, err
	case r.blind()(id):
		return nil, errBlind
	case r.other == nil:
		return nil, nil
	}
	out := partner{Run: r.other.Name, Path: fmt.Sprintf("../%d/", r.other.number)}
	partners, err := r.partners()
	if err != nil {
		out.Problem = err.Error()
		return out, nil
	}
	known := false
	if out.Conversation, out.Call, known = partners.Of(id, call); !known {
		out.Problem = "this run has no such item"
	}
	return out, nil
}

func (r *run) queue(req *http.Request) (any, error) {
	return r.labels.queue(req.Context(), req.URL.Query().Get("frame"))
}

func (r *run) card(req *http.Request) (any, error) {
	id, call, err := itemOf(req)
	if err != nil {
		return nil, err
	}
	return r.labels.card(req.Context(), id, call)
}

func (r *run) press(req *http.Request) (any, error) {
	var p press
	if err := body(req, &p); err != nil {
		return nil, err
	}
	return r.labels.press(req.Context(), p)
}

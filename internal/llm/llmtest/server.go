// Package llmtest is a scripted OpenAI-compatible server for tests.
//
// It listens on loopback, answers each chat completion with what a [Handler]
// decides, and keeps what it saw: request bodies, counts, and the time integral
// of requests in flight. Its replies cover good answers and the ways in which
// real servers fail. Given the same handler and requests it answers the same.
package llmtest

import (
	"cmp"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/judgekit/judge/internal/value"
)

// message is one message of a request.
type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// Call is one chat completion request as the server received it.
type Call struct {
	N        int // 0 for the server's first chat request
	Header   http.Header
	Body     []byte
	Model    string
	Messages []message
	Members  map[string]json.RawMessage // top-level members of the body
}

// Last returns the content of the last message; "" without messages.
func (c Call) Last() string {
	if len(c.Messages) == 0 {
		return ""
	}
	return c.Messages[len(c.Messages)-1].Content
}

// SchemaName returns the name of the schema that the request carries, as a
// response format or as a tool; "" when it carries none.
func (c Call) SchemaName() string {
	var format struct {
		JSONSchema struct{ Name string } `json:"json_schema"`
	}
	var tools []struct{ Function struct{ Name string } }
	_ = json.Unmarshal(c.Members["response_format"], &format) // if it is missing, the name stays empty
	_ = json.Unmarshal(c.Members["tools"], &tools)
	if format.JSONSchema.Name == "" && len(tools) > 0 {
		return tools[0].Function.Name
	}
	return format.JSONSchema.Name
}

// Handler decides how to reply to a call. It may be called concurrently.
type Handler func(Call) Reply

// Server is a running test server. Its methods are safe for concurrent use.
type Server struct {
	// URL is the base URL, ending in /v1.
	URL string

	srv     *httptest.Server
	handler Handler
	quit    chan struct{}

	mu       sync.Mutex
	key      string
	side     map[string]Reply
	calls    []Call
	keep     bool
	blind    bool
	requests int
	inFlight int
	peak     int
	last     time.Time
	integral time.Duration
}

// Start starts a server, which runs until Close. It serves any model and keeps every call.
func Start(h Handler) *Server {
	s := &Server{handler: h, quit: make(chan struct{}), keep: true, side: map[string]Reply{}}
	s.srv = httptest.NewServer(http.HandlerFunc(s.serve))
	s.URL = s.srv.URL + "/v1"
	return s
}

// Close ends hanging replies and stops the server.
func (s *Server) Close() {
	close(s.quit)
	s.srv.CloseClientConnections()
	s.srv.Close()
}

// locked calls f while holding the server's lock.
func (s *Server) locked(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

// RequireKey makes the server answer 401, repeating what it was sent, to requests without this
// bearer token.
func (s *Server) RequireKey(key string) { s.locked(func() { s.key = key }) }

// Side sets the reply for another path, such as "/version" or "/api/version".
func (s *Server) Side(path string, r Reply) { s.locked(func() { s.side[path] = r }) }

// DropCalls stops keeping calls, for long runs. The counts continue.
func (s *Server) DropCalls() { s.locked(func() { s.keep, s.calls = false, nil }) }

// Blind drops calls and leaves bodies undecoded: the handler sees only N, Header and Body. The
// server is then cheap enough to measure a client with.
func (s *Server) Blind() { s.locked(func() { s.blind, s.keep, s.calls = true, false, nil }) }

// Requests returns the number of chat requests so far.
func (s *Server) Requests() (n int) {
	s.locked(func() { n = s.requests })
	return n
}

// Calls returns the chat requests kept so far, in order of arrival.
func (s *Server) Calls() (list []Call) {
	s.locked(func() { list = slices.Clone(s.calls) })
	return list
}

// Peak returns the largest number of chat requests that were in flight at once.
func (s *Server) Peak() (n int) {
	s.locked(func() { n = s.peak })
	return n
}

// InFlight returns the time integral of the number of chat requests in flight, in request-seconds.
func (s *Server) InFlight() (seconds float64) {
	s.locked(func() {
		s.tick()
		seconds = s.integral.Seconds()
	})
	return seconds
}

func (s *Server) tick() {
	now := time.Now()
	s.integral += time.Duration(s.inFlight) * now.Sub(s.last)
	s.last = now
}

func (s *Server) enter() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last.IsZero() {
		s.last = time.Now()
	}
	s.tick()
	s.inFlight++
	s.peak = max(s.peak, s.inFlight)
	s.requests++
	return s.requests - 1
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	key := s.key
	side, isSide := s.side[r.URL.Path]
	s.mu.Unlock()
	switch {
	case isSide:
		side.write(w, r, s.quit)
	case key != "" && r.Header.Get("Authorization") != "Bearer "+key:
		Fail(401, "bad key in "+r.Header.Get("Authorization")).write(w, r, s.quit)
	case r.URL.Path == "/v1/models":
		list := Reply{Body: `{"object":"list","data":[{"id":"fake-model","object":"model"}]}`}
		list.write(w, r, s.quit)
	case r.URL.Path == "/v1/chat/completions" && r.Method == http.MethodPost:
		s.chat(w, r)
	default:
		http.Error(w, "404 page not found", http.StatusNotFound)
	}
}

func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	n := s.enter()
	defer s.locked(func() {
		s.tick()
		s.inFlight--
	})
	body, err := io.ReadAll(io.LimitReader(r.Body, 64<<20))
	if err != nil {
		return
	}
	call := Call{N: n, Header: r.Header.Clone(), Body: body}
	var blind bool
	if s.locked(func() { blind = s.blind }); !blind {
		if err := json.Unmarshal(body, &call.Members); err != nil {
			Fail(400, "malformed JSON body").write(w, r, s.quit)
			return
		}
		_ = json.Unmarshal(call.Members["model"], &call.Model)
		_ = json.Unmarshal(call.Members["messages"], &call.Messages)
	}
	s.locked(func() {
		if s.keep {
			s.calls = append(s.calls, call)
		}
	})
	s.handler(call).write(w, r, s.quit)
}

// Always returns a handler that gives the same reply to every request.
func Always(r Reply) Handler { return func(Call) Reply { return r } }

// reset ends the connection with RST instead of FIN.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

func (r Reply) write(w http.ResponseWriter, req *http.Request, quit <-chan struct{}) {
	if r.Delay > 0 {
		select {
		case <-time.After(r.Delay):
		case <-req.Context().Done():
			return
		case <-quit:
			return
		}
	}
	switch {
	case r.Hang:
		select {
		case <-req.Context().Done():
		case <-quit:
		}
		return
	case r.Reset:
		reset(w)
		return
	}
	for name, value := range r.Header {
		w.Header().Set(name, value)
	}
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/json")
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(r.Body)))
	w.WriteHeader(cmp.Or(r.Status, http.StatusOK))
	if r.Cut > 0 && r.Cut < len(r.Body) {
		_, _ = io.WriteString(w, r.Body[:r.Cut])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler) // closes the connection
	}
	_, _ = io.WriteString(w, r.Body)
}

func quote(s string) string { return value.OfString(s).JSON() }

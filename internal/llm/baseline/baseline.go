// Package baseline is a judge without a language model: an OpenAI-compatible
// server on loopback that grades tool calls by published rules.
//
// It sees what a model would see, the rendered prompt and the answer's schema,
// and nothing else; it answers with the same JSON object. It is the floor that a
// real judge has to beat, and it makes the toolkit usable with no endpoint at
// all. Its name, [Model], stands wherever a model's name stands.
//
// # What it reads
//
// The last user message with a call block:
//
//	<<<RECORD nonce tools>>>         one tool a line: name, signature, description, parameters
//	<<<RECORD nonce conversation>>>  [k] {one message}, or [k-m] omitted
//	<<<RECORD nonce call>>>          {"name":…,"parameters":{…}}
//
// # The rules
//
// [Rules] lists them with their figures. In short: the tool exists; the
// arguments can be read and fit the tool's schema; each argument value was said
// before by the user, the system or a tool; the same call was not made before; a
// tool that failed is not called again without something learned since; a change
// of state has the user's word and stands on no failed step. The grade is the
// worst figure among the rules that fired (the overall grade loses 0.05 more for
// each further one), 0.95 or the scale's maximum when none did, mapped onto the
// bounds of the schema's output.
//
// # Promises
//
// The same request gives the same bytes. Every answer fits the schema. Quotes in
// the evidence are verbatim from the record; a claim that something is absent
// begins with NONE:. No rule knows a tool, a domain or a data set by name. The
// word lists are English; records in other scripts are spared the rule that needs
// them. Usage is not reported, because there are no tokens.
package baseline

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/judgekit/judge/internal/value"
)

const (
	// Model is the model name that the server answers to.
	Model = "baseline-rules"
	// Version names the rules; it changes when any answer can change.
	Version = "1"
	// maxBody bounds one request, in bytes.
	maxBody = 64 << 20
)

// Server is a running baseline.
type Server struct {
	judge *Judge
	http  *http.Server
	url   string
}

// Start listens on a free loopback port until Close.
func Start() (*Server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &Server{judge: New(), url: "http://" + l.Addr().String() + "/v1"}
	s.http = &http.Server{Handler: s.judge, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = s.http.Serve(l) }() // ends with Close
	return s, nil
}

// URL is the base URL for a client, ending in /v1.
func (s *Server) URL() string { return s.url }

// Close stops the server; requests in flight get a second to finish.
func (s *Server) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := s.http.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return s.http.Close() // connections that a client opened and never used
}

// Judge answers chat completion requests. It is an http.Handler, and safe for
// concurrent use.
type Judge struct {
	cache cache
	rules map[string]*Rule
	// slots bounds the requests that are read and graded at a time: more than a few
	// for each processor only take memory.
	slots chan struct{}
}

// New returns a judge.
func New() *Judge {
	j := &Judge{rules: map[string]*Rule{}, slots: make(chan struct{}, 2*runtime.GOMAXPROCS(0))}
	list := Rules()
	for i := range list {
		j.rules[list[i].Code] = &list[i]
	}
	return j
}

// ServeHTTP serves /v1/chat/completions and /v1/models.
func (j *Judge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Server", Model+"/"+Version)
	switch {
	case r.URL.Path == "/v1/models" && r.Method == http.MethodGet:
		_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"`+Model+`","object":"model","owned_by":"judge"}]}`)
	case r.URL.Path == "/v1/chat/completions" && r.Method == http.MethodPost:
		select {
		case j.slots <- struct{}{}:
			defer func() { <-j.slots }()
		case <-r.Context().Done():
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		status, reply := http.StatusRequestEntityTooLarge, failure("request body: too large or cut off", "invalid_request_error")
		if err == nil {
			status, reply = j.Complete(body)
		}
		w.Header().Set("Content-Length", strconv.Itoa(len(reply)))
		w.WriteHeader(status)
		_, _ = w.Write(reply)
	default:
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write(failure("no such path: "+r.URL.Path, "not_found_error"))
	}
}

// Complete answers the body of one chat completion request: an HTTP status and a
// JSON body in OpenAI's form.
func (j *Judge) Complete(body []byte) (status int, reply []byte) {
	req, err := value.Parse(body)
	if err != nil || req.Kind() != value.Object {
		return http.StatusBadRequest, failure("request body: is not a JSON object", "invalid_request_error")
	}
	switch {
	case req.Field("model").Text() != Model:
		return http.StatusNotFound, failure("model "+plain(req.Field("model").Text())+" not found; this server has "+Model, "not_found_error")
	case req.Field("stream").Kind() == value.Bool && req.Field("stream").Text() == "true":
		return http.StatusBadRequest, failure("stream: is not offered", "invalid_request_error")
	}
	name, schema, asTool := answerSchema(req)
	prompt := recordPrompt(req.Field("messages"))
	var answer []byte
	switch rec, ok := j.cache.readRecord(prompt); {
	case ok:
		g := &grader{record: rec, rules: j.rules}
		g.run()
		answer = g.verdict(name).json(schema)
	case schema.Field("properties").Has("output") || schema.IsNull():
		return http.StatusBadRequest, failure("messages: no record of a tool call found; this server only grades tool calls", "invalid_request_error")
	default:
		answer = []byte(instance(schema, 0).JSON())
	}
	return http.StatusOK, completion(body, answer, name, asTool)
}

// answerSchema finds the schema of the answer: as a response format, as a tool,
// or written out in the system message.
func answerSchema(req value.Value) (name string, schema value.Value, asTool bool) {
	if f := req.Field("response_format").Field("json_schema"); f.Kind() == value.Object {
		return f.Field("name").Text(), f.Field("schema"), false
	}
	if tools := req.Field("tools"); tools.IsList() && tools.Len() > 0 {
		f := tools.At(0).Field("function")
		return f.Field("name").Text(), f.Field("parameters"), true
	}
	messages := req.Field("messages")
	if !messages.IsList() || messages.Len() == 0 {
		return "", schema, false
	}
	text := messages.At(0).Field("content").Text()
	if i := strings.Index(text, `{"type":"object"`); i >= 0 {
		if n, err := value.NewDecoder(strings.NewReader(text[i:])).Next(); err == nil {
			return "", n, false
		}
	}
	return "", schema, false
}

// recordPrompt returns the last user message that shows a call. A repair request
// has further messages behind it.
func recordPrompt(messages value.Value) string {
	if !messages.IsList() {
		return ""
	}
	for i := messages.Len() - 1; i >= 0; i-- {
		m := messages.At(i)
		if text := textOf(m.Field("content")); m.Field("role").Text() == "user" && strings.Contains(text, " call"+markEnd) {
			return text
		}
	}
	return ""
}

func completion(body, answer []byte, name string, asTool bool) []byte {
	sum := sha256.Sum256(body)
	b := make([]byte, 0, len(answer)+len(answer)/4+400)
	b = append(b, `{"id":"chatcmpl-`...)
	b = hex.AppendEncode(b, sum[:12])
	b = append(b, `","object":"chat.completion","created":0,"model":"`+Model+`","system_fingerprint":"`+Model+`/`+Version+`",`...)
	b = append(b, `"choices":[{"index":0,"message":{"role":"assistant","content":`...)
	if asTool {
		b = append(b, `null,"tool_calls":[{"id":"call_0","type":"function","function":{"name":`...)
		b = append(value.AppendQuoted(b, name), `,"arguments":`...)
		b = append(value.AppendQuoted(b, string(answer)), `}}]},"finish_reason":"tool_calls"}]}`...)
		return b
	}
	return append(value.AppendQuoted(b, string(answer)), `},"finish_reason":"stop"}]}`...)
}

func failure(message, kind string) []byte {
	return append(value.AppendQuoted([]byte(`{"error":{"message":`), message), `,"type":"`+kind+`","param":null,"code":null}}`...)
}

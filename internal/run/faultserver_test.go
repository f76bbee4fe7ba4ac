package run

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// faultyServer is an endpoint in memory and in virtual time, down to the bytes on its
// connections. It answers every item with an output of its own, and spoils a share of
// the requests in one way.
type faultyServer struct {
	mode  mode
	share float64
	late  bool // nothing is spoiled before the first good answer
	took  time.Duration
	start time.Time

	mu       sync.Mutex
	well     bool // it spoils nothing any more
	seen     map[int]int
	good     map[int]int // whole and readable answers by item
	requests int
}

// exchange is one request on a connection of the server.
type exchange struct {
	conn net.Conn
	item int // -1 for a request that is about none
	text string
	// asked is the request's body, auth its Authorization header.
	asked, auth string

	model string
}

func (s *faultyServer) transport() *http.Transport {
	return &http.Transport{
		DialContext: s.dial, DisableCompression: true, MaxIdleConnsPerHost: 16, MaxResponseHeaderBytes: 256 << 10,
	}
}

func (s *faultyServer) dial(context.Context, string, string) (net.Conn, error) {
	if s.away() || s.mode.dial && s.spoils(-2) {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	}
	here, there := net.Pipe()
	go s.serve(there)
	return here, nil
}

// spoils decides about a request by the item and by how often it came, or by the item
// alone where the fault is in the item.
func (s *faultyServer) spoils(item int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.seen[item]
	if item != -2 || s.mode.dial {
		s.seen[item]++
	}
	if s.well || s.late && len(s.good) == 0 || s.mode.once && n > 0 {
		return false
	}
	if s.mode.away > 0 && time.Since(s.start) < restartAt+s.mode.away {
		return false // as it was before the restart
	}
	if s.mode.sticky {
		n = 0
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %v %v %d %d", s.mode.name, s.share, s.late, item, n))
	if draw := float64(binary.LittleEndian.Uint64(sum[:8])>>11) / (1 << 53); draw >= s.share {
		return false
	}
	return s.share == 1 || item != -1 || !s.mode.sticky
}

// away says that the server is being restarted.
func (s *faultyServer) away() bool {
	at := time.Since(s.start)
	return at >= restartAt && at < restartAt+s.mode.away
}

// restartAt is when a server that is restarted goes away.
const restartAt = 300 * time.Millisecond

func (s *faultyServer) serve(conn net.Conn) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	for {
		req, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return
		}
		if !s.answer(conn, req, string(body)) {
			return
		}
	}
}

// answer reports whether the connection goes on.
func (s *faultyServer) answer(conn net.Conn, req *http.Request, body string) bool {
	x := &exchange{conn: conn, item: -1, text: `{"output":"yes"}`, model: "campaign", asked: body, auth: req.Header.Get("Authorization")}
	if s.mode.back != "" && time.Since(s.start) > restartAt && !s.well {
		x.model = s.mode.back
	}
	if found := orderNumber.FindStringSubmatch(body); found != nil {
		x.item, _ = strconv.Atoi(found[1])
		x.text = faultyAnswer(x.item, strconv.Itoa(campaignOutput(x.item)))
	}
	s.mu.Lock()
	s.requests++
	s.mu.Unlock()
	if req.Method == http.MethodGet {
		if s.share == 1 && s.mode.all && s.spoils(-1) {
			return s.mode.do(x)
		}
		return x.reply("200 OK", "", `{"data":[{"id":"campaign"}]}`) && !s.away()
	}
	if s.mode.do != nil && (s.mode.when == nil || s.mode.when(x)) && s.spoils(x.item) {
		if s.mode.scored {
			s.count(x.item)
		}
		return s.mode.do(x)
	}
	time.Sleep(s.took)
	if s.away() {
		return false
	}
	if x.model == "campaign" {
		s.count(x.item)
	}
	if s.mode.dial { // or no connection would ever be opened again
		x.reply("200 OK", "Connection: close\r\n", x.envelope(x.text))
		return false
	}
	return x.reply("200 OK", "", x.envelope(x.text))
}

func (s *faultyServer) count(item int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if item >= 0 {
		s.good[item]++
	}
}

func faultyAnswer(item int, output string) string {
	return fmt.Sprintf(`{"explanation":"INTENDED=%d for order %d.","evidence":"NONE: nothing is quoted","output":%s,"confidence":1,"correction":{}}`,
		campaignOutput(item), item, output)
}

// envelope returns a chat completion around a content.
func (x *exchange) envelope(content string) string {
	return `{"id":"x","object":"chat.completion","model":"` + x.model + `","choices":[{"index":0,"message":{"role":"assistant","content":` +
		strconv.Quote(content) + `},"finish_reason":"stop"}],"usage":{"prompt_tokens":600,"completion_tokens":40,"total_tokens":640}}`
}

func (x *exchange) raw(s string) bool {
	_, err := io.WriteString(x.conn, s)
	return err == nil
}

// reply writes a whole reply; header lines end in \r\n.
func (x *exchange) reply(status, header, body string) bool {
	return x.raw("HTTP/1.1 " + status + "\r\nContent-Type: application/json\r\n" + header + "Content-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body)
}

func packed(s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, s)
	_ = w.Close()
	return b.String()
}

// forever writes a piece again and again, with a wait, until the client has gone.
func (x *exchange) forever(piece string, wait time.Duration) bool {
	for x.raw(piece) {
		time.Sleep(wait)
	}
	return false
}

// silence keeps the connection open without a word, until the client has gone.
func (x *exchange) silence() bool {
	_, _ = x.conn.Read(make([]byte, 1))
	return false
}

// mode is one way to fail.
type mode struct {
	class, name string
	do          func(*exchange) bool
	// kinds are the names that an item may end with.
	kinds string
	// scored says that the answer is there and must be read.
	scored bool
	// sticky faults are those of items, and not of moments.
	sticky bool
	// once faults come once for each item.
	once bool
	// when says which requests can be spoiled, nil for all.
	when func(*exchange) bool
	// all spoils also the list of models, dial the connection itself.
	all, dial bool
	// away is how long a restart takes, back the model that is served after it.
	away time.Duration
	back string
}

func restartModes() []mode {
	out := []mode{
		{class: "restarts", name: "comes back with another model", away: 30 * time.Second, back: "other"},
		{class: "restarts", name: "comes back with a smaller window", away: 30 * time.Second, back: "campaign", kinds: "context", sticky: true, do: func(x *exchange) bool {
			return x.reply("400 Bad Request", "", `{"error":{"message":"This model's maximum context length is 9 tokens.","code":"context_length_exceeded"}}`)
		}},
	}
	for _, away := range []time.Duration{time.Second, 30 * time.Second, 300 * time.Second} {
		out = append(out, mode{class: "restarts", name: "comes back after " + away.String(), away: away})
	}
	return out
}

func busyModes() []mode {
	status := func(name, line, header, body string) mode {
		return mode{class: "busy", name: name, kinds: "transport", all: true, do: func(x *exchange) bool { return x.reply(line, header, body) }}
	}
	const says = `{"error":{"message":"busy"}}`
	date := mode{class: "busy", name: "429 with an HTTP date", kinds: "transport", all: true, do: func(x *exchange) bool {
		return x.reply("429 Too Many Requests", "Retry-After: "+time.Now().Add(2*time.Second).UTC().Format(http.TimeFormat)+"\r\n", says)
	}}
	always := status("500 always", "500 Internal Server Error", "", says)
	always.sticky = true
	once := status("500 once", "500 Internal Server Error", "", says)
	once.once = true
	return []mode{
		status("429", "429 Too Many Requests", "", says),
		status("429 with Retry-After: 1", "429 Too Many Requests", "Retry-After: 1\r\n", says), date,
		status("429 with an absurd wait", "429 Too Many Requests", "Retry-After: 1e9\r\n", says),
		status("503", "503 Service Unavailable", "", says), once, status("500", "500 Internal Server Error", "", says), always,
		status("418", "418 I'm a teapot", "", says),
		status("502 HTML", "502 Bad Gateway", "", "<html><title>502 Bad Gateway</title></html>"),
	}
}

func refusalModes() []mode {
	status := func(class, name, line, header, body, kinds string) mode {
		return mode{class: class, name: name, kinds: kinds, sticky: true, do: func(x *exchange) bool { return x.reply(line, header, body) }}
	}
	refused := func(name, line, body string) mode {
		return status("refused", name, line, "", body, "refused_by_endpoint")
	}
	says := func(s string) string { return `{"error":{"message":` + strconv.Quote(s) + `,"type":"x","code":null}}` }
	out := []mode{
		refused("401", "401 Unauthorized", says("who are you")), refused("402", "402 Payment Required", says("pay")),
		refused("403", "403 Forbidden", says("blocked by the firewall")), refused("404 model", "404 Not Found", says("model 'campaign' not found")),
		refused("404 HTML", "404 Not Found", "<html><title>Not here</title></html>"),
		status("bad request", "400 response_format", "400 Bad Request", "", says("response_format is not supported"), "bad_request"),
		status("bad request", "400 context", "400 Bad Request", "", says("This model's maximum context length is 9 tokens."), "context"),
		status("bad request", "400 always", "400 Bad Request", "", says("no"), "bad_request"),
		{class: "bad request", name: "a field refused by name", kinds: "bad_request", sticky: true, when: hasTemperature, do: func(x *exchange) bool {
			return x.reply("400 Bad Request", "", says("Unsupported value: 'temperature' does not support 1 with this model."))
		}},
		status("bad request", "400 content filter", "400 Bad Request", "", says("content_filter: flagged"), "refusal refused"),
	}
	for _, code := range []string{"301 Moved Permanently", "302 Found", "303 See Other", "307 Temporary Redirect", "308 Permanent Redirect"} {
		out = append(out, status("redirects", code[:3]+" to itself", code, "Location: /v1/chat/completions\r\n", "", "bad_request refused_by_endpoint"),
			status("redirects", code[:3]+" elsewhere", code, "Location: http://elsewhere.example/v1\r\n", "", "bad_request refused_by_endpoint"))
	}
	return out
}

func hasTemperature(x *exchange) bool { return strings.Contains(x.asked, `"temperature"`) }

func connectionModes() []mode {
	fault := func(name string, do func(*exchange) bool) mode {
		return mode{class: "connection", name: name, do: do, kinds: "transport invalid_reply", all: true}
	}
	const head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	endless := func(name, header string) mode {
		return fault(name, func(x *exchange) bool {
			x.raw(head + header + "\r\n")
			return x.forever(strings.Repeat(" ", 1<<16), time.Millisecond)
		})
	}
	return []mode{
		{class: "connection", name: "refused", dial: true, kinds: "transport"},
		fault("closed before", func(*exchange) bool { return false }),
		fault("closed in the middle", func(x *exchange) bool {
			body := x.envelope(x.text)
			x.raw(head + "Content-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body[:len(body)/2])
			return false
		}),
		fault("Content-Length too long", func(x *exchange) bool {
			body := x.envelope(x.text)
			x.raw(head + "Content-Length: " + strconv.Itoa(len(body)+50) + "\r\n\r\n" + body)
			return false
		}),
		fault("Content-Length too short", func(x *exchange) bool {
			body := x.envelope(x.text)
			x.raw(head + "Content-Length: " + strconv.Itoa(len(body)-50) + "\r\n\r\n" + body)
			return false
		}),
		fault("garbage instead of HTTP", func(x *exchange) bool { x.raw("\x00\x01SSH-2.0-nothing\r\n\r\n"); return false }),
		fault("1xx flood", func(x *exchange) bool { return x.forever("HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n", 0) }),
		fault("header drip", func(x *exchange) bool {
			x.raw("HTTP/1.1 200 OK\r\nX-A: ")
			return x.forever("a", time.Second)
		}),
		fault("header flood", func(x *exchange) bool {
			x.raw("HTTP/1.1 200 OK\r\n")
			return x.forever("X-Flood: "+strings.Repeat("a", 4000)+"\r\n", 0)
		}),
		fault("body drip", func(x *exchange) bool {
			x.raw(head + "\r\n")
			return x.forever(" ", time.Second)
		}),
		fault("never a byte", func(x *exchange) bool { return x.silence() }),
		endless("endless body", ""), endless("endless, with a length", "Content-Length: 99999999999\r\n"),
	}
}

// Package client sends chat requests to one OpenAI-compatible endpoint, which may have
// several replicas.
//
// It owns the HTTP request, the key, retries, the limits of rate and concurrency, the
// choice of the replica, the waiting during an outage, and the sharing of one answer by
// equal requests. It is the only importer of go-openai.
//
// Promises:
//
//   - What the caller asks for is what is sent: a temperature of 0 is sent as 0, numbers
//     keep their digits and a schema the order of its keys.
//   - The body is kept as received. The one change ever made to it is that an echoed API
//     key is replaced by [redacted]; no error and no log holds the key.
//   - No request is sent whose good answer is already in the journal, unless
//     [Config.Fresh] asks for it.
//   - An endpoint without a base URL is refused; there is no default host.
//   - Memory is held for the requests in flight, never for those that are done.
package client

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/journal"
)

// Config holds the client's settings beside the endpoint's. The zero value is usable: no journal,
// default limits.
type Config struct {
	// Kind is the kind of server, if it is known. It decides a few fields of the request and is
	// part of the fingerprint.
	Kind llm.Kind
	// PromptVersion is the version of the caller's prompt templates. It is part of the fingerprint.
	PromptVersion string
	// Journal, if set, answers repeated requests and records each exchange. It must be open for
	// writing; clients may share it.
	Journal *journal.Journal
	// Fresh sends every request, even if the journal has an answer.
	Fresh bool
	// Stale reports whether the journal's answers to requests with this Key must not be used. Each
	// is then asked for again, once. If Stale is nil, all answers are used.
	Stale func(key string) bool
	// Reuse lists journals of earlier runs, whose good answers are used.
	Reuse []Source
	// FirstBackoff limits the first wait between attempts; the wait is drawn at random below the
	// limit. The limit doubles with each attempt, up to 30 s. 0 means half a second.
	FirstBackoff time.Duration
	// Outage says how long an endpoint may be silent before requests fail with [llm.KindOutage].
	// Until then they wait, and these attempts do not count. With 0 nobody waits, a request fails
	// after its attempts, and a refusal is always taken to concern all requests.
	Outage time.Duration
	// Notice is called about outages. Window is called with the context size, in tokens, of an
	// endpoint that came back, if its list of models has it. Both may be nil.
	Notice func(Notice)
	Window func(tokens int)
	// Grace says how long an attempt may continue after the context has ended.
	Grace time.Duration
	// InFlight counts the running attempts; it may be nil.
	InFlight *atomic.Int64
	// Transport replaces the HTTP transport, for tests.
	Transport http.RoundTripper
	// Sender, if set, sends the requests instead of HTTP. The endpoint's BaseURL is then only a
	// name, and the client does not check whether it works: the Sender handles its own outages.
	Sender llm.Sender
}

// Source is the journal of an earlier run, open for reading, and the canary of that run's prompts:
// the secret word that no answer may repeat.
type Source struct {
	Journal *journal.Journal
	Canary  string
}

// Client sends requests to one endpoint. It is safe for concurrent use.
type Client struct {
	endpoint Endpoint
	cfg      Config
	base     string // without credentials
	replicas []*replica
	pacer    pacer
	total    limiter // limits all replicas together

	answered atomic.Bool // some reply has arrived, with any status

	mu      sync.Mutex
	homes   map[string]*replica // the replica of each group of requests
	flights map[llm.Fingerprint]*flight

	list func() ([]ModelInfo, error) // the list of models, asked for only once
}

// New checks the endpoint and returns a client for it. It sends nothing.
func New(endpoint Endpoint, cfg Config) (*Client, error) {
	bases, err := endpoint.parse(cfg.Sender != nil)
	if err != nil {
		return nil, err
	}
	if cfg.Journal != nil && cfg.Journal.ReadOnly() {
		return nil, errors.New("client journal: is open for reading only")
	}
	endpoint = endpoint.withDefaults()
	if cfg.FirstBackoff <= 0 || cfg.FirstBackoff > maxBackoff {
		cfg.FirstBackoff = firstBackoff
	}
	if cfg.Kind == "" {
		cfg.Kind = llm.KindUnknown
	}
	c := &Client{
		endpoint: endpoint, cfg: cfg, pacer: newPacer(endpoint),
		total:   limiter{limit: endpoint.Concurrency},
		homes:   map[string]*replica{},
		flights: map[llm.Fingerprint]*flight{},
	}
	c.list = sync.OnceValues(func() ([]ModelInfo, error) { return c.Models(context.Background()) })
	c.addReplicas(bases)
	c.base = c.replicas[0].base
	c.endpoint.BaseURL = c.base
	return c, nil
}

// pool returns an HTTP transport with one connection for each request in flight. Compression is
// off, so that bodies stay as they were sent.
func pool(concurrency int) *http.Transport {
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           patient(dialer.DialContext),
		ForceAttemptHTTP2:     true,
		MaxIdleConns:          concurrency,
		MaxIdleConnsPerHost:   concurrency,
		IdleConnTimeout:       90 * time.Second,
		TLSHandshakeTimeout:   10 * time.Second,
		ExpectContinueTimeout: time.Second,
		// Informational replies count as well.
		MaxResponseHeaderBytes: 256 << 10,
		DisableCompression:     true,
		WriteBufferSize:        16 << 10,
		ReadBufferSize:         8 << 10,
	}
}

// Format prints only the base URL, for every verb: the client holds live connections and a key.
func (c *Client) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("client.Client(" + c.base + ")")) }

// BaseURL returns the endpoint's base URL without credentials.
func (c *Client) BaseURL() string { return c.base }

// Concurrency returns the maximum number of requests in flight.
func (c *Client) Concurrency() int { return c.endpoint.Concurrency }

// Close closes idle connections and stops waiting for outages. The journal stays open.
func (c *Client) Close() {
	for _, r := range c.replicas {
		r.stop()
		if r.wire == nil {
			continue
		}
		if t, ok := r.wire.transport.(*http.Transport); ok {
			t.CloseIdleConnections()
		}
	}
}

// Do answers the request from the journal, or sends it, waiting for a free slot
// and retrying transient failures. Every error is an [*llm.Error].
func (c *Client) Do(ctx context.Context, req llm.Request) (*llm.Response, error) {
	p, err := req.Prepare(c.cfg.Kind, c.cfg.PromptVersion)
	if err != nil {
		return nil, c.label(asError(err), &req)
	}
	return c.DoPrepared(ctx, p)
}

// DoPrepared is like Do, for a request that was prepared already, perhaps for another kind of
// server.
func (c *Client) DoPrepared(ctx context.Context, p *llm.Prepared) (*llm.Response, error) {
	if c.cfg.Journal == nil || c.cfg.Fresh {
		return c.send(ctx, p)
	}
	for {
		f, first := c.flight(p.Fingerprint)
		if first {
			return c.lead(ctx, p, f)
		}
		select {
		case <-f.done:
		case <-ctx.Done():
			return nil, c.label(canceled(ctx), p.Request)
		}
		switch {
		case f.err == nil:
			shared := *f.res
			shared.Cached = true
			return &shared, nil
		case f.err.Kind != llm.KindCanceled: // that caller gave up, this one did not
			shared := *f.err
			return nil, &shared
		}
	}
}

// flight is a request on its way. Other callers may wait for the same answer.
type flight struct {
	done chan struct{}
	res  *llm.Response
	err  *llm.Error
}

// flight returns the flight of a request, and whether this call started it.
func (c *Client) flight(fp llm.Fingerprint) (*flight, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f, ok := c.flights[fp]
	if !ok {
		f = &flight{done: make(chan struct{})}
		c.flights[fp] = f
	}
	return f, !ok
}

// lead sends the request for all who wait. It reads the journal only after the flight is
// registered, so that two equal requests are never both sent.
func (c *Client) lead(ctx context.Context, req *llm.Prepared, f *flight) (res *llm.Response, err error) {
	defer func() {
		f.res = res
		if err != nil {
			f.err = asError(err)
		}
		c.mu.Lock()
		delete(c.flights, req.Fingerprint)
		c.mu.Unlock()
		close(f.done)
	}()
	stale := c.cfg.Stale != nil && c.cfg.Stale(req.Key) && !c.cfg.Journal.Renewed(req.Fingerprint)
	if res, ok := c.cfg.Journal.Answer(req.Fingerprint); ok && !stale {
		return res, nil
	}
	if res, err := c.reuse(req, stale); res != nil || err != nil {
		return res, err
	}
	return c.send(ctx, req)
}

// reuse returns an answer from an earlier run; nil if none has one.
func (c *Client) reuse(req *llm.Prepared, stale bool) (*llm.Response, error) {
	if stale {
		return nil, nil
	}
	for _, from := range c.cfg.Reuse {
		res, ok, err := c.cfg.Journal.Reuse(from.Journal, from.Canary, req.Key, req.Fingerprint)
		if err != nil {
			return nil, c.journalError(err, req.Request)
		}
		if ok {
			return res, nil
		}
	}
	return nil, nil
}

// record writes the outcome to the journal, if there is one.
func (c *Client) record(s *sending, res *llm.Response, e *llm.Error) *llm.Error {
	if c.cfg.Journal == nil {
		return nil
	}
	req := s.req
	entry := &journal.Entry{
		Fingerprint: req.Fingerprint, Endpoint: s.at.base, Kind: req.Kind, Model: req.Model, Key: req.Key,
		Transport: req.Transport, Attempts: s.attempts, LatencyMS: float64(s.latency.Microseconds()) / 1000,
	}
	entry.End(s.reply, res, e)
	if err := c.cfg.Journal.Append(entry); err != nil {
		return c.journalError(err, req.Request)
	}
	return nil
}

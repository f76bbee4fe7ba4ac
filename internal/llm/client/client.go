package client

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/journal"
)

// Config holds what is not the endpoint's own. The zero value is usable: no
// journal, default limits.
type Config struct {
	// Kind of server, as far as it is known; it steers a few fields of the
	// request and is part of the fingerprint.
	Kind llm.Kind
	// PromptVersion names the caller's prompt templates in the fingerprint.
	PromptVersion string
	// Journal, when set, answers repeated requests and records each exchange.
	// It must be open for writing, and may be shared by clients.
	Journal *journal.Journal
	// Fresh sends every request even if the journal holds an answer.
	Fresh bool
	// Stale says of a request's Key that the journal's answers to it are not taken; the
	// one that comes instead is. nil takes all.
	Stale func(key string) bool
	// MaxReplyBytes caps one reply; 0 means 8 MiB.
	MaxReplyBytes int64
	// MaxRetryAfter caps what a server may ask for; 0 means one minute. An Outage that is
	// longer takes its place.
	MaxRetryAfter time.Duration
	// FirstBackoff is the ceiling of the first wait between attempts, which is
	// drawn uniformly below it; each further ceiling doubles, up to 30 s.
	// 0 means half a second.
	FirstBackoff time.Duration
	// Outage is how long an endpoint may give no answer before requests fail with
	// [llm.KindOutage]. Until then they wait, and no attempt is charged. With 0 nobody
	// waits, a request fails after its attempts, and a refusal is always meant for all.
	Outage time.Duration
	// Notice is told about outages; nil tells nobody. Window is told the context, in
	// tokens, of an endpoint that came back, where its list of models says it.
	Notice func(Notice)
	Window func(tokens int)
	// Grace is how long an attempt that was begun may go on after the context's end.
	Grace time.Duration
	// InFlight counts the attempts that are under way; it may be nil.
	InFlight *atomic.Int64
	// Transport replaces the HTTP transport, for tests.
	Transport http.RoundTripper
}

// Client sends requests to one endpoint. It is safe for concurrent use.
type Client struct {
	endpoint Endpoint
	cfg      Config
	base     string // base URL without credentials
	sender   llm.Sender
	wire     *wire // the sender, for side requests and redaction
	gate     *gate
	watch    *watch
	row      row
	answered atomic.Bool // some reply has arrived
	worked   atomic.Bool // some request was answered well

	plainDone chan struct{} // closed after the plain request that tells a refusal of all from one of an item
	plainErr  *llm.Error

	mu      sync.Mutex
	flights map[llm.Fingerprint]*flight
	renewed map[llm.Fingerprint]bool  // stale answers that were had anew
	low     map[schemaKey]llm.Lowered // of the few schemas that a run has

	listOnce sync.Once // the list of models, asked for when advice needs it
	list     []ModelInfo
	listErr  error
}

// New checks the endpoint and makes a client for it. It sends nothing.
func New(endpoint Endpoint, cfg Config) (*Client, error) {
	u, err := endpoint.parse()
	if err != nil {
		return nil, err
	}
	endpoint = endpoint.withDefaults()
	endpoint.BaseURL = bareURL(u)
	if cfg.MaxReplyBytes <= 0 {
		cfg.MaxReplyBytes = DefaultMaxReplyBytes
	}
	if cfg.MaxRetryAfter <= 0 {
		cfg.MaxRetryAfter = DefaultMaxRetryAfter
	}
	if cfg.FirstBackoff <= 0 || cfg.FirstBackoff > maxBackoff {
		cfg.FirstBackoff = DefaultFirstBackoff
	}
	if cfg.Kind == "" {
		cfg.Kind = llm.KindUnknown
	}
	if cfg.Journal != nil && cfg.Journal.ReadOnly() {
		return nil, errors.New("client journal: is open for reading only")
	}
	password := ""
	if u.User != nil {
		password, _ = u.User.Password()
	}
	c := &Client{
		endpoint: endpoint, cfg: cfg, base: endpoint.BaseURL,
		gate:    newGate(endpoint.Concurrency, endpoint.RequestsPerMinute),
		flights: map[llm.Fingerprint]*flight{}, renewed: map[llm.Fingerprint]bool{},
	}
	c.watch = newWatch(c)
	c.wire = &wire{
		config: openai.DefaultConfig(""), transport: cfg.Transport, auth: authorization(endpoint.APIKey, u.User),
		headers: endpoint.Headers, query: endpoint.Query, maxReply: cfg.MaxReplyBytes,
	}
	c.wire.config.BaseURL = c.base
	basic := strings.TrimPrefix(authorization(Secret{}, u.User).Reveal(), "Basic ")
	c.wire.redact = newRedactor(append(endpoint.secrets(), password, basic)...)
	if c.wire.transport == nil {
		c.wire.transport = pool(endpoint.Concurrency)
	}
	c.sender = c.wire
	return c, nil
}

// pool is an HTTP transport that keeps a connection for each request that may
// be in flight. Compression is off, so that the body is kept as sent.
func pool(concurrency int) *http.Transport {
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           dialer.DialContext,
		ForceAttemptHTTP2:     true,
		MaxIdleConns:          concurrency,
		MaxIdleConnsPerHost:   concurrency,
		IdleConnTimeout:       90 * time.Second,
		TLSHandshakeTimeout:   10 * time.Second,
		ExpectContinueTimeout: time.Second,
		// Informational replies count too.
		MaxResponseHeaderBytes: 256 << 10,
		DisableCompression:     true,
		WriteBufferSize:        16 << 10,
		ReadBufferSize:         8 << 10,
	}
}

// Format shows the client as its base URL, whatever the verb: what it holds
// includes live connections, and a key.
func (c *Client) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("client.Client(" + c.base + ")")) }

// BaseURL returns the endpoint's base URL without credentials.
func (c *Client) BaseURL() string { return c.base }

// Concurrency returns the largest number of requests in flight.
func (c *Client) Concurrency() int { return c.endpoint.Concurrency }

// Close gives up idle connections and waits for no outage any more. The journal stays
// open.
func (c *Client) Close() {
	c.watch.stop()
	if t, ok := c.wire.transport.(*http.Transport); ok {
		t.CloseIdleConnections()
	}
}

// FingerprintOf returns the fingerprint under which Do files the request.
func (c *Client) FingerprintOf(r llm.Request) (llm.Fingerprint, error) {
	return llm.FingerprintOf(&r, c.cfg.Kind, c.cfg.PromptVersion)
}

// Stored returns the journal's answer to a request, where Do would take it.
func (c *Client) Stored(r llm.Request) (*llm.Response, bool) {
	fp, err := c.FingerprintOf(r)
	if err != nil || c.cfg.Journal == nil || c.cfg.Fresh {
		return nil, false
	}
	return c.stored(fp, r.Key)
}

// stored is the journal's answer, unless it is stale.
func (c *Client) stored(fp llm.Fingerprint, key string) (*llm.Response, bool) {
	if c.cfg.Stale != nil && c.cfg.Stale(key) {
		c.mu.Lock()
		renewed := c.renewed[fp]
		c.mu.Unlock()
		if !renewed {
			return nil, false
		}
	}
	return c.cfg.Journal.Answer(fp)
}

// renew notes that a stale answer was had anew.
func (c *Client) renew(fp llm.Fingerprint, key string) {
	if c.cfg.Stale != nil && c.cfg.Stale(key) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.renewed[fp] = true
	}
}

// Do answers the request from the journal, or sends it, waiting for a free slot
// and retrying what is worth retrying. Every error is an [*Error].
func (c *Client) Do(ctx context.Context, req llm.Request) (*llm.Response, error) {
	p, err := req.Prepare(c.cfg.Kind, c.cfg.PromptVersion)
	if err != nil {
		return nil, c.label(asError(err), &req)
	}
	if c.cfg.Journal == nil || c.cfg.Fresh {
		return c.send(ctx, p)
	}
	return c.once(ctx, p)
}

// settle finishes the error of a request whose attempts are over.
func (c *Client) settle(ctx context.Context, err error, req *llm.Request, attempts int) *llm.Error {
	var e *llm.Error
	if !errors.As(err, &e) { // the wait between attempts was cut short
		e = canceled(ctx)
	}
	own := *e // the end of an outage is one error for many requests
	e = &own
	e.Attempts = attempts
	e.Message = c.wire.redact.text(e.Message)
	switch e.Kind {
	case llm.KindUnauthorized:
		if !e.Fatal {
			break
		}
		if len(c.endpoint.Headers)+len(c.endpoint.Query) > 0 {
			e.Hint = "check the environment variables that headers, query and api_key_env name"
		} else if c.endpoint.APIKey.IsZero() {
			e.Hint = fmt.Sprintf("no key was sent; set %s", c.endpoint.KeyEnv)
		} else {
			e.Hint = fmt.Sprintf("the key in %s was refused; set it to one that may use this model", c.endpoint.KeyEnv)
		}
	case llm.KindNotFound:
		if !e.Fatal {
			break
		}
		e.Hint = c.notFoundAdvice(ctx, req.Model, e.Message)
	}
	return c.label(e, req)
}

func (c *Client) label(e *llm.Error, req *llm.Request) *llm.Error {
	e.Model, e.Endpoint = req.Model, c.base
	return e
}

// record appends the outcome to the journal, if there is one.
func (c *Client) record(s *sending, res *llm.Response, e *llm.Error) *llm.Error {
	if c.cfg.Journal == nil {
		return nil
	}
	req := s.req
	entry := &journal.Entry{
		Fingerprint: req.Fingerprint, Good: e == nil, Time: time.Now(), Endpoint: c.base, Kind: c.cfg.Kind, Model: req.Model,
		Key: req.Key, Transport: req.Transport, Attempts: s.attempts, Latency: s.latency,
		Status: s.reply.Status, Headers: s.reply.Headers, Raw: s.reply.Body,
	}
	if res != nil {
		entry.Usage, entry.FinishReason, entry.Dropped = res.Usage, res.FinishReason, res.Dropped
	}
	if e != nil {
		entry.ErrorKind, entry.ErrorMessage = e.Kind, e.Message
	}
	if err := c.cfg.Journal.Append(entry); err != nil {
		return &llm.Error{Kind: llm.KindJournal, Message: err.Error(), Fatal: true, Hint: "free space on the disk and resume the run"}
	}
	return nil
}

// endpointURL joins the base URL and a path such as "models".
func (c *Client) endpointURL(path string) (*url.URL, error) {
	u, err := url.Parse(c.base)
	if err != nil {
		return nil, err
	}
	return u.JoinPath(path), nil
}

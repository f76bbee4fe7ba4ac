package client

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"
)

// The defaults of [Endpoint] and [Config].
const (
	DefaultConcurrency = 4
	DefaultMaxAttempts = 5
	DefaultOutage      = 10 * time.Minute
	DefaultKeyEnv      = "OPENAI_API_KEY"
	defaultTimeout     = 5 * time.Minute
)

// Endpoint says where requests go and how many the server may get at a time.
type Endpoint struct {
	// BaseURL is the URL before /chat/completions, such as http://localhost:11434/v1. It is
	// required; there is no default host.
	BaseURL string
	// Replicas are the base URLs of further servers with the same model. Requests with the same
	// [llm.Request.Group] go to the same replica as long as it works.
	Replicas []string
	// APIKey is sent as a bearer token; without one no Authorization header is sent.
	APIKey Secret
	// KeyEnv is the environment variable that advice about keys names; "" means OPENAI_API_KEY. The
	// package never reads it.
	KeyEnv string
	// Headers and Query are added to every request, as some gateways require. A header replaces the
	// one that the package would send.
	Headers, Query []Param
	// Concurrency limits the requests in flight; 0 means 4. Unless Fixed is set, the client sends
	// fewer if the server cannot serve that many.
	Concurrency int
	Fixed       bool
	// Timeout limits one attempt, from sending to the last byte; 0 means 5 min.
	Timeout time.Duration
	// MaxAttempts limits the attempts per request, including the first; 0 means 5.
	MaxAttempts int
	// RequestsPerMinute spaces attempts evenly; 0 means no limit.
	RequestsPerMinute float64
	// TokensPerMinute spaces attempts by the tokens of their prompts and answers; 0 means no limit.
	// They are estimated before the request and corrected by the server's count.
	TokensPerMinute float64
}

// Param is one header or query parameter. Its value is hidden and redacted like a key, unless Plain
// is set.
type Param struct {
	Name  string
	Value Secret
	Plain bool
}

func (e Endpoint) withDefaults() Endpoint {
	e.Concurrency = cmp.Or(e.Concurrency, DefaultConcurrency)
	e.Timeout = cmp.Or(e.Timeout, defaultTimeout)
	e.MaxAttempts = cmp.Or(e.MaxAttempts, DefaultMaxAttempts)
	e.KeyEnv = cmp.Or(e.KeyEnv, DefaultKeyEnv)
	return e
}

// parse checks the endpoint and returns its URLs without trailing slashes; named says that BaseURL
// is only a name. Errors name the field and show no credentials.
func (e Endpoint) parse(named bool) (bases []*url.URL, err error) {
	all := append([]string{e.BaseURL}, e.Replicas...)
	for i, base := range all {
		u, err := parseBase(base)
		switch {
		case err != nil && named:
			u = &url.URL{Opaque: base}
		case err != nil:
			return nil, fmt.Errorf("endpoint base_url: %w", err)
		}
		if slices.Contains(all[:i], base) {
			return nil, fmt.Errorf("endpoint base_url: %s is named twice", bareURL(u))
		}
		bases = append(bases, u)
	}
	switch {
	case e.Concurrency < 0:
		return nil, fmt.Errorf("endpoint concurrency: %d is negative", e.Concurrency)
	case e.Timeout < 0:
		return nil, fmt.Errorf("endpoint timeout: %v is negative", e.Timeout)
	case e.MaxAttempts < 0:
		return nil, fmt.Errorf("endpoint max_attempts: %d is negative", e.MaxAttempts)
	case !(e.RequestsPerMinute >= 0): // NaN too
		return nil, fmt.Errorf("endpoint requests_per_minute: %v is not a rate", e.RequestsPerMinute)
	case !(e.TokensPerMinute >= 0):
		return nil, fmt.Errorf("endpoint tokens_per_minute: %v is not a rate", e.TokensPerMinute)
	}
	return bases, checkParams(e.Headers, e.Query)
}

func parseBase(base string) (*url.URL, error) {
	text := strings.TrimRight(strings.TrimSpace(base), "/")
	if text == "" {
		return nil, errors.New("is empty; set it to the server's OpenAI-compatible prefix, such as " +
			"http://localhost:11434/v1")
	}
	u, err := url.Parse(text)
	if !strings.Contains(text, "://") {
		whole, bad := url.Parse("http://" + text)
		if bad == nil && whole.Host != "" && whole.User == nil && whole.RawQuery == "" {
			return nil, fmt.Errorf("%s has no scheme; did you mean %s?", text, whole)
		}
	}
	switch {
	case err != nil: // the parser's message quotes the URL, which may hold a password
		return nil, errors.New("is not a URL")
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("scheme %q is not http or https", u.Scheme)
	case u.Host == "":
		return nil, errors.New("has no host")
	case u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("must not hold a query or a fragment; " +
			"put parameters under query, with keys from the environment")
	}
	return u, nil
}

// ownHeaders cannot be set, because they follow from the body.
var ownHeaders = [...]string{"content-type", "content-length", "host", "transfer-encoding"}

// checkParams returns an error for headers and parameters that cannot be sent. It shows no values.
func checkParams(headers, query []Param) error {
	for _, h := range headers {
		low := strings.ToLower(h.Name)
		switch {
		case low == "" || strings.Trim(low, "abcdefghijklmnopqrstuvwxyz0123456789-_.") != "":
			return fmt.Errorf("endpoint headers: %q is not a header name", h.Name)
		case slices.Contains(ownHeaders[:], low):
			return fmt.Errorf("endpoint headers: %s cannot be set", h.Name)
		case strings.ContainsFunc(h.Value.Reveal(), unicode.IsControl):
			return fmt.Errorf("endpoint headers: the value of %s has a line break or another control character", h.Name)
		}
	}
	for _, p := range query {
		if p.Name == "" {
			return errors.New("endpoint query: a parameter has no name")
		}
	}
	return nil
}

// bareURL returns u without credentials.
func bareURL(u *url.URL) string {
	c := *u
	c.User, c.RawQuery, c.Fragment = nil, "", ""
	return c.String()
}

package main

import (
	"cmp"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/judgekit/judge/internal/config"
	"github.com/judgekit/judge/internal/llm/client"
	"github.com/judgekit/judge/judges"
)

// endpoint returns where a judge's requests go: the base URL of flags or file, else
// OPENAI_BASE_URL, else OLLAMA_HOST, "" if nothing is configured.
func (a *app) endpoint(j *config.Judge) (string, error) {
	if j.BaseURL != "" {
		return j.BaseURL, nil
	}
	if base := a.getenv("OPENAI_BASE_URL"); base != "" {
		return base, nil
	}
	if host := a.getenv("OLLAMA_HOST"); host != "" {
		return ollamaURL(host)
	}
	return "", nil
}

// ollamaURL turns OLLAMA_HOST, which may be a bare host or host:port, into the URL
// of Ollama's OpenAI-compatible API.
func ollamaURL(host string) (string, error) {
	if !strings.Contains(host, "://") {
		host = "http://" + host
	}
	u, err := url.Parse(host)
	if err != nil || u.Hostname() == "" {
		return "", usagef("OLLAMA_HOST: %q is not a host", host)
	}
	name := u.Hostname()
	if name == "0.0.0.0" || name == "::" {
		name = "127.0.0.1"
	}
	u.Host = net.JoinHostPort(name, cmp.Or(u.Port(), "11434"))
	return strings.TrimSuffix(u.String(), "/") + "/v1", nil
}

// login adds key, headers and query parameters to a judge's endpoint.
func (a *app) login(j *config.Judge, e *client.Endpoint) (err error) {
	for _, base := range append([]string{e.BaseURL}, e.Replicas...) {
		if u, err := url.Parse(base); err == nil && u.User != nil {
			return usagef("base-url: a URL must not contain credentials, because reports show it; put the key into an " +
				"environment variable")
		}
	}
	if e.APIKey, err = a.key(j); err == nil {
		e.Headers, err = a.params(j, "headers", j.Headers)
	}
	if err == nil {
		e.Query, err = a.params(j, "query", j.Query)
	}
	return err
}

// key reads a judge's key from the environment. What mounts secrets often ends them with a line break, which no
// key contains.
func (a *app) key(j *config.Judge) (client.Secret, error) {
	env, wrong := cmp.Or(j.APIKeyEnv, client.DefaultKeyEnv), ""
	key := strings.TrimSpace(a.getenv(env))
	switch {
	case j.APIKeyEnv == "" && slices.ContainsFunc(j.Headers, logsIn):
		return client.Secret{}, nil
	case j.APIKeyEnv != "" && key == "":
		wrong = "is empty or not set"
	case strings.ContainsFunc(key, unicode.IsControl):
		wrong = "contains a line break or another control character, so it is not a key"
	default:
		return client.NewSecret(key), nil
	}
	return client.Secret{}, &codeError{exitEndpoint, fmt.Errorf("judge %s: the environment variable %s %s", j.Model, env, wrong)}
}

// logsIn reports whether a header replaces the usual key.
func logsIn(p config.Param) bool {
	return strings.EqualFold(p.Name, "authorization") || strings.EqualFold(p.Name, "api-key")
}

// params replaces the names of environment variables in headers or query parameters by their values.
func (a *app) params(j *config.Judge, what string, list []config.Param) ([]client.Param, error) {
	var out []client.Param
	for _, p := range list {
		text, names := p.Expand(func(name string) string { return strings.TrimSpace(a.getenv(name)) })
		for _, name := range names {
			if a.getenv(name) == "" {
				return nil, &codeError{exitEndpoint,
					fmt.Errorf("judge %s: %s.%s: the environment variable %s is empty or not set", j.Model,
						what, p.Name, name)}
			}
		}
		out = append(out, client.Param{Name: p.Name, Value: client.NewSecret(text), Plain: len(names) == 0})
	}
	return out, nil
}

// redaction returns what to replace in prompts to a judge. It is nil if they stay in this
// process, or on this machine without redact_local. The patterns were checked when the
// configuration was read.
func redaction(c *config.Config, j *config.Judge) *judges.Redaction {
	away := func(base string) bool {
		u, err := url.Parse(base)
		return base != "" && (c.RedactLocal || err != nil || !onThisMachine(u.Hostname()))
	}
	if len(c.Redact) == 0 || !away(j.BaseURL) && !slices.ContainsFunc(j.Replicas, away) {
		return nil
	}
	r, err := judges.NewRedaction(c.Redact)
	if err != nil {
		panic("a pattern was not checked: " + err.Error())
	}
	return r
}

func onThisMachine(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || err == nil && addr.Unmap().IsLoopback()
}

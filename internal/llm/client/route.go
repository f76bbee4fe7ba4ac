package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"github.com/judgekit/judge/internal/llm"
)

// addReplicas makes the replicas of a client, one for each base URL.
func (c *Client) addReplicas(bases []*url.URL) {
	var secrets []string
	for _, u := range bases {
		secrets = append(secrets, c.endpoint.secrets(u.User)...)
	}
	redact := newRedactor(secrets...)
	transport := c.cfg.Transport
	if transport == nil && c.cfg.Sender == nil {
		transport = pool(c.endpoint.Concurrency)
	}
	for _, u := range bases {
		sender := c.cfg.Sender
		if sender == nil {
			w := &wire{
				config: openai.DefaultConfig(""), transport: transport, auth: authorization(c.endpoint.APIKey, u.User),
				headers: c.endpoint.Headers, query: c.endpoint.Query, maxReply: maxReplyBytes, redact: redact,
			}
			w.config.BaseURL = bareURL(u)
			sender = w
		}
		c.replicas = append(c.replicas, c.newReplica(bareURL(u), sender))
	}
}

// several reports whether there is more than one replica.
func (c *Client) several() bool { return len(c.replicas) > 1 }

// outages counts how often a replica was found not to answer.
func (c *Client) outages() (n int) {
	for _, r := range c.replicas {
		n += r.count()
	}
	return n
}

// others reports whether another replica works.
func (c *Client) others(r *replica) bool {
	return slices.ContainsFunc(c.replicas, func(o *replica) bool { return o != r && o.works() })
}

// ended reports whether no request is sent to any replica any more.
func (c *Client) ended() bool {
	return !slices.ContainsFunc(c.replicas, func(r *replica) bool { return !r.over() })
}

// nowhere reports whether nothing has ever listened at any replica.
func (c *Client) nowhere() bool {
	return !slices.ContainsFunc(c.replicas, func(r *replica) bool { return !r.unreached.Load() })
}

// mostHomes limits how many groups are remembered with their replica.
const mostHomes = 1 << 14

// route returns the replica for a request: the one of its group as long as that works, else the
// one with the fewest requests relative to its limit.
func (c *Client) route(group string) *replica {
	if !c.several() {
		return c.replicas[0]
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if home := c.homes[group]; home != nil && home.works() {
		return home
	}
	for other := range c.homes { // any: which conversation moves to another replica matters little
		if len(c.homes) < mostHomes {
			break
		}
		delete(c.homes, other)
	}
	c.homes[group] = c.idlest()
	return c.homes[group]
}

// idlest returns the working replica with the least to do; if none works, one that may come back.
func (c *Client) idlest() *replica {
	open := slices.DeleteFunc(slices.Clone(c.replicas), func(r *replica) bool { return !r.works() })
	if len(open) == 0 {
		open = slices.DeleteFunc(slices.Clone(c.replicas), (*replica).over)
	}
	if len(open) == 0 {
		return c.replicas[0]
	}
	return slices.MinFunc(open, func(a, b *replica) int { return cmp.Compare(a.limiter.load(), b.limiter.load()) })
}

// errElsewhere says that a request is to go to another replica.
var errElsewhere = errors.New("the replica stopped working")

// enter waits for a turn at the replica of the request's group, and returns it; each must
// be left.
func (c *Client) enter(ctx context.Context, req *llm.Prepared) (*replica, error) {
	if err := sleep(ctx, c.pacer.turn(req.Request, time.Now())); err != nil {
		return nil, err
	}
	for {
		r := c.route(req.Group)
		err := r.enter(ctx)
		switch {
		case err != nil && context.Cause(ctx) == nil && !c.ended():
			continue // to another replica, or to wait for one
		case err != nil:
			return r, err
		}
		if err := c.total.enter(ctx); err != nil {
			r.leave()
			return r, err
		}
		return r, nil
	}
}

// leave ends an attempt at a replica.
func (c *Client) leave(r *replica) {
	c.total.leave()
	r.leave()
}

// Limiting says what limits the rate of requests just now: one of the limits that were set, the
// endpoint, or, if no request waits, this machine.
func (c *Client) Limiting() string {
	in, waiting, limit, most := 0, 0, 0, c.endpoint.Concurrency
	for _, r := range c.replicas {
		if r.pause() > 0 {
			return "the wait that the endpoint named"
		}
		i, w, l := r.limiter.counts()
		in, waiting, limit = in+i, waiting+w, limit+l
	}
	switch by := c.pacer.limiting(time.Now()); {
	case by != "":
		return by
	case in >= most:
		return fmt.Sprintf("-j %d", most)
	case waiting > 0 && limit < most*len(c.replicas):
		return fmt.Sprintf("the endpoint, %d at once", min(limit, most))
	}
	return "this machine"
}

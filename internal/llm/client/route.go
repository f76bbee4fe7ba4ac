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

// addReplicas creates one replica for each base URL.
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

// outages returns how often replicas were found not to answer.
func (c *Client) outages() (n int) {
	for _, r := range c.replicas {
		n += r.count()
	}
	return n
}

// others reports whether any replica but r works.
func (c *Client) others(r *replica) bool {
	return slices.ContainsFunc(c.replicas, func(o *replica) bool { return o != r && o.works() })
}

// ended reports whether no more requests are sent to any replica.
func (c *Client) ended() bool {
	return !slices.ContainsFunc(c.replicas, func(r *replica) bool { return !r.over() })
}

// nowhere reports whether nothing has ever listened at any replica.
func (c *Client) nowhere() bool {
	return !slices.ContainsFunc(c.replicas, func(r *replica) bool { return !r.unreached.Load() })
}

// maxHomes limits for how many groups the replica is remembered.
const maxHomes = 1 << 14

// route returns the replica for a request: the one that its group used before, if it works, else
// the one with the fewest requests relative to its limit.
func (c *Client) route(group string) *replica {
	if !c.several() {
		return c.replicas[0]
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if home := c.homes[group]; home != nil && home.works() {
		return home
	}
	for other := range c.homes { // it hardly matters which conversation moves to another replica
		if len(c.homes) < maxHomes {
			break
		}
		delete(c.homes, other)
	}
	c.homes[group] = c.idlest()
	return c.homes[group]
}

// idlest returns the working replica with the least work; if none works, one that may come back.
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

// errElsewhere says that the request must go to another replica.
var errElsewhere = errors.New("the replica stopped working")

// enter waits for a slot at the replica for the request's group and returns the replica. The caller
// must leave it.
func (c *Client) enter(ctx context.Context, req *llm.Prepared) (*replica, error) {
	if err := sleep(ctx, c.pacer.turn(req.Request, time.Now())); err != nil {
		return nil, err
	}
	for {
		r := c.route(req.Group)
		err := r.enter(ctx)
		switch {
		case err != nil && context.Cause(ctx) == nil && !c.ended():
			continue // try another replica, or wait for one
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

// Limiting says what limits the rate of requests at the moment: a configured limit, the endpoint,
// or, if no request waits, this machine.
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

package client

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"github.com/judgekit/judge/internal/llm"
)

// replica is one of the servers of an endpoint: what sends to it, and what is known of it.
type replica struct {
	*monitor
	base   string // base URL without credentials
	sender llm.Sender
	wire   *wire // the sender where that is HTTP, else nil
	// unreached says that nothing has ever listened there; aside that its requests go to
	// others until it works again.
	unreached, aside atomic.Bool
}

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
		r := &replica{base: bareURL(u), sender: c.cfg.Sender}
		if r.sender == nil {
			r.wire = &wire{
				config: openai.DefaultConfig(""), transport: transport, auth: authorization(c.endpoint.APIKey, u.User),
				headers: c.endpoint.Headers, query: c.endpoint.Query, maxReply: maxReplyBytes, redact: redact,
			}
			r.wire.config.BaseURL = r.base
			r.sender = r.wire
		}
		r.monitor = newMonitor(c, r)
		c.replicas = append(c.replicas, r)
	}
	c.total = newGate(c.endpoint.Concurrency)
}

// redacted is a text without the endpoint's secrets.
func (r *replica) redacted(text string) string {
	if r.wire == nil {
		return text
	}
	return r.wire.redact.text(text)
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

// works reports whether requests go to the replica.
func (r *replica) works() bool {
	return !r.aside.Load() && r.is(func() bool { return r.state < down })
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

// setAside sends the requests of a replica to others, until a check finds that it works.
func (r *replica) setAside(req *llm.Request, why *llm.Error) {
	if !r.on() {
		return
	}
	r.aside.Store(true)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.doubt(req, why, true)
}

// mostHomes is how many groups are remembered with their replica.
const mostHomes = 1 << 14

// homes remembers to which replica the requests of a group go, for the newest groups.
type homes struct {
	mu   sync.Mutex
	seed maphash.Seed
	of   map[uint64]*replica
	ring []uint64
	next int
}

// route chooses the replica for a request: that of its group, as long as it works, else the
// one with the fewest requests for what it serves at once.
func (c *Client) route(group string) *replica {
	if !c.several() {
		return c.replicas[0]
	}
	h := &c.homes
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.of == nil {
		h.seed, h.of, h.ring = maphash.MakeSeed(), map[uint64]*replica{}, make([]uint64, mostHomes)
	}
	key := maphash.String(h.seed, group)
	home := h.of[key]
	if home != nil && home.works() {
		return home
	}
	best := c.idlest()
	if home == nil {
		delete(h.of, h.ring[h.next])
		h.ring[h.next] = key
		h.next = (h.next + 1) % len(h.ring)
	}
	h.of[key] = best
	return best
}

// idlest is the working replica with the least to do; where none works, the first whose
// end is not known.
func (c *Client) idlest() *replica {
	var best *replica
	least := 0.0
	for _, working := range []bool{true, false} {
		for _, r := range c.replicas {
			if working && !r.works() || r.over() {
				continue
			}
			in, waiting, limit := r.gate.counts()
			if load := float64(in+waiting) / float64(limit); best == nil || load < least {
				best, least = r, load
			}
		}
		if best != nil {
			return best
		}
	}
	return c.replicas[0]
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

// Limiting says what limits the rate of requests just now: one of the limits that were set,
// the endpoint, or, where nothing waits for it, this machine.
func (c *Client) Limiting() string {
	in, waiting, limit, most := 0, 0, 0, c.endpoint.Concurrency
	for _, r := range c.replicas {
		if r.pause() > 0 {
			return "the wait that the endpoint named"
		}
		i, w, l := r.gate.counts()
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

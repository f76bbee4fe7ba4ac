package queue

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

// state is a worker's report about itself, sent every second.
type state struct {
	Name   string   `json:"name"`
	Models []string `json:"models"`
	Busy   int      `json:"busy"`
	// Done and Failed count answers and failures since the worker began.
	Done   int `json:"done"`
	Failed int `json:"failed"`
	// Rate is the worker's answers per second, over the last ten seconds.
	Rate float64 `json:"rate"`
	// Problem is the worker's last failure; "" if there was none.
	Problem string `json:"problem,omitempty"`
}

const (
	// beat is the time between two reports of a worker.
	beat = time.Second
	// alive is the time without a report after which a worker counts as gone.
	alive = 4 * beat
)

// registry tracks the live workers.
type registry struct {
	mu   sync.Mutex
	seen map[string]seen
}

type seen struct {
	state
	at time.Time
}

func watch(conn *nats.Conn) (*registry, error) {
	r := &registry{seen: map[string]seen{}}
	_, err := conn.Subscribe("judge.worker.*", func(msg *nats.Msg) {
		var s state
		if json.Unmarshal(msg.Data, &s) == nil && s.Name != "" {
			r.mu.Lock()
			r.seen[s.Name] = seen{s, time.Now()}
			r.mu.Unlock()
		}
	})
	return r, err
}

// live returns the live workers, sorted by name.
func (r *registry) live() []state {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []state
	for _, name := range slices.Sorted(maps.Keys(r.seen)) {
		if s := r.seen[name]; time.Since(s.at) < alive {
			out = append(out, s.state)
		} else {
			delete(r.seen, name)
		}
	}
	return out
}

// String describes the workers in one phrase.
func (r *registry) String() string {
	list := r.live()
	if len(list) == 0 {
		return "no worker is connected"
	}
	rate, busy, failed := 0.0, 0, 0
	problem := ""
	for _, s := range list {
		rate, busy, failed = rate+s.Rate, busy+s.Busy, failed+s.Failed
		if s.Problem != "" {
			problem = ", last: " + s.Name + ": " + s.Problem
		}
	}
	text := fmt.Sprintf("%d workers, %d busy, %.1f/s", len(list), busy, rate)
	if len(list) == 1 {
		text = fmt.Sprintf("1 worker, %d busy, %.1f/s", busy, rate)
	}
	switch {
	case failed == 1:
		text += ", 1 error" + problem
	case failed > 1:
		text += fmt.Sprintf(", %d errors%s", failed, problem)
	}
	return text
}

// owner returns the one of the named workers that owns a partition of a model. If a worker comes or
// goes, only its own partitions change hands (rendezvous hashing).
func owner(names []string, model string, partition int) string {
	best, most := "", uint64(0)
	for _, name := range names {
		hash := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%d", name, model, partition))
		if weight := binary.BigEndian.Uint64(hash[:]); best == "" || weight > most {
			best, most = name, weight
		}
	}
	return best
}

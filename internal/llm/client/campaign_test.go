package client

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/judgekit/judge/internal/llm/llmtest"
)

// faults returns the failures that a retry can mend.
func faults() []llmtest.Reply {
	return []llmtest.Reply{
		llmtest.RateLimit(0), llmtest.RateLimit(-1), llmtest.Fail(500, "boom"), llmtest.Fail(503, "busy"),
		llmtest.HTMLError(502),
		llmtest.Reset(), llmtest.CutBody(`{"a":1}`), llmtest.BrokenJSON(), llmtest.NoChoices(), llmtest.Fail(200, "engine died"),
	}
}

// spoiled answers with one of the faults for the given share of requests, 0..1,
// and with ok for the others. The choice depends only on the seed, on the body,
// and on how many times the same body came before, so a retry may fare better.
func spoiled(seed uint64, share float64, ok llmtest.Handler, faults ...llmtest.Reply) llmtest.Handler {
	var mu sync.Mutex
	seen := map[[32]byte]uint64{}
	return func(c llmtest.Call) llmtest.Reply {
		sum := sha256.Sum256(c.Body)
		var buf [16]byte
		binary.LittleEndian.PutUint64(buf[:8], seed)
		mu.Lock()
		binary.LittleEndian.PutUint64(buf[8:], seen[sum])
		seen[sum]++
		mu.Unlock()
		h := sha256.Sum256(append(sum[:], buf[:]...))
		draw := float64(binary.LittleEndian.Uint64(h[:8])>>11) / (1 << 53)
		if len(faults) == 0 || draw >= share {
			return ok(c)
		}
		return faults[binary.LittleEndian.Uint64(h[8:16])%uint64(len(faults))]
	}
}

// echo answers with the last message, so that an answer shows whose it is.
func echo(c llmtest.Call) llmtest.Reply { return llmtest.Text(c.Last()) }

// campaign sends n requests through a server that spoils share of the attempts,
// and checks that each gets its own answer, once.
func campaign(t testing.TB, n int, share float64) {
	s := serve(t, spoiled(7, share, echo, faults()...))
	s.DropCalls()
	j := openJournal(t)
	c := client(t, Endpoint{BaseURL: s.URL, Concurrency: 64, MaxAttempts: 16},
		Config{Journal: j, FirstBackoff: 5 * time.Millisecond})
	var wg sync.WaitGroup
	var attempts atomic.Int64
	for i := range n {
		wg.Go(func() {
			r := request(fmt.Sprint("item ", i))
			res, err := c.Do(t.Context(), r)
			if err != nil {
				t.Error(err)
				return
			}
			attempts.Add(int64(res.Attempts))
			if res.Content != fmt.Sprint("item ", i) {
				t.Errorf("item %d got %q", i, res.Content)
			}
		})
	}
	wg.Wait()
	if got := j.Stats(); got.Records != n || got.Good != n || got.Damaged != 0 {
		t.Errorf("journal %+v", got)
	}
	if got := int64(s.Requests()); got != attempts.Load() || got < int64(float64(n)*(1+share/2)) {
		t.Errorf("%d requests for %d attempts and %d items", got, attempts.Load(), n)
	}
}

func TestFaultCampaign(t *testing.T) { campaign(t, 1000, 0.3) }

func BenchmarkFaultCampaign(b *testing.B) {
	for b.Loop() {
		campaign(b, 5000, 0.2)
	}
}

var _ http.RoundTripper = (*script)(nil)

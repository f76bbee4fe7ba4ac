package judges

import (
	lru "container/list"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"io"
	"iter"
	"math"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/judgekit/judge/internal/llm/client"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges/internal/judgetest"
	"github.com/judgekit/judge/judges/internal/prompt"
)

// blockBytes is the length of a block: 16 tokens of four bytes.
const blockBytes = 64

// prefixCache simulates how one inference engine reuses the work on a common beginning of
// prompts: whole blocks of tokens, found by the hash of everything up to their end, the least
// recently used dropped first. It is not safe for concurrent use.
type prefixCache struct {
	seed     maphash.Seed
	capacity int // in blocks, 0 for no bound
	blocks   map[uint64]*lru.Element
	used     *lru.List // of hashes, the latest in front
	// computed and asked count blocks over all prompts.
	computed, asked int64
}

// newPrefixCache makes a cache that holds at most capacity blocks; 0 sets no limit. Then computed
// is the number of nodes in the trie of all prompts, the least that any cache computes.
func newPrefixCache(capacity int) *prefixCache {
	return &prefixCache{seed: maphash.MakeSeed(), capacity: capacity, blocks: map[uint64]*lru.Element{},
		used: lru.New()}
}

// begin starts to compute a prompt, given as its parts, counts the blocks that are not in the
// cache, and returns the hashes of all its blocks. An incomplete last block is always computed.
func (c *prefixCache) begin(parts ...string) (blocks []uint64) {
	var h maphash.Hash
	h.SetSeed(c.seed)
	left := blockBytes
	for _, part := range parts {
		for len(part) > 0 {
			n := min(left, len(part))
			_, _ = h.WriteString(part[:n])
			part = part[n:]
			if left -= n; left == 0 {
				blocks, left = append(blocks, h.Sum64()), blockBytes
			}
		}
	}
	hits := 0
	for hits < len(blocks) && c.touch(blocks[hits]) {
		hits++
	}
	c.asked += int64(len(blocks)) + 1
	c.computed += int64(len(blocks)-hits) + 1
	return blocks
}

// touch reports whether a block is in the cache, and marks it as the latest used.
func (c *prefixCache) touch(hash uint64) bool {
	at, ok := c.blocks[hash]
	if ok {
		c.used.MoveToFront(at)
	}
	return ok
}

// end keeps the blocks of a prompt that has been computed. A test of an engine that shares
// blocks while they are computed calls it right after begin. The end of a prompt is dropped
// before its beginning.
func (c *prefixCache) end(blocks []uint64) {
	for i := len(blocks) - 1; i >= 0; i-- {
		if hash := blocks[i]; !c.touch(hash) {
			c.blocks[hash] = c.used.PushFront(hash)
		}
	}
	for c.capacity > 0 && len(c.blocks) > c.capacity {
		oldest := c.used.Back()
		delete(c.blocks, c.used.Remove(oldest).(uint64))
	}
}

func TestPrefixCache(t *testing.T) {
	a, b := strings.Repeat("a", 4*blockBytes), strings.Repeat("b", 2*blockBytes)
	c := newPrefixCache(0)
	steps := []struct {
		parts    []string
		computed int64 // in all, a part block for each prompt
	}{
		{[]string{a, b}, 7},       // six blocks and a part one
		{[]string{a, b}, 8},       // all there
		{[]string{a + b}, 9},      // in one part
		{[]string{a, "x", b}, 12}, // another block after the four common ones
		{[]string{b}, 15},         // the same text at another place is another prefix
		{[]string{"x" + a}, 20},
	}
	for i, s := range steps {
		c.end(c.begin(s.parts...))
		if c.computed != s.computed {
			t.Errorf("step %d: %d computed, want %d", i, c.computed, s.computed)
		}
	}
	// Two prompts at once share nothing.
	c = newPrefixCache(0)
	first, second := c.begin(a), c.begin(a)
	c.end(first)
	c.end(second)
	if c.computed != 10 {
		t.Errorf("%d computed of two at once, want 10", c.computed)
	}
	// A small cache keeps the beginnings of the latest prompts.
	c = newPrefixCache(4)
	c.end(c.begin(a + b))
	c.end(c.begin(a + b))
	if c.computed != 7+3 {
		t.Errorf("%d computed with room for four blocks, want 10", c.computed)
	}
}

// engines are servers with a prefix cache each, in virtual time, by host name "0", "1" …
type engines struct {
	mu     sync.Mutex
	caches []*prefixCache
	// bound counts the nodes of the trie of all prompts, whichever server they go to.
	bound *prefixCache
	// shares says that what is still being computed is shared; spread that requests go to
	// one server after the other.
	shares, spread bool
	n              int
	rng            *rand.Rand
}

// RoundTrip implements http.RoundTripper.
func (e *engines) RoundTrip(r *http.Request) (*http.Response, error) {
	var body struct{ Messages []Message }
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		return nil, err
	}
	var parts []string
	for _, m := range body.Messages {
		parts = append(parts, m.Role, m.Content)
	}
	e.mu.Lock()
	at, err := strconv.Atoi(r.URL.Host)
	if e.spread {
		at = e.n % len(e.caches)
	}
	e.n++
	e.bound.end(e.bound.begin(parts...))
	p := e.caches[at].begin(parts...)
	if e.shares {
		e.caches[at].end(p)
	}
	took := time.Duration((0.5 + e.rng.Float64()) * float64(time.Second))
	e.mu.Unlock()
	time.Sleep(took)
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.shares {
		e.caches[at].end(p)
	}
	answer := `{"explanation":"e","evidence":"NONE: nothing","output":1,"confidence":0.9,"correction":{}}`
	text := fmt.Sprintf(`{"choices":[{"message":{"content":%q},"finish_reason":"stop"}]}`, answer)
	return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(text)), ContentLength: -1}, err
}

// conversations makes conversations of the size of those of τ-bench: a dozen tools, calls
// with results between them.
func conversations(n int) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		rng := rand.New(rand.NewPCG(3, 4))
		var tools []transcript.Tool
		for i := range 12 {
			tools = append(tools, transcript.Tool{Name: fmt.Sprintf("tool_%d", i),
				Description: strings.Repeat("changes an order of the customer ", 10)})
		}
		words := func(n int) string {
			var b strings.Builder
			for range n {
				fmt.Fprintf(&b, "word%d ", rng.IntN(5000))
			}
			return b.String()
		}
		for k := range n {
			c := &Conversation{ID: fmt.Sprint("c", k), Tools: tools}
			add := func(m transcript.Message) { c.Messages = append(c.Messages, m) }
			add(transcript.Message{Role: transcript.User, Content: words(80)})
			for i := range 4 + rng.IntN(8) {
				args := value.OfObject(value.Member{Key: "order", Value: value.OfString(words(2))})
				c.Calls = append(c.Calls, transcript.Call{ID: fmt.Sprint(i), Name: "tool_1", Arguments: args,
					RawArguments: args.JSON(), Message: len(c.Messages), Result: len(c.Messages) + 1})
				add(transcript.Message{Role: transcript.Assistant, Calls: []int{i}})
				add(transcript.Message{Role: transcript.ToolRole, Content: words(120)})
				if rng.IntN(2) == 0 {
					add(transcript.Message{Role: transcript.Assistant, Content: words(40)})
					add(transcript.Message{Role: transcript.User, Content: words(30)})
				}
			}
			if !yield(Item{Conversation: c}, nil) {
				return
			}
		}
	}
}

// efficiency judges conversations with 64 requests in flight, and returns what the engines
// compute for each block of the trie of all prompts, which is the least possible, and the
// size of that trie. The sizes of all prompts are in e.bound.asked.
func efficiency(t *testing.T, cfg Config, e *engines, replicas, capacity int) (ratio float64, trie int) {
	synctest.Test(t, func(t *testing.T) {
		e.bound, e.rng = newPrefixCache(0), rand.New(rand.NewPCG(1, 2))
		endpoint := client.Endpoint{BaseURL: "http://0/v1", Concurrency: 64, Fixed: true}
		for i := range replicas {
			e.caches = append(e.caches, newPrefixCache(capacity/replicas))
			if i > 0 && !e.spread {
				endpoint.Replicas = append(endpoint.Replicas, fmt.Sprintf("http://%d/v1", i))
			}
		}
		c, err := client.New(endpoint, client.Config{Transport: e})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		cfg.Model, cfg.Concurrency, cfg.Prompt.RunKey = "m", client.Workers(64), []byte("k")
		j, err := New(c, cfg)
		if err != nil {
			t.Fatal(err)
		}
		judged := 0
		err = Run(t.Context(), []*Judge{j}, conversations(60), RunConfig{ShuffleSeed: 1, MaxBytes: 4 << 20},
			func(o *Outcome) error {
				judged += len(o.Results)
				return nil
			})
		if err != nil || judged < 60*4*4 || e.bound.computed == 0 {
			t.Fatalf("%d judgements of 60 conversations, at least 4 calls and 4 rubrics each: %v", judged, err)
		}
		computed := int64(0)
		for _, c := range e.caches {
			computed += c.computed
		}
		ratio, trie = float64(computed)/float64(e.bound.computed), int(e.bound.computed)
	})
	return ratio, trie
}

// shared is, by layout, the share of all prompt tokens that is in the trie of all prompts. It
// grows if prompts have less in common: by a word that is another one in each, say.
var shared = map[prompt.Layout]float64{prompt.RubricFirst: 0.098, "named-rubrics": 0.016, "conversation-first": 0.331}

// TestComputedTokens: what --dry-run says a server with a prefix cache computes is about what
// the simulated cache computes.
func TestComputedTokens(t *testing.T) {
	for _, layout := range prompt.Layouts() {
		cfg := Config{Model: "m", Prompt: Options{Layout: layout, RunKey: []byte("k")}}
		j, err := New(judgetest.Replies(""), cfg)
		if err != nil {
			t.Fatal(err)
		}
		cache, prefixes, tokens, computed := newPrefixCache(0), &Prefixes{}, 0, 0.0
		for item := range conversations(60) {
			j.Fits(item.Conversation, prefixes, func(f *Fit) bool {
				tokens, computed = tokens+f.Tokens, computed+f.Computed
				return true
			})
			j.prompts(item.Conversation, func(messages []Message) {
				var parts []string
				for _, m := range messages {
					parts = append(parts, m.Role, m.Content)
				}
				cache.end(cache.begin(parts...))
			})
		}
		got, want := computed/float64(tokens), float64(cache.computed)/float64(cache.asked)
		t.Logf("%s: %.4f of all tokens are computed by estimate, %.4f by the simulated cache", layout, got, want)
		if !(math.Abs(got-want) < want/10) {
			t.Errorf("%s: the estimate is too far off", layout)
		}
	}
}

// TestPrefixEfficiency: with 64 requests in flight engines with warm caches compute at most
// 1.05 times the least possible on one server and 1.10 times on four. A cache that holds a
// twentieth of all prefixes is enough with the usual layout; with the others, whose tries are
// smaller or depend on the order in which requests happen to start, it may cost 1.10. With pilots 1.2 times where a prefix is shared only once it is
// computed. The least possible is held too.
func TestPrefixEfficiency(t *testing.T) {
	if testing.Short() {
		t.Skip("judges some thousand calls in virtual time")
	}
	for _, layout := range prompt.Layouts() {
		usual := Config{Prompt: Options{Layout: layout}}
		pilots := usual
		pilots.Pilot = true
		one := &engines{shares: true}
		ample, trie := efficiency(t, usual, one, 1, 0)
		small, _ := efficiency(t, usual, &engines{shares: true}, 1, trie/20)
		four, _ := efficiency(t, usual, &engines{shares: true}, 4, 0)
		robin, _ := efficiency(t, usual, &engines{shares: true, spread: true}, 4, 0)
		late, _ := efficiency(t, usual, &engines{}, 1, 0)
		piloted, _ := efficiency(t, pilots, &engines{}, 1, 0)
		t.Logf("%s: trie of %d blocks; ample cache %.2f, a twentieth %.2f; four replicas %.2f, in turns %.2f; "+
			"shared once computed %.2f, with pilots %.2f", layout, trie, ample, small, four, robin, late, piloted)
		// A ratio of nothing is NaN, and no bound holds it.
		tight := 1.10
		if layout == prompt.RubricFirst {
			tight = 1.05
		}
		if !(ample <= 1.05 && small <= tight && four <= 1.10 && piloted <= 1.2 && piloted <= late) {
			t.Errorf("%s: more is computed than should be", layout)
		}
		if least := float64(trie) / float64(one.bound.asked); !(least <= 1.05*shared[layout]) {
			t.Errorf("%s: at least %.4f of all prompt tokens are computed, want %.4f", layout, least, shared[layout])
		}
		if !(robin >= 1.1) {
			t.Errorf("%s: in turns %.2f: the comparison shows nothing", layout, robin)
		}
	}
}

package run

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/client"
	"github.com/judgekit/judge/internal/llm/llmtest"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/judges"
)

// fault is one way in which an endpoint fails, and what a judgement is called that
// ends with it. A harmless one is an odd form of a good answer; a quick one comes
// before the model has worked.
type fault struct {
	name            string
	kind            string
	harmless, quick bool
	reply           func(answer string) llmtest.Reply
}

func fixed(r llmtest.Reply) func(string) llmtest.Reply {
	return func(string) llmtest.Reply { return r }
}

// campaignFaults are drawn from with equal chance.
func campaignFaults() []fault {
	limited := llmtest.RateLimit(-1)
	limited.Header = map[string]string{"Retry-After": "0.02"}
	half := func(answer string) string { return answer[:len(answer)/2] }
	return []fault{
		{"429 with Retry-After", judges.KindTransport, false, true, fixed(limited)},
		{"500", judges.KindTransport, false, true, fixed(llmtest.Fail(500, "boom"))},
		{"503", judges.KindTransport, false, true, fixed(llmtest.Fail(503, "busy"))},
		{"reset", judges.KindTransport, false, true, fixed(llmtest.Reset())},
		{"hang", judges.KindTransport, false, false, fixed(llmtest.Hang())},
		{"cut body", judges.KindTransport, false, false, llmtest.CutBody},
		{"invalid JSON", judges.KindInvalidJSON, false, false, func(a string) llmtest.Reply { return llmtest.Text(half(a)) }},
		{"schema violation", judges.KindSchemaViolation, false, false, func(string) llmtest.Reply { return llmtest.Text(campaignAnswer(0, 7)) }},
		{"fence", "", true, false, func(a string) llmtest.Reply {
			return llmtest.Text("Here is my assessment:\n```json\n" + a + "\n```\n")
		}},
		{"thinking", "", true, false, func(a string) llmtest.Reply {
			return llmtest.Text("<think>output 3? {\"output\":3} no</think>\n\n" + a)
		}},
		{"length", judges.KindTruncated, false, false, func(a string) llmtest.Reply { return llmtest.Length(half(a)) }},
		{"empty", judges.KindInvalidJSON, false, false, fixed(llmtest.Text(""))},
	}
}

// campaignSlots is the number of requests in flight.
const campaignSlots = 64

func campaignAnswer(item, output int) string {
	return fmt.Sprintf(`{"explanation":"Order %d is the one.","evidence":"NONE: nothing is quoted","output":%d,"confidence":1,"correction":{}}`, item, output)
}

func campaignOutput(item int) int { return 1 + item%5 }

// campaign answers every item with an output of its own, and spoils a share of the
// replies.
type campaign struct {
	share float64
	delay time.Duration

	mu      sync.Mutex
	replies map[int][]string // by item: the names of the faults, "" for a good answer
}

var orderNumber = regexp.MustCompile(`Cancel order (\d+)\.`)

func (c *campaign) handle(call llmtest.Call) llmtest.Reply {
	found := orderNumber.FindSubmatch(call.Body)
	if found == nil {
		return llmtest.Fail(400, "no item in the request")
	}
	item, err := strconv.Atoi(string(found[1]))
	if err != nil {
		return llmtest.Fail(400, "no number")
	}
	answer := campaignAnswer(item, campaignOutput(item))
	c.mu.Lock()
	defer c.mu.Unlock()
	sum := sha256.Sum256(fmt.Appendf(nil, "campaign %d %d", item, len(c.replies[item])))
	draw := float64(binary.LittleEndian.Uint64(sum[:8])>>11) / (1 << 53)
	name, reply, delay := "", llmtest.Text(answer), c.delay
	if draw < c.share {
		faults := campaignFaults()
		f := faults[binary.LittleEndian.Uint64(sum[8:16])%uint64(len(faults))]
		name, reply = f.name, f.reply(answer)
		if f.quick {
			delay = 0
		}
	}
	c.replies[item] = append(c.replies[item], name)
	// A prompt of so few tokens for its bytes would be taken for one that was cut.
	reply.Body = strings.Replace(reply.Body, `"prompt_tokens":100,`, fmt.Sprintf(`"prompt_tokens":%d,`, len(call.Body)/4), 1)
	return reply.After(delay)
}

// campaignOutcome is what is measured in one campaign.
type campaignOutcome struct {
	seconds, busy      float64 // busy is the share of all slots in use, over time
	requests, unscored int
	faults             map[string]int
}

// runCampaign judges n items against an endpoint that spoils share of its replies,
// and checks that none of them ends wrong: each is scored with its own output, or
// unscored with the kind of the failure that ended it, and is asked for again only
// after a failure.
func runCampaign(tb testing.TB, n int, share float64, delay, timeout time.Duration) campaignOutcome {
	tb.Helper()
	c := &campaign{share: share, delay: delay, replies: map[int][]string{}}
	s := llmtest.Start(c.handle)
	defer s.Close()
	s.DropCalls()
	p := campaignPlan(tb, s.URL, n, timeout)
	dir := tb.TempDir()
	start := time.Now()
	out, err := executeSetup(tb.Context(), p, dir, false, Observer{})
	if err != nil {
		tb.Fatal(err)
	}
	result := campaignOutcome{seconds: time.Since(start).Seconds(), requests: s.Requests(), faults: map[string]int{}}
	result.busy = s.InFlight() / (campaignSlots * result.seconds)
	kinds := map[string]fault{}
	for _, f := range campaignFaults() {
		kinds[f.name] = f
	}
	seen := map[int]bool{}
	for sc, err := range directory.Scores(dir) {
		if err != nil {
			tb.Fatal(err)
		}
		if sc.Source != score.Judge {
			continue
		}
		item, err := strconv.Atoi(sc.ConversationID[1:])
		if err != nil || seen[item] {
			tb.Fatalf("item %q twice, or %v", sc.ConversationID, err)
		}
		seen[item] = true
		if !endedRight(tb, item, &sc, c.replies[item], kinds) {
			result.unscored++
		}
		for _, name := range c.replies[item] {
			result.faults[name]++
		}
	}
	if len(seen) != n || out.Wanted != n || out.Scored != n-result.unscored {
		tb.Errorf("%d items of %d; %d wanted, %d scored, %d unscored", len(seen), n, out.Wanted, out.Scored, result.unscored)
	}
	if share > 0 {
		resumeCampaign(tb, c, s, p, dir)
	}
	return result
}

func campaignPlan(tb testing.TB, base string, n int, timeout time.Duration) setup {
	p := shortPlan(tb, base, "campaign", shortLog(n, ""))
	j := &p.Judges[0]
	j.Config.Transport, j.Config.MaxRepairs = llm.JSONSchema, 2
	j.Endpoint = client.Endpoint{BaseURL: base, Concurrency: campaignSlots, Timeout: timeout}
	return p
}

// endedRight checks one item against what the endpoint replied, and reports whether
// it was scored.
func endedRight(tb testing.TB, item int, s *score.Score, replies []string, kinds map[string]fault) bool {
	tb.Helper()
	bad := func(name string) bool { return name != "" && !kinds[name].harmless }
	if len(replies) == 0 {
		tb.Errorf("item %d was never asked for", item)
		return false
	}
	last := replies[len(replies)-1]
	for _, name := range replies[:len(replies)-1] {
		if !bad(name) {
			tb.Errorf("item %d was asked for again after a good answer: %q", item, replies)
		}
	}
	// Five attempts for each of the first request, two repairs and a longer try.
	if len(replies) > 4*client.DefaultMaxAttempts {
		tb.Errorf("item %d took %d requests", item, len(replies))
	}
	switch {
	case s.Status == score.Scored && !bad(last) && s.Value != nil && int(*s.Value) == campaignOutput(item):
		return true
	case s.Status == score.Unscored && bad(last) && s.Value == nil && s.Error != nil && s.Error.Kind == kinds[last].kind:
		return false
	}
	tb.Errorf("item %d after %q: status %s, value %v, error %v", item, replies, s.Status, s.Value, s.Error)
	return false
}

// resumeCampaign resumes with an endpoint that is well again: only what never got a
// reply is asked for.
func resumeCampaign(tb testing.TB, c *campaign, s *llmtest.Server, p setup, dir string) {
	tb.Helper()
	lost := map[string]bool{}
	for sc, err := range directory.Scores(dir) {
		if err != nil {
			tb.Fatal(err)
		}
		if sc.Error != nil && sc.Error.Kind == judges.KindTransport {
			lost[sc.ConversationID] = true
		}
	}
	c.mu.Lock()
	c.share = 0
	c.mu.Unlock()
	before := s.Requests()
	if _, err := executeSetup(tb.Context(), p, dir, true, Observer{}); err != nil {
		tb.Fatal(err)
	}
	if got := s.Requests() - before; got != len(lost) {
		tb.Errorf("the resumed run sent %d requests, want one for each of %d lost judgements", got, len(lost))
	}
	for sc, err := range directory.Scores(dir) {
		if err != nil {
			tb.Fatal(err)
		}
		if lost[sc.ConversationID] && sc.Source == score.Judge && sc.Status != score.Scored {
			tb.Errorf("%s is still %s", sc.ConversationID, sc.Status)
		}
	}
}

func TestFaultCampaign(t *testing.T) {
	got := runCampaign(t, 600, 0.3, 5*time.Millisecond, 10*time.Second)
	if len(got.faults) != len(campaignFaults())+1 {
		t.Errorf("only these faults came: %v", got.faults)
	}
	t.Logf("600 items, %d requests, %d unscored, %.1f s", got.requests, got.unscored, got.seconds)
}

// BenchmarkFaultCampaign judges 5,000 items with 30 % faults and without, on an
// endpoint that takes 250 ms; a hang costs four times as much. The ratio of the wall times is what the faults cost
// beyond the successful requests.
func BenchmarkFaultCampaign(b *testing.B) {
	const n, delay, timeout = 5000, 250 * time.Millisecond, time.Second
	for b.Loop() {
		clean := runCampaign(b, n, 0, delay, timeout)
		faulty := runCampaign(b, n, 0.3, delay, timeout)
		b.ReportMetric(faulty.seconds/clean.seconds, "wall-ratio")
		b.ReportMetric(faulty.busy, "slots-busy")
		b.ReportMetric(faulty.seconds, "s-faulty")
		b.ReportMetric(clean.seconds, "s-clean")
		b.ReportMetric(float64(faulty.requests), "requests")
		b.ReportMetric(float64(faulty.unscored), "unscored")
	}
}

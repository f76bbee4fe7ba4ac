package scoreset_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report/scoreset"
)

// entry is one score as it is put and as it is read.
type entry struct {
	conversation string
	call         int32
	tool         string
	column       int
	value        float64
}

// read gives everything that a set holds, in its own order.
func read(s *scoreset.Set, columns []*scoreset.Column) []entry {
	var out []entry
	of := func(i scoreset.Item, tool string) {
		for k, c := range columns {
			if cell := c.At(i); cell.Has(scoreset.Met) {
				out = append(out, entry{s.Conversation(i.Conversation), i.Call, tool, k, cell.Value})
			}
		}
	}
	s.EachConversation(func(conversation scoreset.Item, calls []scoreset.Item) {
		of(conversation, "")
		for _, i := range calls {
			of(i, s.Tools()[i.Tool])
		}
	})
	return out
}

func fill(t testing.TB, entries []entry, columns int) (*scoreset.Set, []*scoreset.Column) {
	t.Helper()
	s, list := scoreset.New(), make([]*scoreset.Column, columns)
	for i := range list {
		list[i] = scoreset.NewColumn(i%2 == 1)
	}
	for _, e := range entries {
		item, err := s.Add(e.conversation, e.call, e.tool)
		if err != nil {
			t.Fatal(err)
		}
		list[e.column].Put(item, scoreset.NewCell(&e.value, nil, 0))
	}
	s.Settle()
	return s, list
}

// Whatever the order in which scores come, the set reads out the same, sorted by
// conversation and call, with the least of several values for one item.
func TestOrderDoesNotMatter(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		var entries []entry
		wanted := map[entry]float64{}
		for range random.IntN(400) {
			// Columns over calls are even, those over conversations odd.
			e := entry{conversation: fmt.Sprint("c", random.IntN(30)), column: random.IntN(4), call: -1}
			if e.column%2 == 0 {
				e.call = int32(random.IntN(9))
				e.tool = fmt.Sprint("tool", e.call%3)
			}
			value := float64(random.IntN(5))
			if old, ok := wanted[e]; !ok || value < old {
				wanted[e] = value
			}
			e.value = value
			entries = append(entries, e)
		}
		var want []entry
		for e, value := range wanted {
			e.value = value
			want = append(want, e)
		}
		slices.SortFunc(want, func(x, y entry) int {
			return cmp.Or(cmp.Compare(x.conversation, y.conversation), cmp.Compare(x.call, y.call), cmp.Compare(x.column, y.column))
		})
		for range 2 {
			random.Shuffle(len(entries), func(i, j int) { entries[i], entries[j] = entries[j], entries[i] })
			if diff := gocmp.Diff(want, read(fill(t, entries, 4)), gocmp.AllowUnexported(entry{})); diff != "" {
				t.Fatal(diff)
			}
		}
	}
}

// A column keeps its values through every form it takes: few, many, and more
// different ones than fit in two bytes.
func TestColumnForms(t *testing.T) {
	const items = 70_000
	for _, different := range []int{1, 255, 256, 257, 65_535, 65_536, items} {
		s, c := scoreset.New(), scoreset.NewColumn(false)
		value := func(i int) float64 { return float64(i%different) / 3 }
		for i := range items {
			item, err := s.Add("c", int32(i), "t")
			if err != nil {
				t.Fatal(err)
			}
			v := value(i)
			if c.Put(item, scoreset.NewCell(&v, nil, scoreset.HasVerdict)) {
				t.Fatalf("%d different: item %d was dropped", different, i)
			}
		}
		s.Settle()
		s.EachCall(func(i scoreset.Item) {
			if got := c.At(i); got.Value != value(int(i.Call)) || !got.Has(scoreset.HasVerdict) || got.Verdict() != 0 || !math.IsNaN(got.Confidence()) {
				t.Fatalf("%d different: item %d has %+v", different, i.Call, got)
			}
		})
		if c.Len() != items || s.Calls() != items || s.Conversations() != 1 {
			t.Errorf("%d different: %d cells, %d calls, %d conversations", different, c.Len(), s.Calls(), s.Conversations())
		}
	}
}

func TestCell(t *testing.T) {
	value, sure, wrong := 4.0, 0.12345, 1.5
	if c := scoreset.NewCell(nil, nil, scoreset.Failed); c.Has(scoreset.HasValue) || !c.Has(scoreset.Met) || !math.IsNaN(c.Verdict()) {
		t.Errorf("a failed score: %+v", c)
	}
	if c := scoreset.NewCell(&value, &sure, scoreset.HasVerdict|scoreset.Passed); c.Verdict() != 1 || math.Abs(c.Confidence()-sure) > 1e-4 {
		t.Errorf("a pass: %+v with confidence %v", c, c.Confidence())
	}
	if c := scoreset.NewCell(&value, &wrong, 0); !math.IsNaN(c.Confidence()) {
		t.Errorf("a confidence outside its range is %v", c.Confidence())
	}
	if c := (scoreset.Cell{}); c.Has(scoreset.Met) || !math.IsNaN(c.Confidence()) {
		t.Errorf("nothing said: %+v", c)
	}
}

// A score is put and read in a few bytes: 8 columns over calls, two calls a
// conversation.
func BenchmarkMemory(b *testing.B) {
	const conversations, columns = 100_000, 8
	var before, after runtime.MemStats
	for b.Loop() {
		runtime.GC()
		runtime.ReadMemStats(&before)
		s := scoreset.New()
		list := make([]*scoreset.Column, columns)
		for i := range list {
			list[i] = scoreset.NewColumn(false)
		}
		for i := range conversations {
			id := fmt.Sprintf("conversation-%07d", i)
			for call := range int32(2) {
				item, err := s.Add(id, call, "tool")
				if err != nil {
					b.Fatal(err)
				}
				for k, c := range list {
					v := float64((i + k) % 5)
					c.Put(item, scoreset.NewCell(&v, &v, 0))
				}
			}
		}
		s.Settle()
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/conversations, "B/conversation")
		runtime.KeepAlive(s)
		runtime.KeepAlive(list)
	}
}

func TestConversationTools(t *testing.T) {
	s := scoreset.New()
	add := func(conversation string, call int32, tool string) scoreset.Item {
		item, err := s.Add(conversation, call, tool)
		if err != nil {
			t.Fatal(err)
		}
		return item
	}
	s.Mention(add("b", -1, ""), "pay")
	add("b", 0, "find")
	add("b", 1, "find")
	add("a", 0, "zap")
	add("a", 0, "")    // an instrument that does not say which tool
	add("a", 0, "cut") // the same call under two names: both count
	add("a", 0, "zap")
	s.Mention(add("c", -1, ""), "pay")
	s.Mention(add("c", -1, ""), "pay")
	add("d", -1, "")
	s.Settle()
	got := map[string][]string{}
	s.EachConversationTools(func(c scoreset.Item, tools []uint32) {
		names := []string{}
		for _, tool := range tools {
			names = append(names, s.Tools()[tool])
		}
		got[s.Conversation(c.Conversation)] = names
	})
	want := map[string][]string{"a": {"cut", "zap"}, "b": {"find", "pay"}, "c": {"pay"}, "d": {}}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

package window

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/llm"
)

// history returns lines of these lengths, in bytes of ASCII.
func history(lengths ...int) *History {
	h := &History{UpTo: []Size{{}}, Cuts: make([]int, len(lengths)+1)}
	for i, n := range lengths {
		h.UpTo = append(h.UpTo, h.UpTo[i].Plus(Size{ASCII: n}))
	}
	return h
}

// TestSegments: each segment has as many lines as have room beside the head and its gaps, and
// lines of the one before only if they take little and leave room for the next.
func TestSegments(t *testing.T) {
	r := &Record{
		Frame: Size{ASCII: 50}, Tools: func(Inventory) Size { return Size{} }, FirstUser: -1,
		Lines: 10, Must: []int{9, 8, 2, 3, 4, 5, 6, 7}, Whole: history(50, 50, 20, 20, 272, 90, 90, 90, 90, 50),
	}
	limit := Limit{BytesPerToken: 1}
	type segment struct {
		From, To int
		Kept     []int
		Tokens   float64
	}
	got := func(head []int, room float64) (out []segment) {
		for _, s := range limit.Segments(r, head, room) {
			out = append(out, segment{s.From, s.To, s.Kept, s.Tokens})
		}
		return out
	}
	const room = 50 + 3*Gap + 100 + 2*Gap + 290 // frame, gaps, head with its gaps, lines
	if diff := cmp.Diff([]segment{
		{2, 4, []int{0, 1, 2, 3}, 50 + 3*Gap + 140}, {4, 5, []int{0, 1, 4}, 50 + 3*Gap + 372},
		{5, 8, []int{0, 1, 5, 6, 7}, 50 + 3*Gap + 370}, {8, 10, []int{0, 1, 8, 9}, 50 + 3*Gap + 240},
	}, got([]int{0, 1}, room)); diff != "" {
		t.Error(diff)
	}
	// Without a head there is more room for lines, and for those of the segment before.
	if diff := cmp.Diff([]segment{
		{2, 5, []int{2, 3, 4}, 50 + 3*Gap + 312}, {5, 9, []int{5, 6, 7, 8}, 50 + 3*Gap + 360}, {9, 10, []int{9}, 50 + 3*Gap + 50},
	}, got(nil, 50+3*Gap+370)); diff != "" {
		t.Error(diff)
	}
	if list := got(nil, 50+3*Gap+271); list != nil {
		t.Errorf("a line of 272 bytes fits nowhere: %v", list)
	}
}

// TestMeasure: how a server counts is taken from two short prompts, so that an honest server is
// never said to cut.
func TestMeasure(t *testing.T) {
	const template, perByte = 40, 4
	overflow := &llm.Error{Kind: llm.KindOverflow, Message: "maximum context length is 5000 tokens"}
	for name, tt := range map[string]struct {
		count func(n int) (int, error)
		want  Found
	}{
		"honest":        {func(n int) (int, error) { return n, nil }, Found{Longest: 8800}},
		"cuts":          {func(n int) (int, error) { return min(n, 4096), nil }, Found{Longest: 8800, Cut: true, Window: 4096}},
		"cuts to half":  {halved, Found{Longest: 8800, Cut: true, Window: 7782}},
		"refuses":       {func(n int) (int, error) { return n, errorIf(n > 5000, overflow) }, Found{Longest: 8800, Refused: true, Window: 5000}},
		"counts no one": {func(int) (int, error) { return 0, nil }, Found{}},
		"counts alike":  {func(int) (int, error) { return 100, nil }, Found{}},
	} {
		var lock sync.Mutex
		var asked []int
		got, err := Measure(t.Context(), func(_ context.Context, prompt string) (int, error) {
			lock.Lock()
			defer lock.Unlock()
			asked = append(asked, len(prompt))
			return tt.count(template + len(prompt)/perByte)
		}, 8000)
		slices.Sort(asked)
		if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v, prompts of %v bytes: %s", name, err, asked, diff)
		}
	}
	broken := errors.New("broken")
	if _, err := Measure(t.Context(), func(context.Context, string) (int, error) { return 0, broken }, 8000); !errors.Is(err, broken) {
		t.Errorf("another failure is %v", err)
	}
}

// halved counts like a server that cuts what exceeds its 8192 tokens to 4096.
func halved(n int) (int, error) {
	if n > 8192 {
		n = 4096
	}
	return n, nil
}

// TestNarrower: a window that the messages with their answer exceed counts; else a quarter less
// than they take is tried.
func TestNarrower(t *testing.T) {
	limit := Limit{Answer: 100, BytesPerToken: 1}
	messages := []llm.Message{{Content: string(make([]byte, 300-MessageTokens))}} // need: 400
	for named, want := range map[int]int{0: 300, 399: 399, 400: 300, 1000: 300} {
		if got := limit.Narrower(messages, named); got != want {
			t.Errorf("%d named: %d, want %d", named, got, want)
		}
	}
}

func errorIf(when bool, err error) error {
	if when {
		return err
	}
	return nil
}

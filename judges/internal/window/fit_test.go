package window

import (
	"context"
	"errors"
	"fmt"
	"iter"
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
			if float64(s.Bytes) != s.Tokens || s.Full != 50+822 {
				t.Errorf("segment of %d bytes: %v tokens at one byte each, %v in all", s.Bytes, s.Tokens, s.Full)
			}
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
	second := func(_ context.Context, prompt string) (int, error) {
		if len(prompt) > 2*shortSize {
			return 0, broken
		}
		return 100, nil
	}
	if _, err := Measure(t.Context(), second, 8000); !errors.Is(err, broken) {
		t.Errorf("a failure of the second prompt is %v", err)
	}
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

// TestFit: a message that is too long is shortened in one order: tools, results, messages, the calls
// beside it, all tools.
func TestFit(t *testing.T) {
	tools := []int{400, 200, 50, 0}
	whole := history(30, 100, 500, 20)
	cut := func(n int) func() *History {
		h := history(30, 100, n, 20)
		h.Cuts, h.MaxResult = []int{0, 0, 0, 1, 1}, n
		return func() *History { return h }
	}
	record := func() *Record {
		return &Record{
			Frame: Size{ASCII: 50}, Markers: Size{ASCII: 10}, Siblings: Size{ASCII: 40}, Lines: 4, Before: 4, FirstUser: 0, Must: []int{3},
			Tools: func(how Inventory) Size { return Size{ASCII: tools[how]} }, Whole: whole, Cut: []func() *History{cut(200), cut(100)},
			Related: func() iter.Seq[int] { return slices.Values([]int{1, 2}) }, KeepLast: 1,
		}
	}
	const all = 50 + 40 + 400 + 650
	for _, tt := range []struct {
		room float64
		want string
	}{
		{all, "tools 0, cut to 0, kept all, siblings true, 1140 tokens of 1140, prefix 1060, shortened {false 0 0 false}"},
		{all - 1, "tools 1, cut to 0, kept all, siblings true, 940 tokens of 1140, prefix 0, shortened {true 0 0 false}"},
		{all - 201, "tools 1, cut to 200, kept all, siblings true, 640 tokens of 1140, prefix 0, shortened {true 1 0 false}"},
		{639, "tools 1, cut to 100, kept all, siblings true, 540 tokens of 1140, prefix 0, shortened {true 1 0 false}"},
		{539, "tools 1, cut to 100, kept [0 1 3], siblings true, 504 tokens of 1140, prefix 0, shortened {true 0 0 true}"},
		{460, "tools 1, cut to 100, kept [0 3], siblings true, 388 tokens of 1140, prefix 0, shortened {true 0 0 true}"},
		{345, "tools 1, cut to 100, kept [3], siblings true, 342 tokens of 1140, prefix 0, shortened {true 0 0 true}"},
		{341, "tools 2, cut to 100, kept [0 1 3], siblings false, 314 tokens of 1140, prefix 0, shortened {true 0 0 true}"},
		{151, "tools 3, cut to 100, kept [0 3], siblings false, 148 tokens of 1140, prefix 0, shortened {true 0 0 true}"},
		{101, "too long"},
	} {
		s := Limit{BytesPerToken: 1}.Fit(record(), tt.room)
		kept := "all"
		if s.Kept != nil {
			kept = fmt.Sprint(s.Kept)
		}
		got := fmt.Sprintf("tools %d, cut to %d, kept %s, siblings %v, %v tokens of %v, prefix %v, shortened %v",
			s.Tools, s.History.MaxResult, kept, s.Siblings, s.Tokens, s.Full, s.Prefix, s.Shortened)
		if s.TooLong {
			got = "too long"
		}
		if got != tt.want {
			t.Errorf("room for %v:\n got %s\nwant %s", tt.room, got, tt.want)
		}
	}
}

// TestFitKeepsNearLines: of what a call refers to as many lines are kept as have room, the nearest first.
func TestFitKeepsNearLines(t *testing.T) {
	whole := history(100, 100, 100, 100, 100, 100) // no result in it can be cut
	record := &Record{
		Frame: Size{ASCII: 50}, Lines: 6, Before: 6, FirstUser: -1, Must: []int{5}, KeepLast: 1,
		Tools: func(Inventory) Size { return Size{} }, Whole: whole, Cut: []func() *History{func() *History { return whole }},
		Related: func() iter.Seq[int] { return slices.Values([]int{3, 1, 2, 0}) },
	}
	for kept, want := range map[int][]int{1: {5}, 2: {3, 5}, 3: {1, 3, 5}, 4: {1, 2, 3, 5}} {
		// A gap stands before each kept line that does not follow the one before.
		s := Limit{BytesPerToken: 1}.Fit(record, float64(50+100*kept)+6*Gap)
		if diff := cmp.Diff(want, s.Kept); diff != "" {
			t.Errorf("room for %d lines: %s", kept, diff)
		}
	}
}

// TestFitKeepsLastLines: the lines just before the call are kept before those that it refers to.
func TestFitKeepsLastLines(t *testing.T) {
	whole := history(100, 100, 100, 100, 100, 100)
	record := &Record{
		Frame: Size{ASCII: 50}, Lines: 6, Before: 6, FirstUser: 1, Must: []int{2}, KeepLast: 2,
		Tools: func(Inventory) Size { return Size{} }, Whole: whole, Cut: []func() *History{func() *History { return whole }},
		Related: func() iter.Seq[int] { return slices.Values([]int{3, 0}) },
	}
	for kept, want := range map[int][]int{1: {2}, 2: {1, 2}, 3: {1, 2, 5}, 4: {1, 2, 4, 5}, 5: {1, 2, 3, 4, 5}} {
		s := Limit{BytesPerToken: 1}.Fit(record, float64(50+100*kept)+6*Gap)
		if diff := cmp.Diff(want, s.Kept); diff != "" {
			t.Errorf("room for %d lines: %s", kept, diff)
		}
	}
}

func TestExceeds(t *testing.T) {
	one := Size{ASCII: 5, Foreign: 5, Extra: 5}
	for less, want := range map[Size]bool{
		{5, 5, 5}: true, {4, 4, 4}: true, {}: true, {6, 5, 5}: false, {5, 6, 5}: false, {5, 5, 6}: false, {0, 0, 6}: false,
	} {
		if got := one.Exceeds(less); got != want {
			t.Errorf("%v: %v", less, got)
		}
	}
}

func TestSizeOf(t *testing.T) {
	if got := SizeOf("a\x7fÀé"); got != (Size{ASCII: 2, Foreign: 4}) || got.Bytes() != 6 {
		t.Errorf("%+v", got)
	}
	if got := SizeOf([]byte("\x80")); got.Foreign != 1 {
		t.Errorf("%+v", got)
	}
	a, b := Size{ASCII: 10, Foreign: 20, Extra: 30}, Size{ASCII: 1, Foreign: 2, Extra: 3}
	if sum, rest := a.Plus(b), a.Minus(b); sum != (Size{11, 22, 33}) || rest != (Size{9, 18, 27}) {
		t.Errorf("sum %+v, difference %+v", sum, rest)
	}
	limit := Limit{BytesPerToken: 4}
	if got := limit.Cost(Size{ASCII: 8, Foreign: 6, Extra: 1}); got != 2+3+1 {
		t.Error(got)
	}
}

// TestSegmentsWithoutTools: tools that would take more than half the room are not shown.
func TestSegmentsWithoutTools(t *testing.T) {
	for size, want := range map[int]Inventory{140: ToolsBrief, 141: ToolsBrief, 151: ToolsNone} {
		r := &Record{
			Frame: Size{ASCII: 50}, Lines: 2, Must: []int{0, 1}, Whole: history(60, 60), FirstUser: -1,
			Tools: func(how Inventory) Size {
				return map[Inventory]Size{ToolsWhole: {ASCII: 900}, ToolsBrief: {ASCII: size}}[how]
			},
		}
		list := Limit{BytesPerToken: 1}.Segments(r, nil, 400)
		if len(list) == 0 || list[0].Tools != want || !list[0].Shortened.Tools {
			t.Errorf("tools of %d bytes: %+v", size, list)
		}
	}
}

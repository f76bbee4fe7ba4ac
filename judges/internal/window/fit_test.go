package window

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
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
		"counts bits":   {func(n int) (int, error) { return 12 * n, nil }, Found{}},
		"counts short":  {func(n int) (int, error) { return n * int(min(1, 5000/n)), nil }, Found{Longest: 8800}},
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
	for size, other := range map[int]int{shortSize: middleSize, middleSize: 30_000, 30_000: shortSize} {
		a, b := ballast(size), ballast(other)
		n := 0
		for n < min(size, other) && a[n] == b[n] {
			n++
		}
		if len(a) != size || n > len("Of ") {
			t.Errorf("%d bytes have the first %d in common with %d bytes, which may be in a cache", len(a), n, other)
		}
	}
	late := &llm.Error{Kind: llm.KindTimeout, Message: "too late"}
	if f, err := Measure(t.Context(), func(context.Context, string) (int, error) { return 0, late }, 8000); f.Refused ||
		!errors.Is(err, late) {
		t.Errorf("a server that is too slow: %+v, %v", f, err)
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

// TestAnswering: an answer has at most half of a window that is known.
func TestAnswering(t *testing.T) {
	for _, tt := range []struct{ tokens, answer, want int }{
		{0, 500, 500}, {1000, 499, 499}, {1000, 500, 500}, {1000, 501, 500}, {1001, 800, 500}, {1, 5, 0},
	} {
		if got := (Limit{Tokens: tt.tokens}).Answering(tt.answer); got.Answer != tt.want || got.Tokens != tt.tokens {
			t.Errorf("%d of %d: %+v, want %d", tt.answer, tt.tokens, got, tt.want)
		}
	}
}

// TestSeenStops: who looks for one line is not shown the others.
func TestSeenStops(t *testing.T) {
	for name, s := range map[string]*Shown{"all": {Lines: 4}, "kept": {Lines: 9, Kept: []int{0, 1, 5}}} {
		var seen []int
		for i := range s.Seen() {
			if seen = append(seen, i); i == 1 {
				break
			}
		}
		if diff := cmp.Diff([]int{0, 1}, seen); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestBallast: its lines hold numbers that do not follow from one another.
func TestBallast(t *testing.T) {
	const want = "Of 170 bytes here all but this line are there to take up room. Say yes.\n" +
		"Line 00000 holds the number 12345.\nLine 00001 holds the number 20264.\nLine 00002 holds the number "
	if got := ballast(170); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := ballast(72); got != "Of 72 bytes here all but this line are there to take up room. Say yes.\nL" {
		t.Errorf("%q", got)
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
	for size, want := range map[int]Inventory{140: ToolsBrief, 150: ToolsBrief, 151: ToolsNone} {
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

// TestSegmentsOverlap: a segment repeats the last lines of the one before if they take at most a fifth of its
// room, and the head if it takes at most a third; no line stands twice in it. What was cut is counted where it is
// shown.
func TestSegmentsOverlap(t *testing.T) {
	whole := history(30, 100, 100, 20, 100, 1000)
	shorter := history(30, 100, 100, 20, 100, 200)
	shorter.Cuts = []int{0, 0, 0, 0, 0, 0, 1}
	record := func(lines, most int) *Record {
		return &Record{
			Frame: Size{ASCII: 50}, Lines: lines, Must: []int{0, 1, 2, 3, 4, 5}[:lines], FirstUser: -1, MaxBytes: most,
			Tools: func(Inventory) Size { return Size{} },
			Whole: whole, Cut: []func() *History{func() *History { return shorter }},
		}
	}
	const around = 50 + 3*Gap
	for _, tt := range []struct {
		lines, most int
		head        []int
		room        float64
		want        string
	}{
		{5, 0, nil, around + 250, "[0 1 2 3] 0, [3 4] 0"},
		{5, 0, nil, around + 249, "[0 1 2] 0, [3 4] 0"},
		{5, 0, []int{0}, around + Gap + 30 + 150, "[0 1] 0, [0 2 3] 0, [0 3 4] 0"},
		{5, 0, []int{0, 1}, around + 2*Gap + 250, "[0 1 2 3] 0, [3 4] 0"}, // the head takes more than a third
		{5, 250, nil, math.Inf(1), "[0 1 2 3] 0, [3 4] 0"},
		{5, 249, nil, math.Inf(1), "[0 1 2] 0, [3 4] 0"},
		{5, 180, []int{0}, math.Inf(1), "[0 1] 0, [0 2 3] 0, [0 3 4] 0"},
		{6, 0, nil, around + 250, "[0 1 2 3] 0, [3 4] 0, [5] 1"},
		{1, 0, nil, around + 30, "[0] 0"},
		{1, 0, nil, around + 29, ""},
	} {
		var got []string
		for _, s := range (Limit{BytesPerToken: 1}).Segments(record(tt.lines, tt.most), tt.head, tt.room) {
			got = append(got, fmt.Sprint(s.Kept, " ", s.Shortened.Results))
		}
		if got := strings.Join(got, ", "); got != tt.want {
			t.Errorf("%+v: %s", tt, got)
		}
	}
}

// TestFitKeepsWhatHasRoom: lines are counted exactly: a gap before a line only where one is shown, all lines
// together are nothing left out, and no lines are shown if none has room.
func TestFitKeepsWhatHasRoom(t *testing.T) {
	whole := history(100, 100, 100, 100, 100, 100)
	for _, tt := range []struct {
		lines, most, last int
		must, related     []int
		segmented         bool
		room              float64
		want              string
	}{
		// A turn's lines follow one another.
		{6, 0, 0, []int{4, 5}, []int{0, 1}, true, 50 + 10 + 2*Gap + 199, "too long"},
		{6, 0, 0, []int{4, 5}, []int{0, 1}, true, 50 + 10 + 2*Gap + 200, "[4 5] true"},
		{6, 0, 0, []int{4, 5}, []int{0, 1}, true, 50 + 10 + 3*Gap + 300, "[0 4 5] true"},
		{6, 0, 0, []int{4, 5}, []int{0, 1}, true, 50 + 10 + 3*Gap + 400, "[0 1 4 5] true"},
		{6, 0, 0, []int{4, 5}, []int{3, 0}, true, 50 + 10 + 2*Gap + 300, "[3 4 5] true"},
		// Without a line that must be there, none has to have room.
		{6, 0, 0, nil, []int{5, 3}, false, 50 + 10 + Gap, "[] true"},
		{6, 0, 0, nil, []int{5, 3}, false, 50 + Gap, "[] true"}, // no tool at all
		{6, 0, 0, nil, []int{5, 3}, false, 50 + Gap - 1, "too long"},
		{2, 0, 2, []int{1}, nil, false, 50 + 5 + 3*Gap + 200, "[0 1] false"}, // of the tools only the called one
		{1, 0, 1, nil, nil, false, 50 + 5 + Gap, "[] true"},
		{1, 0, 1, nil, nil, false, 50 + 5 + Gap - 1, "[] true"}, // no tool at all
		{0, 0, 1, nil, nil, false, 50 + 5, "[] false"},
		{6, 350, 9, []int{5}, nil, false, math.Inf(1), "[3 4 5] true"},
		{6, 300, 9, []int{5}, nil, false, math.Inf(1), "[3 4 5] true"},
		{6, 299, 9, []int{5}, nil, false, math.Inf(1), "[4 5] true"},
		{6, 599, 9, []int{5}, nil, false, math.Inf(1), "[1 2 3 4 5] true"},
		{6, 600, 9, []int{5}, nil, false, math.Inf(1), "[0 1 2 3 4 5] false"},
		{6, 1, 9, nil, nil, false, math.Inf(1), "[] true"},
	} {
		tools := map[Inventory]int{ToolsWhole: 900, ToolsBrief: 10, ToolsOwn: 5}
		if tt.lines < 6 {
			tools[ToolsBrief] = 900
		}
		r := &Record{
			Frame: Size{ASCII: 50}, Lines: tt.lines, Before: tt.lines, FirstUser: -1, Must: tt.must, KeepLast: tt.last,
			Segmented: tt.segmented, MaxBytes: tt.most, Whole: whole, Cut: []func() *History{func() *History { return whole }},
			Tools:   func(how Inventory) Size { return Size{ASCII: tools[how]} },
			Related: func() iter.Seq[int] { return slices.Values(tt.related) },
		}
		s := Limit{BytesPerToken: 1}.Fit(r, tt.room)
		got := fmt.Sprint(slices.AppendSeq([]int{}, s.Seen()), " ", s.Shortened.Messages)
		if s.TooLong {
			got = "too long"
		}
		if got != tt.want {
			t.Errorf("%+v: %s", tt, got)
		}
	}
	uneven := history(50, 300, 100, 100)
	r := &Record{
		Lines: 4, Before: 4, FirstUser: -1, Must: []int{3}, KeepLast: 9, MaxBytes: 400, Whole: uneven,
		Tools: func(Inventory) Size { return Size{} }, Related: func() iter.Seq[int] { return slices.Values([]int{1, 0}) },
	}
	if s := (Limit{}).Fit(r, math.Inf(1)); !slices.Equal(s.Kept, []int{0, 2, 3}) {
		t.Errorf("of the last nine lines, %v are kept in 400 bytes", s.Kept)
	}
	r.KeepLast = 2
	if s := (Limit{}).Fit(r, math.Inf(1)); !slices.Equal(s.Kept, []int{2, 3}) {
		t.Errorf("%v are kept, although a nearer line has no room", s.Kept)
	}
}

// TestRoom: a prompt has the window without the room for the answer.
func TestRoom(t *testing.T) {
	for _, tt := range []struct {
		limit Limit
		want  float64
	}{
		{Limit{}, math.Inf(1)}, {Limit{Answer: 30}, math.Inf(1)}, {Limit{Tokens: 1}, 1},
		{Limit{Tokens: 100, Answer: 30}, 70}, {Limit{Tokens: 20, Answer: 30}, 0},
	} {
		if got := tt.limit.Room(); got != tt.want {
			t.Errorf("%+v: %v", tt.limit, got)
		}
	}
}

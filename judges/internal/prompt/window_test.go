package prompt

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges/internal/judgetest"
	"github.com/judgekit/judge/judges/internal/window"
	"github.com/judgekit/judge/rubrics"
)

// long returns a conversation of four turns with two calls each, whose results are long and
// partly Chinese, and of tools that are never called.
func long() *transcript.Conversation {
	c := &transcript.Conversation{ID: "c"}
	say := func(m transcript.Message) { c.Messages = append(c.Messages, m) }
	for i := range 4 {
		c.Tools = append(c.Tools, transcript.Tool{Name: fmt.Sprint("tool", i), Description: strings.Repeat("does a thing ", 20)})
		say(transcript.Message{Role: transcript.User, Content: fmt.Sprintf("please %d %s", i, strings.Repeat("now ", 10)), Result: -1})
		first := len(c.Calls)
		say(transcript.Message{Role: transcript.Assistant, Content: "yes", Calls: []int{first, first + 1}, Result: -1})
		for k := range 2 {
			args := value.OfObject(value.Member{Key: "order", Value: value.OfString(fmt.Sprint("order ", i, k, strings.Repeat("x", 300+40*k)))})
			c.Calls = append(c.Calls, transcript.Call{Name: "tool0", Arguments: args, RawArguments: args.JSON(),
				Message: len(c.Messages) - 1, Result: len(c.Messages) + k})
		}
		for k := range 2 {
			say(transcript.Message{Role: transcript.ToolRole, ToolName: "tool0", Result: first + k,
				Content: strings.Repeat("found it ", 300*(k+1)) + strings.Repeat("订单", 100*i)})
		}
	}
	return c
}

// TestExactlyAtTheWindow: a message that costs exactly its room is not shortened further, and
// with the least less room it is. What it costs by estimate is what its text costs, with
// little to spare, however much it is shortened.
func TestExactlyAtTheWindow(t *testing.T) {
	v := NewView(long(), Options{RunKey: []byte("k")})
	for call := range v.conv.Calls {
		s := v.Show(OfCall(call), math.Inf(1), Ending{})
		if s.Shortened != (window.Shortened{}) || s.Tokens != s.Full {
			t.Fatalf("call %d: %+v with all the room there is", call, s.Shortened)
		}
		steps := 0
		for !s.TooLong {
			if steps++; steps > 100 {
				t.Fatalf("call %d: a hundred ways to shorten it", call)
			}
			same := v.Show(OfCall(call), s.Tokens, Ending{})
			if same.Tokens != s.Tokens || same.Shortened != s.Shortened || same.Text != s.Text {
				t.Errorf("call %d: %v tokens in as much room become %v: %+v", call, s.Tokens, same.Tokens, same.Shortened)
			}
			if cuts := strings.Count(s.Text, " characters omitted "); cuts != s.Shortened.Results {
				t.Errorf("call %d: %d results are cut and %d are counted", call, cuts, s.Shortened.Results)
			}
			cost := v.opts.Limit.CostOf(s.Text)
			if gap := !s.Siblings; gap != strings.Contains(s.Text, " proposed>>>\n[1] omitted\n<<<END ") {
				t.Errorf("call %d: the call beside it is left out: %v\n%s", call, gap, s.Text)
			}
			if gap := s.Tokens - cost; gap < 0 || gap > 60+window.Gap*float64(1+len(s.Kept)) {
				t.Errorf("call %d: %v tokens by estimate, and the text costs %v: %+v", call, s.Tokens, cost, s.Shortened)
			}
			next := v.Show(OfCall(call), math.Nextafter(s.Tokens, 0), Ending{})
			if !next.TooLong && next.Tokens >= s.Tokens {
				t.Fatalf("call %d: %v tokens in less room than %v", call, next.Tokens, s.Tokens)
			}
			s = next
		}
		if steps < 5 {
			t.Errorf("call %d: only %d ways to shorten it", call, steps)
		}
	}
}

// TestCutResults: a long result is cut in the middle to 4,000, 1,000 or 300 characters, the
// longest that has room, and one that is short enough stays as it is.
func TestCutResults(t *testing.T) {
	for _, letter := range []string{"x", "订"} {
		c := onePlace()
		c.Messages[3].Content = strings.Repeat(letter, 5000) + "END"
		v := NewView(c, Options{RunKey: []byte("k")})
		full := v.Show(OfCall(1), math.Inf(1), Ending{})
		var got []int
		for room := full.Tokens; ; {
			s := v.Show(OfCall(1), math.Nextafter(room, 0), Ending{})
			if s.TooLong || s.Shortened.Messages {
				break
			}
			room = s.Tokens
			if s.Shortened.Results == 0 {
				continue
			}
			n := strings.Count(s.Text, letter)
			said := fmt.Sprintf(" … %s characters omitted … ", grouped(5003-n-len("END")))
			if !strings.Contains(s.Text, letter+said+letter) || !strings.Contains(s.Text, letter+"END") {
				t.Errorf("%d characters are left, and not %q:\n%.300s", n, said, s.Text)
			}
			if head := strings.Count(s.Text[:strings.Index(s.Text, said)], letter); head != (n+len("END"))/2 {
				t.Errorf("%d of %d characters stand before the gap", head, n)
			}
			got = append(got, n+len("END"))
		}
		if want := []int{4000, 1000, 300}; !slices.Equal(got, want) {
			t.Errorf("results of %q are cut to %v characters, want %v", letter, got, want)
		}
		for _, n := range window.ResultSteps {
			whole := value.OfString(strings.Repeat(letter, n))
			if same, cut := cutMiddle(whole, n); cut || !value.Equal(same, whole) {
				t.Errorf("a result of exactly %d characters is cut", n)
			}
			for missing, said := range map[int]string{999: "999", 1000: "1 000", 14210: "14 210", 1002003: "1 002 003"} {
				shorter, _ := cutMiddle(value.OfString(strings.Repeat(letter, n+missing)), n)
				if !strings.Contains(shorter.Text(), " … "+said+" characters omitted … ") {
					t.Errorf("%d characters are missing: %.400q", missing, shorter.Text())
				}
			}
			more := value.OfString(strings.Repeat(letter, n+1))
			if shorter, cut := cutMiddle(more, n); !cut || !strings.Contains(shorter.Text(), " … 1 characters omitted … ") {
				t.Errorf("a result of %d characters, cut to %d: %.80q", n+1, n, shorter.Text())
			}
		}
	}
}

// TestSegmentsByBytes: without a window a conversation that is longer than a record may be is split
// by its bytes alone, and a segment repeats only a little of the one before it.
func TestSegmentsByBytes(t *testing.T) {
	const most = 16 << 10
	c := long()
	for i := range 400 {
		c.Messages = append(c.Messages, transcript.Message{Role: transcript.User, Result: -1,
			Content: fmt.Sprintf("message %d %s", i, strings.Repeat("again ", 40))})
	}
	v := NewView(c, Options{RunKey: []byte("k"), MaxRecordBytes: most})
	whole := Target{Scope: rubrics.ScopeConversation}
	if s := v.Show(whole, math.Inf(1), Ending{}); !s.TooLong {
		t.Fatalf("%d bytes are shown at once", s.Bytes)
	}
	list := v.Segments(whole, math.Inf(1), Ending{})
	if want := len(v.whole.Text) / most; len(list) < want || len(list) > 2*want {
		t.Errorf("%d segments of %d bytes", len(list), len(v.whole.Text))
	}
	for i, s := range list {
		size := 0
		for _, line := range s.Kept {
			size += len(v.whole.Line(line))
		}
		if size > most {
			t.Errorf("segment %d shows %d bytes of the record", i+1, size)
		}
		part := fmt.Sprintf("This is part %d of %d of the conversation; parts overlap", i+1, len(list))
		if !strings.Contains(s.Text, ">>>\n"+part) || !strings.Contains(s.Text, "[1] {") {
			t.Errorf("segment %d does not say %q, or not how the conversation began:\n%s", i+1, part, s.Text)
		}
		if next := i + 1; next < len(list) && (list[next].From > s.To || list[next].From <= s.From) {
			t.Errorf("segment %d begins with line %d after %d to %d", next+1, list[next].From, s.From, s.To)
		}
	}
}

// TestToolsAsSignatures: what has no room first becomes a signature are the tools that were not called so
// far, neither before nor beside the judged call; then only the judged call's own tool is shown, as a signature.
func TestToolsAsSignatures(t *testing.T) {
	b := judgetest.NewConversation(t, "c")
	for _, name := range []string{"before", "own", "beside", "later", "never"} {
		b.Tool(name, strings.Repeat(name+" does it. ", 30), `{"type":"object","properties":{"x":{"type":"string"}}}`)
	}
	b.Say(transcript.User, "please").Act("", "before {}").Result(0, "ok").Act("", "own {}", "beside {}").Result(1, "ok").Result(2, "ok")
	b.Say(transcript.User, "more").Act("", "later {}")
	v := NewView(b.Conv, Options{RunKey: []byte("k")})
	inventory := func(target Target, how window.Inventory) string {
		said := ""
		for i, shown := range v.shownTools(target, how) {
			form := map[bool]string{true: " ", false: "() "}[shown == &v.tools[i].full]
			said += v.tools[i].name + form
		}
		return said
	}
	turn := Target{Scope: rubrics.ScopeTurn, Turn: 1}
	for _, tt := range []struct {
		target Target
		how    window.Inventory
		want   string
	}{
		{OfCall(1), window.ToolsWhole, "before own beside later never "},
		{OfCall(1), window.ToolsBrief, "before own beside later() never() "},
		{OfCall(1), window.ToolsOwn, "own() "},
		{OfCall(1), window.ToolsNone, ""},
		{OfCall(3), window.ToolsBrief, "before own beside later never() "},
		{turn, window.ToolsBrief, "before own beside later() never() "},
		{turn, window.ToolsOwn, ""},
		{Target{Scope: rubrics.ScopeConversation}, window.ToolsBrief, "before own beside later never() "},
	} {
		if got := inventory(tt.target, tt.how); got != tt.want {
			t.Errorf("target %+v, inventory %d: %q, want %q", tt.target, tt.how, got, tt.want)
		}
		r, _ := v.record(tt.target)
		s := window.Shown{History: v.whole, Lines: r.Lines, Tools: tt.how}
		_, tools, _ := strings.Cut(v.text(tt.target, nil, r.Before, &s, Ending{}), ">>>\n")
		tools, _, _ = strings.Cut(tools, "<<<END")
		spare := v.opts.Limit.Cost(r.Tools(tt.how)) - v.opts.Limit.CostOf(tools)
		if most := map[bool]float64{true: 2 * window.Gap}[tt.how >= window.ToolsOwn]; spare < 0 || spare > most {
			t.Errorf("target %+v: the tools take %v tokens more than estimated:\n%s", tt.target, -spare, tools)
		}
	}
	b = judgetest.NewConversation(t, "c").Tool("f", "does it", `{}`).Act("", "f {}").Result(0, "ok").Act("", "g {}")
	v = NewView(b.Conv, Options{})
	if got := inventory(OfCall(1), window.ToolsBrief); got != "f " {
		t.Errorf("a tool that was called before anyone spoke: %q", got)
	}
	r, _ := v.record(OfCall(1))
	if got := r.Tools(window.ToolsNone).Extra; got != 2*window.Gap {
		t.Errorf("%v tokens for the gap in place of the only tool", got)
	}
	v = NewView(&transcript.Conversation{Messages: b.Conv.Messages, Calls: b.Conv.Calls}, Options{})
	r, _ = v.record(OfCall(1))
	if size := r.Tools(window.ToolsNone); size != (window.Size{}) {
		t.Errorf("no tools take %+v", size)
	}
}

// TestMustBeShown: however short the room, a call is judged beside what the user said last before it; a conversation's
// segments all begin with what the system and the user say first.
func TestMustBeShown(t *testing.T) {
	b := judgetest.NewConversation(t, "c").Say(transcript.System, "be kind").Say(transcript.Assistant, "hello").Say(transcript.User, "find it")
	b.Act("", "find {}").Result(0, "found").Say(transcript.User, "cancel it").Act("", "cancel {}").Result(1, "done").Act("", "find {}")
	v := NewView(b.Conv, Options{RunKey: []byte("k")})
	shows := func(lines []int) (out []string) {
		for _, i := range slices.Sorted(slices.Values(lines)) {
			out = append(out, v.lines[i].content)
		}
		return out
	}
	for call, want := range map[int]string{0: "find it", 1: "cancel it", 2: "cancel it"} {
		r, _ := v.record(OfCall(call))
		if got := shows(r.Must); !slices.Equal(got, []string{want}) {
			t.Errorf("call %d: %q, want %q", call, got, want)
		}
		if first := v.lines[r.FirstUser].content; first != "find it" {
			t.Errorf("call %d: the user began with %q", call, first)
		}
	}
	turn, _ := v.record(Target{Scope: rubrics.ScopeTurn, Turn: 2})
	if got := shows(turn.Must); !slices.Equal(got, []string{"cancel it", "", ""}) {
		t.Errorf("of a turn must be shown %q", got)
	}
	for first, want := range map[transcript.Role][]int{transcript.User: {0}, transcript.Assistant: nil} {
		conv := judgetest.NewConversation(t, "c").Say(first, "hello").Act("", "find {}").Conv
		r, _ := NewView(conv, Options{}).record(OfCall(0))
		if !slices.Equal(r.Must, want) {
			t.Errorf("beside a call after a word of the %s must be shown %v", first, r.Must)
		}
	}
	if got := shows(v.head(len(v.lines))); !slices.Equal(got, []string{"be kind", "find it"}) {
		t.Errorf("each segment begins with %q", got)
	}
}

// TestOpening: conversations with the same tools and the same system prompt have their beginning in common,
// whatever the user says.
func TestOpening(t *testing.T) {
	opening := func(tool, system, user string) (string, float64) {
		b := judgetest.NewConversation(t, "c").Tool(tool, "does it", `{}`)
		if system != "" {
			b.Say(transcript.System, system)
		}
		b.Say(transcript.User, user).Act("", tool+" {}")
		key, tokens := NewView(b.Conv, Options{RunKey: []byte("k")}).Opening()
		return string(key[:]), tokens
	}
	first, tokens := opening("f", "Be kind.", "hello")
	without, _ := opening("f", "", "hello")
	if key, _ := opening("f", "", "good evening"); key != without {
		t.Error("without a system prompt, what the user says first counts as the beginning")
	}
	for _, tt := range []struct {
		tool, system, user string
		same               bool
	}{
		{"f", "Be kind.", "good evening", true}, {"g", "Be kind.", "hello", false},
		{"f", "Be brief", "hello", false}, {"f", "", "hello", false},
	} {
		key, n := opening(tt.tool, tt.system, tt.user)
		if (key == first) != tt.same || tt.system != "" && n != tokens || tt.system == "" && n >= tokens || n <= 0 {
			t.Errorf("%+v: same opening %v, %v tokens beside %v", tt, key == first, n, tokens)
		}
	}
}

// TestExamplesThatHaveRoom: as many examples are shown as leave room for the longest message, shortened but for its history.
func TestExamplesThatHaveRoom(t *testing.T) {
	v := NewView(long(), Options{RunKey: []byte("k")})
	whole, brief := v.longest[rubrics.ScopeCall](), v.longestBrief[rubrics.ScopeCall]()
	costs := []float64{100, 200, 300}
	for _, tt := range []struct {
		room float64
		want int
	}{
		{math.Inf(1), 2}, {whole + 300, 2}, {whole + 299, 2}, {brief + 300, 2}, {brief + 299, 1}, {brief + 200, 1}, {brief + 199, 0}, {1, 0},
	} {
		if got := v.Examples("", costs, tt.room); got != tt.want {
			t.Errorf("room for %v, the longest message takes %v to %v: %d examples, want %d", tt.room, brief, whole, got, tt.want)
		}
	}
}

// TestSecret: a judge is told of the secret word if there is one.
func TestSecret(t *testing.T) {
	if got := (&Options{}).Secret(); got != "" {
		t.Errorf("no secret word: %q", got)
	}
	if got := (&Options{Canary: "quartz"}).Secret(); !strings.Contains(got, "The word quartz is secret.") {
		t.Errorf("%q", got)
	}
}

// TestRelatedLines: a long history keeps the lines that share a value with the call: texts of at least three
// characters, as arguments and as prose write them, and numbers of at least two digits.
func TestRelatedLines(t *testing.T) {
	conv := judgetest.NewConversation(t, "c").Say(transcript.User, "abc").Say(transcript.User, "abc and 4711").
		Say(transcript.User, "none").Say(transcript.User, "4711, 4711").Say(transcript.User, "a<b c, 7, ab, true").
		Act("", `f {"x":"abc","y":["ab",true,7,{"n":4711}],"z":"a<b c"}`).Conv
	v := NewView(conv, Options{Marker: "^"})
	var got []string
	for _, text := range argumentTexts(&conv.Calls[0], "^") {
		got = append(got, string(text))
	}
	if want := []string{"abc", "4711", `a\u003cb c`, `a\u003cb^c`}; !slices.Equal(got, want) {
		t.Errorf("%q are searched for, want %q", got, want)
	}
	r, _ := v.record(OfCall(0))
	if got, want := slices.Collect(r.Related()), []int{4, 3, 1, 0}; !slices.Equal(got, want) {
		t.Errorf("lines %v, want %v", got, want)
	}
	for i := range r.Related() {
		if i != 4 {
			t.Errorf("line %d is read after the last one that was asked for", i)
		}
		break
	}
	texts := [][]byte{[]byte("4711"), []byte("abc")}
	if got := slices.Collect(v.matches().holding(texts, 3)); !slices.Equal(got, []int{1, 0}) {
		t.Errorf("lines %v of the first three", got)
	}
	many := value.OfStrings(slices.Repeat([]string{"abc"}, 70)...)
	if n := len(argumentTexts(&transcript.Call{Arguments: many}, "")); n != 64 {
		t.Errorf("%d of 70 values are searched for", n)
	}
}

// TestGaps: left out lines are named by their numbers, from 1, in the place where they were.
func TestGaps(t *testing.T) {
	line := func(i int) []byte { return fmt.Appendf(nil, "[%d] x\n", i+1) }
	for _, tt := range []struct {
		kept    []int
		from, n int
		want    string
	}{
		{nil, 0, 1, "[1] omitted\n"}, {nil, 0, 2, "[1-2] omitted\n"}, {nil, 9, 12, "[10-12] omitted\n"}, {nil, 3, 3, ""},
		{[]int{0, 1}, 0, 2, "[1] x\n[2] x\n"},
		{[]int{2, 4}, 0, 15, "[1-2] omitted\n[3] x\n[4] omitted\n[5] x\n[6-15] omitted\n"},
	} {
		if got := string(withGaps(nil, tt.kept, tt.from, tt.n, line)); got != tt.want {
			t.Errorf("%v of lines %d to %d: %q, want %q", tt.kept, tt.from, tt.n, got, tt.want)
		}
	}
}

package prompt

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/judges/internal/judgetest"
	"github.com/judgekit/judge/rubrics"
)

// TestNearest: an example is near a target by what is judged in it: its last call, or the last words of
// the user before the end of its last turn, or of all.
func TestNearest(t *testing.T) {
	refundLast := judgetest.NewConversation(t, "a").Say(transcript.User, "about the lamp").Act("", "ship {}").Result(0, "").
		Say(transcript.User, "and the bicycle").Act("", "refund {}").Conv
	shipLast := judgetest.NewConversation(t, "b").Say(transcript.User, "about the bicycle").Act("", "refund {}").Result(0, "").
		Say(transcript.User, "and the lamp").Act("", "ship {}").Conv
	asked := judgetest.NewConversation(t, "c").Say(transcript.User, "my bicycle").Act("", "refund {}").Result(0, "").
		Say(transcript.User, "now my lamp").Act("", "ship {}").Conv
	r := *judgetest.Rubric(t, rubrics.Overall)
	r.Retrieve = 1
	r.Examples = []rubrics.Example{
		{Log: refundLast, Task: "1", Answer: judgetest.JSON(t, judgetest.Answer("1"))}, {Log: shipLast, Task: "2", Answer: judgetest.JSON(t, judgetest.Answer("1"))},
	}
	for _, tt := range []struct {
		scope  rubrics.Scope
		target Target
		want   *transcript.Conversation
	}{
		{rubrics.ScopeCall, OfCall(0), refundLast}, {rubrics.ScopeCall, OfCall(1), shipLast},
		{rubrics.ScopeTurn, Target{Scope: rubrics.ScopeTurn, Turn: 1}, refundLast},
		{rubrics.ScopeTurn, Target{Scope: rubrics.ScopeTurn, Turn: 2}, shipLast},
		{rubrics.ScopeConversation, Target{Scope: rubrics.ScopeConversation}, shipLast},
	} {
		r.Scope = tt.scope
		if got := NewPool(&r).Nearest(asked, tt.target).Examples; len(got) != 1 || got[0].Log != tt.want {
			t.Errorf("%+v: the nearest of %d is %s, want %s", tt.target, len(got), got[0].Log.ID, tt.want.ID)
		}
	}
}

// TestScoreIsBM25: the example's score is that of the published formula, computed by hand.
func TestScoreIsBM25(t *testing.T) {
	p := &Pool{words: []map[string]float64{{"a": 2, "b": 1}, {"b": 1}}, length: []float64{3, 1}, mean: 2, df: map[string]float64{"a": 1, "b": 2}}
	for query, want := range map[string][2]float64{"a": {0.8355747, 0}, "b": {0.1513613, 0.2292042}, "c": {0, 0}} {
		for i := range want {
			if got := p.score(map[string]float64{query: 1}, i); !(math.Abs(got-want[i]) <= 1e-6) {
				t.Errorf("%s in example %d: %.7f, want %.7f", query, i, got, want[i])
			}
		}
	}
}

// TestPoolCountsWords: an example has the words of its last call, whose tool counts three times more, and of what
// the user said last before it, and none that came later.
func TestPoolCountsWords(t *testing.T) {
	r := *judgetest.Rubric(t, rubrics.Overall)
	r.Retrieve = 1
	lamp := judgetest.NewConversation(t, "a").Say(transcript.User, "earlier").Say(transcript.User, "My lamp: lamp!").
		Act("", `ship {"to":"Ulm 7"}`).Say(transcript.User, "later").Conv
	hello := judgetest.NewConversation(t, "b").Say(transcript.User, "Hello").Act("", "ship {}").Conv
	r.Examples = []rubrics.Example{{Log: lamp}, {Log: hello}}
	p := NewPool(&r)
	words := []map[string]float64{
		{"tool ship": 3, "ship": 1, "ulm": 1, "7": 1, "my": 1, "lamp": 2}, {"tool ship": 3, "ship": 1, "hello": 1},
	}
	df := map[string]float64{"tool ship": 2, "ship": 2, "ulm": 1, "7": 1, "my": 1, "lamp": 1, "hello": 1}
	d := cmp.Diff(words, p.words) + cmp.Diff(df, p.df) + cmp.Diff([]float64{9, 5}, p.length) + cmp.Diff(7.0, p.mean)
	if d != "" {
		t.Error(d)
	}
	r.Examples = r.Examples[:1]
	if p := NewPool(&r); p.mean != 9 {
		t.Errorf("one example of 9 words has %v on average", p.mean)
	}
	turn := judgetest.NewConversation(t, "c").Say(transcript.User, "lamp").Act("on it").Say(transcript.User, "bye").Conv
	if d := cmp.Diff(map[string]float64{"lamp": 1}, wordsOf(turn, Target{Scope: rubrics.ScopeTurn, Turn: 1})); d != "" {
		t.Errorf("of the only turn: %s", d)
	}
}

// TestNearestOfBothVerdicts: half of the examples pass and half fail, if there are enough of both; the nearest is
// the last, and a prompt has at most the number asked for.
func TestNearestOfBothVerdicts(t *testing.T) {
	// The letters are in the order of nearness to a.
	said := map[string]string{
		"a": "one two three four five six", "b": "one two three four five no", "c": "one two three four no no",
		"d": "one two three no no no", "e": "one two no no no no", "f": "one no no no no no", "g": "no no no no no no",
	}
	asked := judgetest.NewConversation(t, "asked").Say(transcript.User, said["a"]).Act("", "f {}").Conv
	for _, tt := range []struct {
		pool, failing string // those that pass, and those that do not
		most          int
		want          string
	}{
		{"abce", "df", 1, "a"}, {"abce", "df", 2, "da"}, {"abce", "df", 3, "dba"}, {"abce", "df", 4, "fdba"},
		{"abce", "df", 5, "fdcba"}, {"abce", "", 2, "ba"}, {"", "dfg", 2, "fd"}, {"ab", "dfg", 3, "dba"}, {"bd", "", 3, "db"},
	} {
		r := *judgetest.Rubric(t, rubrics.Overall)
		r.Retrieve, r.Examples = tt.most, nil
		for _, name := range strings.Split("gfedcba", "") {
			answer := judgetest.JSON(t, judgetest.Answer("1"))
			if strings.Contains(tt.failing, name) {
				answer = judgetest.JSON(t, judgetest.Answer(map[bool]string{true: "0", false: "null"}[name != "g"]))
			}
			log := judgetest.NewConversation(t, name).Say(transcript.User, said[name]).Act("", "f {}").Conv
			if strings.Contains(tt.pool+tt.failing, name) {
				r.Examples = append(r.Examples, rubrics.Example{Log: log, Task: name, Answer: answer})
			}
		}
		got := ""
		for _, e := range NewPool(&r).Nearest(asked, OfCall(0)).Examples {
			got += e.Log.ID
		}
		if got != tt.want {
			t.Errorf("%d of %s that pass and %s that fail: %s, want %s", tt.most, tt.pool, tt.failing, got, tt.want)
		}
	}
}

// TestLongestExamples: room is planned for the examples that take most.
func TestLongestExamples(t *testing.T) {
	r := *judgetest.Rubric(t, rubrics.Overall)
	r.Retrieve, r.Examples = 2, nil
	for _, e := range [][2]string{{"short", "123"}, {"long", "1234567"}, {"longer", "12345678"}} {
		name, text := e[0], e[1]
		b := judgetest.NewConversation(t, name).Say(transcript.User, text)
		if name == "longer" {
			b.Say(transcript.User, "9")
		}
		r.Examples = append(r.Examples, rubrics.Example{Log: b.Act("", "f {}").Conv})
	}
	got := NewPool(&r).Longest().Examples
	if len(got) != 2 || got[0].Log.ID != "longer" || got[1].Log.ID != "long" {
		t.Errorf("%d examples, the first is %s", len(got), got[0].Log.ID)
	}
}

// TestTurns: a turn begins with the user and ends with the last word or result of the agent before the user's next one;
// what an agent does alone is one turn.
func TestTurns(t *testing.T) {
	roles := map[rune]transcript.Role{'u': transcript.User, 'a': transcript.Assistant, 't': transcript.ToolRole, 's': transcript.System}
	for messages, want := range map[string][]Turn{
		"": nil, "u": nil, "s": nil, "at": {{0, 2}}, "sata": {{1, 4}}, "uata": {{0, 4}}, "uatu": {{0, 3}}, "uut": nil,
		"auatuua": {{1, 4}, {4, 7}}, "uatsu": {{0, 3}}, "uaut": {{0, 2}},
	} {
		conv := &transcript.Conversation{}
		for _, r := range messages {
			conv.Messages = append(conv.Messages, transcript.Message{Role: roles[r]})
		}
		if got := Turns(conv); !slices.Equal(got, want) {
			t.Errorf("%s: turns %v, want %v", messages, got, want)
		}
	}
}

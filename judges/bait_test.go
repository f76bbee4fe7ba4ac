package judges

import (
	"strings"
	"testing"
	"time"

	"github.com/judgekit/judge/internal/bounded"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/judges/internal/judgetest"
)

// An answer that is made to cost time is checked in bounded time, on a long record too.
func TestBait(t *testing.T) {
	if testing.Short() {
		t.Skip("its bound is one of time, which the race detector takes many times over")
	}
	b := judgetest.NewConversation(t, "long").Tool("f", "Does it", `{"type":"object"}`)
	for range 50 {
		b.Say(transcript.User, strings.Repeat("please cancel my order number 12345 for the blue lamp and send it home ", 40))
	}
	conv := b.Act("", `f {"a":1}`).Conv
	words := strings.Repeat("please cancel that order of the red lamp ", 500) // 20 KB
	for name, tc := range map[string]struct{ explanation, evidence string }{
		"one long quote":       {"e", `"` + words + `"`},
		"thousands of quotes":  {"e", strings.Repeat(`"cancel the lamp order now" `, 4000)},
		"different quotes":     {"e", `"` + strings.ReplaceAll(words, " ", `" "`) + `"`},
		"quotes in quotes":     {"e", strings.Repeat(`"'«`, 20000)},
		"parts of a quote":     {"e", `"` + strings.Repeat("a lamp … ", 5000) + `"`},
		"braces":               {strings.Repeat("{", 50000), strings.Repeat("[", 50000)},
		"polarity words":       {strings.Repeat("not wrong, correct, no missing error, ", 20000), "NONE: x"},
		"very long":            {strings.Repeat("a", 500000), "NONE: x"},
		"names":                {strings.Repeat("get_order(order_id) cancel_order ", 10000), "NONE: x"},
		"words of a long text": {words, words},
	} {
		bounded.Within(t, 5*time.Second, name, func() {
			s := judgetest.Replies(judgetest.AnswerWith("4", tc.explanation, tc.evidence, "{}"))
			j := intentJudge(t, s, nil)
			got, err := j.Call(t.Context(), conv, 0, Facts{})
			if err != nil || got[0].Output == nil {
				t.Fatalf("%s: %v %v", name, err, got)
			}
		})
	}
}

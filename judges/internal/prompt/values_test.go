package prompt

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges/internal/window"
	"github.com/judgekit/judge/rubrics"
)

// block returns the values in a block of a message, and whether lines are left out.
func block(t *testing.T, text, nonce, name string) (list []value.Value, omitted bool) {
	t.Helper()
	_, text, _ = strings.Cut(text, "<<<RECORD "+nonce+" "+name+">>>\n")
	text, _, found := strings.Cut(text, "<<<END "+nonce+" "+name+">>>\n")
	if !found {
		t.Fatalf("no block %s", name)
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "[") {
			_, line, _ = strings.Cut(line, "] ")
		}
		if line == "omitted\n" {
			omitted = true
			continue
		}
		v, err := value.ParseString(strings.TrimSpace(line))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		list = append(list, v)
	}
	return list, omitted
}

// TestValuesAreThePrompt: the record that a request holds for the rule-based baseline shows what
// its message shows, and no more, however much the message is shortened.
func TestValuesAreThePrompt(t *testing.T) {
	list, err := rubrics.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	views := []*View{NewView(long(), Options{RunKey: []byte("k")}), NewView(long(), Options{RunKey: []byte("k"), MaxRecordBytes: 3000})}
	for _, r := range list {
		for i := range r.Examples {
			views = append(views, NewView(r.Examples[i].Log, Options{RunKey: []byte("k")}))
		}
	}
	shortened := 0
	for _, v := range views {
		for call := range v.conv.Calls {
			whole := v.Show(OfCall(call), math.Inf(1), Ending{})
			for share := 1.0; share > 0; share -= 0.05 {
				s := v.Show(OfCall(call), whole.Tokens*share, Ending{})
				if s.TooLong {
					break
				}
				if s.Shortened != (window.Shortened{}) {
					shortened++
				}
				got := v.Record(OfCall(call), &s)
				same := func(name string, got []value.Value) bool {
					want, omitted := block(t, s.Text, v.Nonce(), name)
					if !slices.EqualFunc(got, want, value.Equal) {
						t.Errorf("call %d, %.2f of the room, %s: %v, and the message shows %v", call, share, name, got, want)
					}
					return omitted
				}
				if omitted := same("conversation", got.History); omitted != got.Omitted {
					t.Errorf("call %d, %.2f of the room: left out %v, and the message says %v", call, share, got.Omitted, omitted)
				}
				same("tools", got.Tools)
				same("call", []value.Value{got.Call})
			}
		}
	}
	if shortened < 100 {
		t.Errorf("only %d messages are shortened", shortened)
	}
}

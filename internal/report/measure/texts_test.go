package measure

import (
	"fmt"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/value"
)

// TestTextsOfASide: of an item that was scored twice the texts of the score in the report are taken, of equal ones the
// first by text; a label without an explanation gives its own words.
func TestTextsOfASide(t *testing.T) {
	text := func(v float64, explanation string) score.Score {
		return score.Score{Source: score.Judge, Value: &v, Explanation: explanation, Evidence: "by " + explanation}
	}
	label := score.Score{Source: score.Label, Value: new(0.5), Label: "no"}
	explained := label
	explained.Explanation = "why"
	judge := text(0.5, "")
	judge.Label = "fail"
	long := text(0.5, strings.Repeat("x", maxText+1))
	for name, tt := range map[string]struct {
		scores []score.Score
		want   string
	}{
		"one":                {[]score.Score{text(0.5, "b")}, "b, by b"},
		"another value":      {[]score.Score{text(0.6, "a"), text(0.5, "b"), text(0.4, "a")}, "b, by b"},
		"the first by text":  {[]score.Score{text(0.5, "b"), text(0.5, "a"), text(0.5, "c")}, "a, by a"},
		"nearly the value":   {[]score.Score{text(0.5000001, "b")}, "b, by b"},
		"no value":           {[]score.Score{{Source: score.Judge, Explanation: "a"}}, ", "},
		"a label":            {[]score.Score{label}, "no, "},
		"a label that says":  {[]score.Score{explained}, "why, "},
		"no text of a judge": {[]score.Score{judge}, ", by "},
		"a long one":         {[]score.Score{long}, value.Excerpt(long.Explanation, maxText) + ", " + value.Excerpt(long.Evidence, maxText)},
	} {
		side := &report.Side{Value: new(0.5)}
		target := &textTarget{side: side}
		for i := range tt.scores {
			target.take(&tt.scores[i])
		}
		if got := side.Explanation + ", " + side.Evidence; got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

// TestDetailsOfASide: the confidence, flags, correction and call of a score, each cut if it is long; a long correction
// is left out, because it would be none.
func TestDetailsOfASide(t *testing.T) {
	for _, n := range []int{maxText - 2, maxText - 1} { // with its quotes the first has just the limit
		id := ""
		side := &report.Side{Value: new(1.)}
		s := score.Score{Source: score.Judge, Value: new(1.), Confidence: new(0.12345678), CallID: strings.Repeat("i", 201),
			Flags:      []score.Flag{{Code: "odd"}, {Code: strings.Repeat("f", 101)}},
			Correction: value.OfString(strings.Repeat("c", n))}
		(&textTarget{side: side, callID: &id}).take(&s)
		got := fmt.Sprintf("%v %s %d %d, correction %v, call %d", *side.Confidence, side.Flags[0], len(side.Flags),
			len([]rune(side.Flags[1])), !side.Correction.IsNull(), len([]rune(id)))
		if want := fmt.Sprintf("0.123457 odd 2 100, correction %v, call 200", n == maxText-2); got != want {
			t.Errorf("%d characters: %s, want %s", n, got, want)
		}
	}
}

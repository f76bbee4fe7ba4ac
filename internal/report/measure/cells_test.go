package measure

import (
	"fmt"
	"iter"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/labels"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
)

// cellText writes what a cell holds.
func cellText(c cell) string {
	out := fmt.Sprint(c.number())
	for _, b := range []struct {
		bit  bits
		name string
	}{{isDecided, " decided"}, {isPassed, " passed"}, {isPartial, " partial"}, {isNotApplicable, " n/a"}} {
		if c.has(b.bit) {
			out += b.name
		}
	}
	return fmt.Sprintf("%s, call %d", out, c.call)
}

// TestSecondScoresOfAnItem: of several cells of an item one with a value counts, of these the lowest, whatever comes
// first.
func TestSecondScoresOfAnItem(t *testing.T) {
	nan := math.NaN()
	for _, tt := range []struct{ first, second, want float64 }{
		{nan, 1, 1}, {1, nan, 1}, {1, 0.5, 0.5}, {0.5, 1, 0.5}, {0.5, 0.5, 0.5},
	} {
		var list cellList
		for i, v := range []float64{tt.first, tt.second} {
			if existed := list.put(2, cellOf(v, nan)); existed != (i == 1) {
				t.Errorf("%v: cell %d existed: %v", tt, i, existed)
			}
		}
		if got := list[2].number(); len(list) != 3 || got != tt.want {
			t.Errorf("%v: %v of %d cells", tt, got, len(list))
		}
	}
}

// TestVerdictsOfAPair: without one of the two verdicts there is none of either.
func TestVerdictsOfAPair(t *testing.T) {
	nan := math.NaN()
	for _, tt := range []struct {
		judge, ref float64
		want       string
	}{{1, 0, "1 0"}, {0, 1, "0 1"}, {nan, 1, "NaN NaN"}, {1, nan, "NaN NaN"}} {
		judge, ref := pair{judge: reading{cell: cellOf(1, tt.judge)}, ref: reading{cell: cellOf(1, tt.ref)}}.verdicts()
		if got := fmt.Sprint(judge, ref); got != tt.want {
			t.Errorf("%v and %v: %s, want %s", tt.judge, tt.ref, got, tt.want)
		}
	}
}

// TestWeightsOfLabels: a label represents its share of the items of its conversation that the judge scored.
func TestWeightsOfLabels(t *testing.T) {
	of := func(conversation uint32, judge, ref float64) pair {
		return pair{of: item{conversation: conversation}, judge: reading{cell: cellOf(judge, math.NaN())},
			ref: reading{cell: cellOf(ref, math.NaN())}}
	}
	nan := math.NaN()
	// Of the first conversation 4 items are scored and 2 labelled, of the second 1 and 0, of the third 2 and 2.
	all := []pair{of(0, 1, 1), of(0, 0, nan), of(0, 1, 0), of(0, 1, nan), of(0, nan, 1), of(1, 1, nan), of(2, 0, 1),
		of(2, 0, 1)}
	weigh(all)
	var got []float64
	for _, p := range all {
		got = append(got, p.weight)
	}
	if diff := cmp.Diff([]float64{2, 2, 2, 2, 2, 1, 1, 1}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestCallsAsOne: how the scores of a conversation's calls become one, by each way to reduce them.
func TestCallsAsOne(t *testing.T) {
	nan := math.NaN()
	applies := func(c cell, not bool) cell {
		if not {
			c.bits |= isNotApplicable
		}
		return c
	}
	none, missing, away := cell{}, cellOf(nan, nan), applies(cellOf(nan, nan), true)
	word := cellOf(2, nan)
	word.bits |= isWord
	for _, tt := range []struct {
		name  string
		calls []cell
		want  [3]string // min, mean, share
		share string
	}{
		{"passes and a fail", []cell{cellOf(0.9, 1), cellOf(0.2, 0), cellOf(0.2, 1), none},
			[3]string{"0.2 decided, call 2", "0.43333333333333335 decided, call 2",
				"0.6666666666666666 decided passed, call 2"}, "0.6666666666666666"},
		{"half passes", []cell{cellOf(1, 1), cellOf(0, 0)},
			[3]string{"0 decided, call 2", "0.5 decided passed, call 2", "0.5 decided passed, call 2"}, "0.5"},
		{"all pass, one is missing", []cell{cellOf(0.5, 1), missing},
			[3]string{"0.5 decided passed partial, call 1", "0.5 decided passed partial, call 1",
				"1 decided passed partial, call 1"}, "1"},
		{"all pass, one does not apply", []cell{away, cellOf(0.5, 1)},
			[3]string{"0.5 decided passed, call 2", "0.5 decided passed, call 2", "1 decided passed, call 2"}, "1"},
		{"no verdict", []cell{cellOf(0.4, nan), cellOf(0.3, nan)},
			[3]string{"0.3, call 2", "0.35 decided, call 2", "NaN, call 2"}, "NaN"},
		{"a category without a verdict", []cell{word, cellOf(1, 1)},
			[3]string{"1 decided passed partial, call 2", "1 decided passed partial, call 2",
				"1 decided passed partial, call 2"}, "1"},
		{"none has a score", []cell{missing, away, missing, away},
			[3]string{"NaN, call 3", "NaN, call 3", "NaN, call 3"}, "0"},
		{"none applies", []cell{away, away}, [3]string{"NaN n/a, call 1", "NaN n/a, call 1", "NaN n/a, call 1"}, "0"},
		{"none was asked", []cell{none, none}, [3]string{"NaN, call 0", "NaN, call 0", "NaN, call 0"}, "0"},
	} {
		tab := &table{scale: map[string]report.Rubric{"r": {Low: new(0.5)}}}
		sr := &series{cells: tt.calls}
		sr.Name, sr.Source = "r", string(score.Judge)
		var calls []item
		for i := range tt.calls {
			calls = append(calls, item{call: int32(i), number: uint32(i)})
		}
		for i, how := range []string{report.ReduceMin, report.ReduceMean, report.ReduceShare} {
			got, share := tab.reduce(sr, how, calls)
			if cellText(got) != tt.want[i] || fmt.Sprint(share) != tt.share {
				t.Errorf("%s by %s: %s, share %v; want %s, share %s", tt.name, how, cellText(got), share, tt.want[i],
					tt.share)
			}
		}
	}
	if got := cellOf(1, 1).with(false, true); got.has(isPassed | isDecided) {
		t.Errorf("no verdict: %s", cellText(got))
	}
}

// TestBandsOfMeans: a mean is decided by the pass band of its rubric or scorer, never by that of a label or of a part
// of a score.
func TestBandsOfMeans(t *testing.T) {
	tab := &table{scale: map[string]report.Rubric{"r": {Low: new(0.5), High: new(0.8)}, "low": {Low: new(0.5)},
		"high": {High: new(0.8)}}}
	for _, tt := range []struct {
		source       score.Source
		name, metric string
		mean         float64
		want         string
	}{
		{score.Judge, "r", "", 0.5, "true true"}, {score.Judge, "r", "", 0.8, "true true"},
		{score.Judge, "r", "", 0.49, "false true"}, {score.Deterministic, "r", "", 0.81, "false true"},
		{score.Judge, "low", "", 9, "true true"}, {score.Judge, "high", "", -9, "true true"},
		{score.Judge, "r", "part", 0.1, "true false"}, {score.Label, "r", "", 0.1, "true false"},
		{score.Judge, "other", "", 0.1, "true false"},
	} {
		sr := &series{Instrument: report.Instrument{Source: string(tt.source), Name: tt.name, Metric: tt.metric}}
		if got := fmt.Sprint(tab.meanPasses(sr, tt.mean)); got != tt.want {
			t.Errorf("%s %s %s, mean %g: %s, want %s", tt.source, tt.name, tt.metric, tt.mean, got, tt.want)
		}
	}
}

// TestWhatALabelRepresents: a label of a rubric represents calls that were scored by this rubric, a label of the whole
// call those scored by any; without judges they are the calls that scorers scored.
func TestWhatALabelRepresents(t *testing.T) {
	add := func(to []score.Score, source score.Source, name, scope string, calls int) []score.Score {
		for call := range calls {
			s := score.Score{ConversationID: "c", CallIndex: new(call), Name: name, Source: source, Scope: scope,
				Status: score.Scored, Value: new(1.), Passed: new(true), Tool: "t"}
			if source == score.Judge {
				s.Judge = "j"
			}
			to = append(to, s)
		}
		return to
	}
	for _, tt := range []struct {
		name   string
		judges []report.Judge
		want   map[string]float64
	}{
		{"a judge", []report.Judge{{Name: "j"}}, map[string]float64{report.PeopleLabel: 5, report.PeopleLabelOf("tone"): 2}},
		{"scorers alone", nil, map[string]float64{report.PeopleLabel: 6, report.PeopleLabelOf("tone"): 6}},
	} {
		in := report.Inputs{Manifest: report.Manifest{Judges: tt.judges}}
		row := LabelRow{ConversationID: "c", Sample: RandomSample, Rank: 1, Whole: labels.VerdictAnswer(true),
			ByRubric: map[string]labels.Answer{"tone": labels.VerdictAnswer(true)}}
		given := NewLabels([]LabelRow{row}, &in.Manifest)
		in.Scores = func() iter.Seq2[score.Score, error] {
			scores := add(nil, score.Deterministic, "exact", "", 6)
			if len(tt.judges) > 0 {
				scores = add(add(add(scores, score.Judge, "tone", "", 2), score.Judge, "overall", "", 5), score.Judge,
					"after", labels.Result, 8)
			}
			return given.Into(func(yield func(score.Score, error) bool) {
				for _, s := range scores {
					if !yield(s, nil) {
						return
					}
				}
			})
		}
		b, err := readBuilder(in, Config{Labels: given})
		if err != nil {
			t.Fatal(err)
		}
		arrangeTables(b.table)
		got := map[string]float64{}
		for _, sr := range b.series {
			for _, o := range b.observations(sr) {
				if report.IsPeople(sr.Instrument) {
					got[sr.Name] = o.weight
				} else if o.weight != 0 {
					t.Errorf("%s: a score of %s has the weight %v", tt.name, sr.Name, o.weight)
				}
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

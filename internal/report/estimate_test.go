package report_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/truth"
	"github.com/judgekit/judge/internal/labels"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
)

func between(low, value, high float64) report.Estimate {
	return report.Estimate{Low: &low, Value: &value, High: &high}
}

func at(value float64) report.Estimate { return report.Estimate{Value: &value} }

// TestEstimates: what is done to a number and its interval.
func TestEstimates(t *testing.T) {
	few, two := stat.None(stat.TooFew), stat.Some(2)
	oneToFour := stat.Interval{Low: stat.Some(1), High: stat.Some(4)}
	for name, c := range map[string]struct{ got, want report.Estimate }{
		"twice":                    {between(1, 2, 4).Times(2), between(2, 4, 8)},
		"minus once":               {between(1, 2, 4).Times(-1), between(-4, -2, -1)},
		"nothing twice":            {report.Estimate{Reason: "r"}.Times(2), report.Estimate{Reason: "r"}},
		"including what is below":  {between(1, 2, 4).Including(0), between(0, 2, 4)},
		"including what is above":  {between(1, 2, 4).Including(5), between(1, 2, 5)},
		"including what is inside": {between(1, 2, 4).Including(3), between(1, 2, 4)},
		"including, no interval":   {at(2).Including(0), at(2)},
		"clipped":                  {between(-1, 0.5, 2).Clipped(0, 1), between(0, 0.5, 1)},
		"clipped inside":           {between(0.2, 0.5, 0.7).Clipped(0, 1), between(0.2, 0.5, 0.7)},
		"clipped, no interval":     {at(2).Clipped(0, 1), at(2)},
		"without its interval":     {between(1, 2, 4).WithoutInterval(), at(2)},
		"an interval":              {report.Interval(two, oneToFour), between(1, 2, 4)},
		"an interval without an end": {report.Interval(two, stat.Interval{Low: few, High: two}),
			report.Estimate{Value: new(2.), Reason: "too_few"}},
		"an interval without its high end": {report.Interval(two, stat.Interval{Low: two, High: few}),
			report.Estimate{Value: new(2.)}},
		"half":                   {between(1, 2, 4).Times(0.5), between(0.5, 1, 2)},
		"no sample":              {report.NoSample(new(2.)), report.Estimate{Value: new(2.), Reason: "no_sample"}},
		"a billion":              {report.Point(stat.Some(1000000000.12345678)), at(1000000000.12345678)},
		"an interval of nothing": {report.Interval(few, oneToFour), report.Estimate{Reason: "too_few"}},
		"rounded":                {report.Point(stat.Some(0.12345678)), at(0.123457)},
		"large":                  {report.Point(stat.Some(1234567890.12345678)), at(1234567890.12345678)},
		"no number":              {report.Point(stat.Some(math.NaN())), report.Estimate{Reason: "not_finite"}},
		"endless":                {report.Point(stat.Some(math.Inf(-1))), report.Estimate{Reason: "not_finite"}},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if report.Rounded(math.NaN()) != nil || report.Rounded(math.Inf(1)) != nil || report.Rounded(math.Inf(-1)) != nil {
		t.Error("no number is rounded to one")
	}
	if zero := *report.Rounded(-1e-9); zero != 0 || math.Signbit(zero) {
		t.Errorf("a small negative number is %v", zero)
	}
	if (report.Estimate{Low: new(1.)}).HasInterval() || (report.Estimate{High: new(1.)}).HasInterval() {
		t.Error("one end is an interval")
	}
	if low := (report.Estimate{}).OrLowest(); !math.IsInf(low, -1) {
		t.Errorf("no number sorts as %v", low)
	}
}

// TestThresholdsFit: a band must lie on the scale, and name a rubric with numbers or a scorer.
func TestThresholdsFit(t *testing.T) {
	m := &report.Manifest{
		Rubrics: []report.Rubric{
			{Name: "intent", Min: 1, Max: 5}, {Name: "topic", Max: 1, Categories: []string{"a"}}, {Name: "free"},
		},
		Scorers: []report.Scorer{{Name: "exact"}},
	}
	const onFive = ": the scale of the rubric is 1..5; a band beyond it decides nothing"
	for text, want := range map[string]string{
		"intent=1": "", "intent=1..5": "", "intent=5": "", "free=77": "", "exact=0": "", "exact=1": "", "other=9": "",
		"intent=0.9":  "threshold intent=0.9" + onFive,
		"intent=2..6": "threshold intent=2..6" + onFive,
		"intent=5.5":  "threshold intent=5.5" + onFive,
		"topic=1":     "threshold topic=1: the answers of rubric topic are categories; its pass says which of them pass",
		"exact=1.5":   "threshold exact=1.5: the scale of the scorer is 0..1; a band beyond it decides nothing",
	} {
		one, err := report.ParseThreshold(text)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := report.CheckThresholds([]report.Threshold{one}, m); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", text, got, want)
		}
	}
	for name, want := range map[string]string{
		"intent": "", "exact": "",
		"intend": "threshold intend=1: no rubric and no scorer has that name; did you mean intent?",
		"zzzzzz": "threshold zzzzzz=1: no rubric and no scorer has that name; known are exact, free, intent, topic",
	} {
		got := ""
		if err := report.CheckNamed([]report.Threshold{{Name: name, Low: 1}}, m, m); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, want)
		}
	}
}

// TestRedecide: a band decides the scores of its name, including its ends, but no label and no metric.
func TestRedecide(t *testing.T) {
	band := []report.Threshold{{Name: "intent", Low: 3, High: new(4.)}, {Name: "exact", Low: 0.5}}
	one := func(source score.Source, name, metric string, v float64) score.Score {
		return score.Score{Source: source, Name: name, Metric: metric, Value: &v}
	}
	for name, c := range map[string]struct {
		score score.Score
		want  string
	}{
		"low end": {one(score.Judge, "intent", "", 3), "pass"}, "high end": {one(score.Judge, "intent", "", 4), "pass"},
		"below": {one(score.Judge, "intent", "", 2.9), "fail"}, "above": {one(score.Judge, "intent", "", 4.1), "fail"},
		"no high end": {one(score.Deterministic, "exact", "", 9), "pass"}, "another": {one(score.Judge, "use", "", 9), ""},
		"a label": {one(score.Label, "intent", "", 3), ""}, "a metric": {one(score.Deterministic, "exact", "m", 9), ""},
		"no value": {score.Score{Source: score.Judge, Name: "intent"}, ""},
	} {
		got := report.Redecide(c.score, band)
		if got.Label != c.want || (got.Passed != nil) != (c.want != "") ||
			got.Passed != nil && *got.Passed != (c.want == "pass") {
			t.Errorf("%s: label %q, passed %v; want %q", name, got.Label, got.Passed, c.want)
		}
	}
}

// TestLabelsStillNeeded: labels are counted as so many for each labelled conversation, rounded up.
func TestLabelsStillNeeded(t *testing.T) {
	c := &report.CorrectedRate{FurtherConversations: &truth.More{About: 3, Least: 1, Most: 5}}
	want := &truth.More{About: 8, Least: 3, Most: 13} // 5 labels of 2 conversations
	if diff := cmp.Diff(want, c.FurtherLabels(5, 2)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if c.FurtherLabels(5, 0) != nil || (&report.CorrectedRate{}).FurtherLabels(5, 2) != nil {
		t.Error("labels of no conversation")
	}
	// Ten failed labels are needed, and ten labelled conversations at least.
	for _, x := range []struct{ fails, labels, conversations, byRarer, byConversations int }{
		{4, 20, 20, (truth.FewestPPI - 4) * 5, max(0, truth.FewestLabelled-20)},
		{16, 20, 20, (truth.FewestPPI - 4) * 5, max(0, truth.FewestLabelled-20)},
		{0, 20, 4, 0, (truth.FewestLabelled - 4) * 5},
		{3, 20, 4, ((truth.FewestPPI-3)*20 + 2) / 3, (truth.FewestLabelled - 4) * 5},
		{50, 100, 100, 0, 0}, {0, 0, 0, 0, 0},
		// Of each class 10 are needed, or 30 conversations; parts of a label are rounded up.
		{1, 20, 20, 180, 10}, {7, 19, 1, 9, 551}, {3, 10, 30, 24, 0}, {3, 6, 13, 14, 8}, {7, 15, 13, 7, 20},
		{6, 13, 7, 9, 43},
	} {
		c := &report.CorrectedRate{LabelledFails: x.fails}
		if r, n := c.LabelsToCorrect(x.labels, x.conversations); r != x.byRarer || n != x.byConversations {
			t.Errorf("%+v: %d and %d", x, r, n)
		}
	}
}

// TestCalibrationsSay: a calibration warns once of the same thing; a rubric decides unless a threshold is not
// applicable.
func TestCalibrationsSay(t *testing.T) {
	c, few := &report.Calibration{}, report.Warning{Code: "few", Text: "few labels"}
	c.Warn(few)
	c.Warn(report.Warning{Code: "few", Text: "few conversations"})
	c.Warn(few)
	if diff := cmp.Diff([]report.Warning{few, {Code: "few", Text: "few conversations"}}, c.Warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
	for reason, want := range map[string]bool{"": true, "too_few": true, "not_applicable": false} {
		row := report.CalibrationRow{Threshold: report.FittedCut{Best: report.Estimate{Reason: reason}}}
		if got := row.Decides(); got != want {
			t.Errorf("%q: decides %v", reason, got)
		}
	}
}

// TestStoredAnswers: a verdict is true or false in a file, every other label an object.
func TestStoredAnswers(t *testing.T) {
	for text, a := range map[string]labels.Answer{
		"true": labels.VerdictAnswer(true), "false": labels.VerdictAnswer(false),
		`{"label":"not_applicable"}`:              {Label: labels.NotApplicable},
		`{"label":"pass","category":"kind"}`:      {Label: labels.Pass, Category: "kind"},
		`{"label":"category","category":"money"}`: {Label: labels.Named, Category: "money"},
	} {
		data, err := json.Marshal(report.StoredAnswer(a))
		if err != nil || string(data) != text {
			t.Errorf("%+v is written %s, %v; want %s", a, data, err, text)
		}
		var again report.StoredAnswer
		if err := json.Unmarshal([]byte(text), &again); err != nil || labels.Answer(again) != a {
			t.Errorf("%s is read as %+v, %v", text, again, err)
		}
	}
	var bad report.StoredAnswer
	const want = "a label: json: cannot unmarshal string into Go value of type labels.Answer"
	if err := json.Unmarshal([]byte(`"pass"`), &bad); err == nil || err.Error() != want {
		t.Errorf("a text as label: %v, want %s", err, want)
	}
}

// TestNamesOfItems: the level and the name of a call, a turn, a result and a conversation.
func TestNamesOfItems(t *testing.T) {
	for name, c := range map[string]struct {
		score score.Score
		ref   report.CaseRef
		level string
	}{
		"c:3":     {score.Score{CallIndex: new(3)}, report.CaseRef{ConversationID: "c", CallIndex: new(3)}, "call"},
		"c":       {score.Score{}, report.CaseRef{ConversationID: "c"}, "conversation"},
		"c:turn1": {score.Score{Scope: score.ScopeTurn, Turn: 1}, report.CaseRef{ConversationID: "c", Turn: 1}, "turn"},
		"c:turn2": {score.Score{Scope: score.ScopeTurn, Turn: 2}, report.CaseRef{ConversationID: "c", Turn: 2}, "turn"},
		"c:0": {score.Score{Scope: score.ScopeResult, CallIndex: new(0)},
			report.CaseRef{ConversationID: "c", CallIndex: new(0)}, "result"},
	} {
		if got := c.ref.ItemName(); got != name || report.LevelOf(&c.score) != c.level {
			t.Errorf("%s of level %s, want %s of level %s", got, report.LevelOf(&c.score), name, c.level)
		}
		call := -1
		if c.ref.CallIndex != nil {
			call = *c.ref.CallIndex
		}
		if got := c.ref.Call(); got != call {
			t.Errorf("%s is call %d, want %d", name, got, call)
		}
	}
	p := report.Parameter{N: 4, Present: 3, Equal: 1, Invented: 2}
	if p.SetRates(); *p.PresenceRate != 0.75 || *p.ValueRate != 0.25 || p.Wrong() != 5 {
		t.Errorf("present %v, right %v, wrong %d", *p.PresenceRate, *p.ValueRate, p.Wrong())
	}
	p = report.Parameter{N: 1, Present: 1}
	if p.SetRates(); p.PresenceRate == nil || *p.PresenceRate != 1 || p.ValueRate == nil || *p.ValueRate != 0 {
		t.Errorf("rates of one call: %v, %v", p.PresenceRate, p.ValueRate)
	}
	if p = (report.Parameter{Invented: 1, ValueRate: new(1.)}); p.Wrong() != 1 {
		t.Errorf("wrong %d", p.Wrong())
	}
	if p.SetRates(); p.ValueRate != nil || p.PresenceRate != nil {
		t.Errorf("rates of nothing: %v", p)
	}
}

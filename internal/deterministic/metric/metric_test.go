package metric

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/bounded"
	"github.com/judgekit/judge/internal/value"
)

func parse(t testing.TB, text string) value.Value {
	t.Helper()
	v, err := value.ParseString(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// observe builds observations from pairs of value and label; -1 is missing.
func observe(pairs ...float64) []Observation {
	var out []Observation
	for i := 0; i < len(pairs); i += 2 {
		var o Observation
		if pairs[i] >= 0 {
			o.Value = &pairs[i]
		}
		if pairs[i+1] >= 0 {
			o.Label = &pairs[i+1]
		}
		out = append(out, o)
	}
	return out
}

func TestFigures(t *testing.T) {
	// tp 2, fp 1, fn 1, tn 1, and one without a value, one without a label.
	mixed := observe(1, 1, 1, 1, 1, 0, 0, 1, 0, 0, -1, 1, 0.5, -1)
	for _, tt := range []struct {
		metric, want string
		all          []Observation
	}{
		{`"mean"`, "0.583333 n=6", mixed},
		{`"max"`, "1 n=6", mixed},
		{`"min"`, "0 n=6", mixed},
		{`"std"`, "0.491596 n=6", mixed},
		{`"std_dev"`, "0.491596 n=6", mixed},
		{`"std-dev"`, "0.491596 n=6", mixed},
		{`"standard_deviation"`, "1.290994 n=4", observe(1, -1, 2, -1, 3, -1, 4, -1)},
		{`"standard_deviation"`, "needs two values n=1", observe(1, -1)},
		{`"mean"`, "no value n=0", observe(-1, 1)},
		{`"recall"`, "0.666667 n=5", mixed},
		{`"precision"`, "0.666667 n=5", mixed},
		{`"f1"`, "0.666667 n=5", mixed},
		{`"binary_classification"`, "0.6 n=5", mixed},
		{`{"type":"recall","threshold":0.5}`, "1 n=1", observe(0.5, 0.7)},
		{`"precision"`, "nothing was called positive n=1", observe(0, 1)},
		{`"recall"`, "no label is positive n=1", observe(1, 0)},
		{`"f1"`, "nothing is positive n=1", observe(0, 0)},
		{`"recall"`, "no value has a label n=0", observe(1, -1)},
		{`"multiclass_classification"`, "0.6 n=5", mixed},
		{`"multiclass_classification"`, "no value has a label n=0", observe(1, -1)},
		{`{"type":"custom","expression":"float('inf')"}`, "expression gives no finite number n=6", mixed},
		{`{"type":"custom","expression":"False"}`, "0 n=6", mixed},
		{`{"type":"recall","threshold":1}`, "0 n=1", observe(0.5, 1)},
		{`{"type":"custom","expression":"mean([v for v in values if v > 0.4])"}`, "0.875 n=6", mixed},
		{`{"type":"custom","expression":"sum([1 for v, l in zip(values, labels) if l != None and v == l])"}`, "3 n=6", mixed},
		{`{"type":"custom","expression":"math.sqrt(n - 2)"}`, "2 n=6", mixed},
		{`{"type":"custom","expression":"max(values) == 1"}`, "1 n=6", mixed},
		{`{"type":"custom","expression":"mean([])"}`, "the expression gives None n=6", mixed},
		{`{"type":"custom","expression":"values"}`, "expression gives a list, must give a number n=6", mixed},
	} {
		metrics, err := Parse(value.OfList(parse(t, tt.metric)))
		if err != nil {
			t.Fatal(tt.metric, err)
		}
		f := metrics[0].Compute(tt.all)
		got := f.Note
		if f.Value != nil {
			got += value.OfFloat(float64(int(*f.Value*1e6+0.5)) / 1e6).JSON()
		}
		got = strings.TrimSuffix(got, ".0") + " n=" + value.OfInt(int64(f.N)).Text()
		if got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.metric, got, tt.want)
		}
	}
}

func TestTables(t *testing.T) {
	f := Metric{Type: "frequency"}.Compute(observe(1, -1, 0, -1, 1, -1, -1, -1))
	if got := f.Table.JSON(); got != `{"values":[{"value":0.0,"count":1,"share":0.3333333333333333},{"value":1.0,"count":2,"share":0.6666666666666666}]}` {
		t.Error(got)
	}
	f = Metric{Type: "binary_classification"}.Compute(observe(1, 1, 0, 1))
	if got := f.Table.JSON(); got != `{"true_positive":1,"false_positive":0,"false_negative":1,"true_negative":0,"accuracy":0.5,"precision":1.0,"recall":0.5,"f1":0.6666666666666666}` {
		t.Error(got)
	}
	one, two, three := 1.0, 2.0, 3.0
	f = Metric{Type: "multiclass_classification"}.Compute([]Observation{
		{Value: &one, Class: "1"}, {Value: &two, Class: "1"}, {Value: &two, Label: &two}, {Value: &three}, {Value: &three, Label: &two},
	})
	if got := f.Table.Without("classes", "confusion").JSON(); got != `{"accuracy":0.5,"macro_precision":0.75,"macro_recall":0.5,"macro_f1":0.5833333333333333}` {
		t.Error(got)
	}
	if got := f.Table.Field("confusion").JSON(); !strings.Contains(got, `{"value":"3","label":"2","count":1}`) {
		t.Error(got)
	}
	// One label of class 1, three of class 2, by hand: precision 1/2 and 1, recall 1 and 2/3, F1 2/3 and 4/5.
	f = Metric{Type: "multiclass_classification"}.Compute(observe(1, 1, 2, 2, 2, 2, 1, 2))
	if got := f.Table.Without("classes", "confusion").JSON(); got != `{"accuracy":0.75,"macro_precision":0.75,"macro_recall":0.8333333333333333,"macro_f1":0.7333333333333334}` {
		t.Error(got)
	}
}

// TestClasses: each class has a row, with its precision, recall and F1.
func TestClasses(t *testing.T) {
	f := Metric{Type: "multiclass_classification"}.Compute(observe(1, 1, 2, 2, 2, 2, 1, 2))
	want := `[{"class":"1","support":1,"precision":0.5,"recall":1.0,"f1":0.6666666666666666},` +
		`{"class":"2","support":3,"precision":1.0,"recall":0.6666666666666666,"f1":0.8}]`
	if diff := cmp.Diff(want, f.Table.Field("classes").JSON()); diff != "" {
		t.Error(diff)
	}
}

// TestParseNames: a metric keeps the name that it is given; a word alone is its type.
func TestParseNames(t *testing.T) {
	metrics, err := Parse(parse(t, `["f1",{"type":"stdev","name":"spread"}]`))
	if err != nil || len(metrics) != 2 {
		t.Fatal(metrics, err)
	}
	for i, want := range []string{"f1 f1", "spread standard_deviation"} {
		f := metrics[i].Compute(observe(1, 1, 0, 0))
		if got := f.Name + " " + f.Type; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for config, want := range map[string]string{
		`"mean"`:                          "must be a list",
		`[{"type":"f1","threshold":-1}]`:  `.threshold: is -1, must be a number from 0 to 1`,
		`[{"type":"f1","threshold":1.5}]`: "must be a number from 0 to 1",
		`[{"type":"custom","expression":"` + strings.Repeat(" ", maxExpression) + `1"}]`: "is longer than",
		`[{"type":"f1","threshold":4}]`:                 "must be a number from 0 to 1",
		`["median"]`:                                    "known are mean",
		`[5]`:                                           "unknown",
		`[{"type":"mean","thresold":1}]`:                "metrics[0].thresold: is unknown",
		`[{"type":"recall","threshold":"x"}]`:           "must be a number",
		`[{"type":"custom"}]`:                           "expression: is missing",
		`["mean",{"type":"custom","expression":"1 +"}]`: "metrics[1].expression",
		`[{"type":5}]`:                                  "must be a text",
	} {
		if _, err := Parse(parse(t, config)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", config, err)
		}
	}
	if m, err := Parse(value.Value{}); m != nil || err != nil {
		t.Error(m, err)
	}
}

func TestHostileExpressions(t *testing.T) {
	bounded.Within(t, 8*time.Second, "the list", func() {
		for _, source := range []string{
			"[x for a in range(100000) for b in range(100000) for x in [1]]", "load('os')", "open('/etc/passwd')", "1/0", "values[99]",
			"float('nan')", "math.pow(10.0, 400.0)", "(lambda: 1)() + ''", "print", "'a' * (1 << 40)",
		} {
			if f, err := evaluate(source, observe(1, 1)); checkExpression(source) == nil && err == nil {
				t.Errorf("%s gives %v", source, f)
			}
		}
	})
}

func TestToolTable(t *testing.T) {
	got := rows([]Pair{
		{Tool: "b", Expected: parse(t, `{"x":1,"y":2}`), Actual: parse(t, `{"x":1.0,"z":0}`), SameName: true},
		{Tool: "b", Expected: parse(t, `{"x":1}`), Actual: parse(t, `{"x":2}`), SameName: true},
		{Tool: "b", Expected: parse(t, `{"x":1}`)},
		{Tool: "b", Expected: parse(t, `{"x":1}`), Actual: parse(t, `{"x":1}`)},
		{Tool: "a", Actual: parse(t, `{"q":1}`)},
	})
	want := []ToolRow{
		{Tool: "a", Unexpected: 1},
		{Tool: "b", Expected: 4, Made: 2, Parameters: []ParameterRow{
			{Parameter: "x", N: 2, Present: 2, Equal: 1}, {Parameter: "y", N: 1}, {Parameter: "z", Invented: 1},
		}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// rows returns the table of all pairs, without a bound.
func rows(pairs []Pair) []ToolRow {
	t := NewTable(0, 0)
	for _, p := range pairs {
		t.Add(p)
	}
	return t.Rows()
}

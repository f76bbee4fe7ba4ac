package metric

import (
	"math"
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
		{`{"type":"custom","expression":"n // 2"}`, "3 n=6", mixed},
		{`{"type":"custom","expression":"[l for l in labels]"}`, "expression gives a list, must give a number n=6", mixed},
		{`{"type":"custom","expression":"1 if labels[-1] == None else 2"}`, "1 n=6", mixed},
		{`{"type":"custom","expression":"1 // 0"}`, "floored division by zero n=6", mixed},
		{`{"type":"custom","expression":"True"}`, "1 n=6", mixed},
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

// TestNotANumber: a value that is not finite counts as missing in every figure.
func TestNotANumber(t *testing.T) {
	one := 1.0
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		all := append(observe(1, 1), Observation{Value: &x, Label: &one}, Observation{Value: &x, Class: "1"})
		for _, kind := range types {
			f := Metric{Type: kind, Expression: "len(values)"}.Compute(all)
			if f.N != 1 || kind != "standard_deviation" && kind != "frequency" && (f.Value == nil || *f.Value != 1) {
				t.Errorf("%s with %v: %+v", kind, x, f)
			}
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
		`"mean"`:                          `metrics: is a string, must be a list`,
		`[{"type":"f1","threshold":-1}]`:  `metrics[0].threshold: is -1, must be a number from 0 to 1, as scores are`,
		`[{"type":"f1","threshold":1.5}]`: `metrics[0].threshold: is 1.5, must be a number from 0 to 1, as scores are`,
		`[{"type":"f1","threshold":"x"}]`: `metrics[0].threshold: is "x", must be a number from 0 to 1, as scores are`,
		`["f1","median"]`: `metrics[1].type: "median" is unknown; known are mean, max, min, standard_deviation, frequency, ` +
			`binary_classification, multiclass_classification, recall, precision, f1, custom`,
		`[{"type":"mean","thresold":1}]`:                     `metrics[0].thresold: is unknown; known are type, name, threshold, expression`,
		`[{"type":"custom"}]`:                                `metrics[0].expression: is missing`,
		`[{"type":"custom","expression":" "}]`:               `metrics[0].expression: is missing`,
		`["mean",{"type":"custom","expression":"1 +"}]`:      `metrics[1].expression: expression:1:4: got end of file, want primary expression`,
		`[{"type":5}]`:                                       `metrics[0].type: is an integer, must be a text`,
		`[{"type":"f1","name":null}]`:                        `metrics[0].name: is null, must be a text`,
		`[{"type":"custom","expression":["1"]}]`:             `metrics[0].expression: is an array, must be a text`,
		`[{"type":"custom","expression":"1` + spaces + `"}]`: `metrics[0].expression: is longer than 16384 bytes`,
	} {
		if _, err := Parse(parse(t, config)); err == nil || err.Error() != want {
			t.Errorf("%.60s: %v, want %s", config, err, want)
		}
	}
	longest := parse(t, `[{"type":"custom","expression":"`+spaces+`"}]`).At(0).With("expression", value.OfString("1"+spaces[1:]))
	if _, err := Parse(value.OfList(longest)); err != nil {
		t.Errorf("an expression of %d bytes: %v", maxExpression, err)
	}
	if m, err := Parse(value.Value{}); m != nil || err != nil {
		t.Error(m, err)
	}
}

var spaces = strings.Repeat(" ", maxExpression)

// TestHostileExpressions: an expression without end, one that reads files and one that fails give
// no figure, and the note says why.
func TestHostileExpressions(t *testing.T) {
	bounded.Within(t, 8*time.Second, "the list", func() {
		for _, tt := range []struct{ source, want string }{
			{"[x for a in range(100000) for b in range(100000) for x in [1]]", "Starlark computation cancelled: too many steps"},
			{"load('os')", "expression:1:1: got load, want primary expression"},
			{"open('/etc/passwd')", "expression:1:1: undefined: open"},
			{"1/0", "floating-point division by zero"},
			{"values[99]", "list index 99 out of range [-1:0]"},
			{"float('nan')", "expression gives no finite number"},
			{"math.pow(10.0, 400.0)", "expression gives no finite number"},
			{"(lambda: 1)() + ''", "unknown binary op: int + string"},
			{"print", "expression gives a builtin_function_or_method, must give a number"},
			{"'a' * (1 << 40)", "repeat count 1099511627776 too large"},
		} {
			got := ""
			if err := checkExpression(tt.source); err != nil {
				got = err.Error()
			} else if f, err := evaluate(tt.source, observe(1, 1)); err != nil {
				got = err.Error()
			} else {
				t.Errorf("%s gives %v", tt.source, f)
			}
			if got != tt.want {
				t.Errorf("%s: %s, want %s", tt.source, got, tt.want)
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

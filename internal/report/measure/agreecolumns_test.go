package measure

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report"
)

// rowsOf writes a CSV with the given numbers of equal rows.
func rowsOf(header string, counts map[string]int, order ...string) string {
	var b strings.Builder
	b.WriteString(header + "\n")
	for _, row := range order {
		for range counts[row] {
			b.WriteString(row + "\n")
		}
	}
	return b.String()
}

func compare(t testing.TB, text string, cfg AgreeConfig) *report.TableAgreement {
	t.Helper()
	r, err := Agree("t.csv", strings.NewReader(text), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// estimate returns a number of the JSON form by its path, or nil.
func estimate(t testing.TB, of any, path string) *report.Estimate {
	t.Helper()
	text, err := json.Marshal(of)
	if err != nil {
		t.Fatal(err)
	}
	for key := range strings.SplitSeq(path, ".") {
		var members map[string]json.RawMessage
		if err := json.Unmarshal(text, &members); err != nil {
			t.Fatal(err)
		}
		if text = members[key]; text == nil {
			return nil
		}
	}
	e := &report.Estimate{}
	if err := json.Unmarshal(text, e); err != nil {
		t.Fatal(err)
	}
	return e
}

// values are numbers of the JSON form as text with 4 decimals, "-" and the reason where
// undefined.
func values(t testing.TB, of any, names ...string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, name := range names {
		one := estimate(t, of, name)
		switch {
		case one == nil:
			out[name] = "absent"
		case one.Value == nil:
			out[name] = "- " + one.Reason
		default:
			out[name] = fmt.Sprintf("%.4f", *one.Value)
		}
	}
	return out
}

func codes(list []report.Warning) string {
	var out []string
	for _, w := range list {
		out = append(out, w.Code)
	}
	return strings.Join(out, " ")
}

// The classic 20, 5, 10, 15 table has kappa 0.4; the other figures are done by hand.
func TestVerdictsAgainstGold(t *testing.T) {
	text := rowsOf("human,judge", map[string]int{"pass,pass": 20, "pass,fail": 5, "fail,pass": 10, "fail,fail": 15, "pass,": 2, ",fail": 1, "NA,null": 1},
		"pass,pass", "pass,fail", "fail,pass", "fail,fail", "pass,", ",fail", "NA,null")
	r := compare(t, text, AgreeConfig{Gold: "human", Judges: []string{"judge"}})
	p := r.Pairs[0]
	want := map[string]string{
		"base_rate": "0.5000", "judge_rate": "0.6000", "accuracy": "0.7000",
		"recall_wrong": "0.6000", "specificity": "0.8000", "precision_fail": "0.7500", "precision_pass": "0.6667",
		"balanced_accuracy": "0.7000", "mcc": "0.4082", "kappa": "0.4000", "ac1": "0.4059",
	}
	var names []string
	for name := range want {
		names = append(names, name)
	}
	if diff := cmp.Diff(want, values(t, p, names...)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if diff := cmp.Diff(report.Confusion{BothPass: 20, JudgeOnlyPass: 10, JudgeOnlyFail: 5, BothFail: 15}, p.Confusion); diff != "" {
		t.Error(diff)
	}
	if p.N != 50 || p.MissingRef != 2 || p.MissingJudge != 3 || r.Table.Rows != 54 {
		t.Errorf("n %d, missing %d and %d, rows %d", p.N, p.MissingRef, p.MissingJudge, r.Table.Rows)
	}
	if got := codes(p.Warnings); got != "missing" {
		t.Errorf("warnings %q", got)
	}
	if got := codes(r.Warnings); got != "no_clusters" {
		t.Errorf("table warnings %q", got)
	}
	// The jackknife of 50 items, computed apart (see package agreement's golden intervals).
	k := p.Kappa
	if fmt.Sprintf("%.3f %.3f", *k.Low, *k.High) != "0.096 0.642" {
		t.Errorf("interval %.3f %.3f", *k.Low, *k.High)
	}
	wrong := p.RecallWrong
	if n := p.Confusion.BothFail + p.Confusion.JudgeOnlyPass; n != 25 || fmt.Sprintf("%.3f %.3f", *wrong.Low, *wrong.High) != "0.407 0.766" {
		t.Errorf("recall of wrong: n %d, %.3f %.3f", n, *wrong.Low, *wrong.High)
	}
}

// Four copies of every row in its cluster carry no more information than one.
func TestClustersWidenIntervals(t *testing.T) {
	var once, often strings.Builder
	once.WriteString("c,human,judge\n")
	often.WriteString("c,human,judge\n")
	for i := range 60 {
		row := fmt.Sprintf("c%d,%d,%d\n", i, min(1, i%4), min(1, (i+i%7/6)%4))
		once.WriteString(row)
		often.WriteString(strings.Repeat(row, 4))
	}
	cfg := AgreeConfig{Gold: "human", Judges: []string{"judge"}, Cluster: "c"}
	a, b := compare(t, once.String(), cfg).Pairs[0], compare(t, often.String(), cfg).Pairs[0]
	naive := compare(t, often.String(), AgreeConfig{Gold: "human", Judges: []string{"judge"}}).Pairs[0]
	for _, name := range []string{"accuracy", "kappa", "mcc", "ac1", "recall_wrong"} {
		x, y, z := estimate(t, a, name), estimate(t, b, name), estimate(t, naive, name)
		if *x.Value != *y.Value || !(math.Abs(*x.Low-*y.Low) <= 0.015) || !(math.Abs(*x.High-*y.High) <= 0.015) {
			t.Errorf("%s: once %v %v %v, four times %v %v %v", name, *x.Value, *x.Low, *x.High, *y.Value, *y.Low, *y.High)
		}
		if *z.High-*z.Low > 0.7*(*y.High-*y.Low) {
			t.Errorf("%s: taken as independent the interval is %.3f wide, by cluster %.3f", name, *z.High-*z.Low, *y.High-*y.Low)
		}
	}
	if b.N != 240 || b.Conversations != 60 {
		t.Errorf("n %d in %d clusters", b.N, b.Conversations)
	}
}

// Krippendorff's published example of four observers with gaps, as ratings 1..5.
func TestPanelOfFourObservers(t *testing.T) {
	text := "a,b,c,d\n1,1,,1\n2,2,3,2\n3,3,3,3\n3,3,3,3\n2,2,2,2\n1,2,3,4\n4,4,4,4\n1,1,2,1\n2,2,2,2\n,5,5,5\n,,1,1\n,,3,\n"
	judges := []string{"a", "b", "c", "d"}
	for _, test := range []struct {
		scale, want string
		cfg         AgreeConfig
	}{
		{"nominal", "0.7434", AgreeConfig{Categories: []string{"1..5"}, Scale: Nominal}},
		{"ordinal", "0.8154", AgreeConfig{Categories: []string{"1..5"}}},
		{"interval", "0.8491", AgreeConfig{Scale: Interval}},
	} {
		test.cfg.Judges = judges
		r := compare(t, text, test.cfg)
		level := map[string]string{Nominal: "alpha_verdicts"}[test.scale]
		if level == "" {
			level = "alpha_values"
		}
		if got := values(t, r.Panel, level)[level]; got != test.want || r.Reading.Scale != test.scale {
			t.Errorf("alpha %s on scale %s, want %s on %s", got, r.Reading.Scale, test.want, test.scale)
		}
		if len(r.Pairs) != 6 || r.Gold != "" {
			t.Errorf("%d pairs, gold %q", len(r.Pairs), r.Gold)
		}
		if n := r.Panel.N; n != 11 {
			t.Errorf("%d rows with two ratings, want 11", n)
		}
	}
}

func TestWhatColumnsMean(t *testing.T) {
	for _, test := range []struct {
		name, text string
		cfg        AgreeConfig
		kinds      string
		measure    string
		want       string
	}{
		{"built-in words of any case", "g,j\nPASS,yes\nFailed,NO\nsuccess,true\n", AgreeConfig{}, "verdicts", "accuracy", "1.0000"},
		{"0 and 1 are verdicts", "g,j\n1,1\n0,1\n1,0\n", AgreeConfig{}, "verdicts", "accuracy", "0.3333"},
		{"other numbers are values", "g,j\n0.5,1\n0.25,0.5\n1,1\n", AgreeConfig{}, "values", "graded.bias", "0.2500"},
		{"a threshold cuts both", "g,j\n0.5,0.9\n0.2,0.1\n0.7,0.4\n", AgreeConfig{Threshold: &Cut{0.5, 1}}, "verdicts values", "accuracy", "0.6667"},
		{"gold of 0 and 1 is not cut", "g,j\n1,5\n0,3\n1,4\n", AgreeConfig{Threshold: &Cut{4, 5}}, "verdicts values", "accuracy", "1.0000"},
		{"gold with its own threshold", "g,j\n0.5,3\n0.2,4\n", AgreeConfig{Threshold: &Cut{4, 5}, GoldThreshold: &Cut{0.4, 1}}, "verdicts values", "accuracy", "0.0000"},
		{"binary gold and a score", "g,j\npass,0.9\nfail,0.2\npass,0.2\n", AgreeConfig{}, "values", "auc", "0.7500"},
		{"positive words", "g,j\ngood,A\nbad,B\ngood,B\n", AgreeConfig{Positive: []string{"a"}}, "verdicts", "accuracy", "0.6667"},
		{"a map for the judge leaves gold's own words", "g,j\ntrue,met\nfalse,unmet\n", AgreeConfig{Map: []Mapping{{"pass", []string{"met"}}, {"fail", []string{"unmet"}}}}, "verdicts", "accuracy", "1.0000"},
		{"a map of numbers", "g,j\n1,5\n0,2\n1,4\n", AgreeConfig{Map: []Mapping{{"pass", []string{"4", "5"}}, {"fail", []string{"2", "3"}}}}, "verdicts", "accuracy", "1.0000"},
		{"patterns, exact words first", "g,j\npass,all of it: SUCCESS\nfail,no success\nfail,it broke\n", AgreeConfig{Map: []Mapping{{"pass", []string{"*success*", "pass"}}, {"fail", []string{"no success", "fail"}}, {"fail", []string{"*"}}}}, "verdicts", "accuracy", "1.0000"},
		{"a star leaves the usual words", "g,j\npass,all of it: success\nfail,it broke\npass,pass\nfail,yes\n", AgreeConfig{Map: []Mapping{{"pass", []string{"*success*"}}, {"fail", []string{"y*"}}, {"fail", []string{"*"}}}}, "verdicts", "accuracy", "1.0000"},
		{"mapped to missing", "g,j\npass,pass\npass,unsure\n", AgreeConfig{Map: []Mapping{{"pass", []string{"pass"}}, {"fail", []string{"fail"}}, {"missing", []string{"unsure"}}}, UnknownMissing: true}, "verdicts", "accuracy", "1.0000"},
		{"named categories", "g,j\npoor,fair\ngood,good\nfair,fair\n", AgreeConfig{Categories: []string{"poor", "fair", "good"}}, "categories", "ratings.same_category", "0.6667"},
		{"None as a category", "g,j\nNone,None\ngood,None\n", AgreeConfig{Categories: []string{"None", "good"}}, "categories", "ratings.same_category", "0.5000"},
		{"1.0 and 1 are one category", "g,j\n1.0,1\n2,2.0\n", AgreeConfig{Categories: []string{"1..3"}}, "categories values", "ratings.same_category", "1.0000"},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.cfg.Gold, test.cfg.Judges = "g", []string{"j"}
			r := compare(t, test.text, test.cfg)
			if got := strings.Join(r.Reading.Kinds, " "); got != test.kinds {
				t.Errorf("kinds %q, want %q", got, test.kinds)
			}
			if got := values(t, r.Pairs[0], test.measure)[test.measure]; got != test.want {
				t.Errorf("%s %s, want %s", test.measure, got, test.want)
			}
		})
	}
}

func TestErrorsNameLineAndRemedy(t *testing.T) {
	for _, test := range []struct {
		name, text, want string
		cfg              AgreeConfig
	}{
		{
			"unknown words", "g,j\npass,pass\nfail,maybe\npass,partial\npass,maybe\n",
			`t.csv:3: column j: "maybe" is neither pass nor fail (2 times); also "partial": say which words pass with --positive or --map, declare a scale with --categories, or count such words as missing with --unknown missing`, AgreeConfig{},
		},
		{
			"outside the map", "g,j\npass,pass\nfail,correct\n",
			`t.csv:3: column j: "correct" is neither pass nor fail (1 times): name it with --map pass=… or --map fail=…, or count such words as missing with --unknown missing`,
			AgreeConfig{Map: []Mapping{{"pass", []string{"pass"}}, {"fail", []string{"fail"}}}},
		},
		{
			"outside the categories", "g,j\n1,2\n2,7\n3,7\n",
			`t.csv:3: column j: "7" is outside the declared categories 1, 2, 3 (2 times): declare it, or count such words as missing with --unknown missing`,
			AgreeConfig{Categories: []string{"1..3"}},
		},
		{"words on an interval scale", "g,j\n1,2\n2,x\n", `t.csv:3: column j: "x" is not a number (1 times): count such words as missing with --unknown missing`, AgreeConfig{Scale: Interval}},
		{"numbers against verdicts", "g,j\n0.5,pass\n0.2,fail\n", `t.csv: column g holds numbers and column j verdicts: say with --threshold which numbers pass`, AgreeConfig{}},
		{"confidence out of range", "g,j,k\npass,pass,0.9\npass,pass,90\n", `t.csv:3: column k: "90" is not a number from 0 to 1 (1 times): count such words as missing with --unknown missing`, AgreeConfig{Confidence: []string{"k"}}},
		{"no rows", "g,j\n", `t.csv: no rows: want a table with a header and at least one row`, AgreeConfig{}},
		{"ordinal without a scale", "g,j\n1,2\n", `scale ordinal: declare the categories in order, such as 1..5; kappa is over the declared scale, not over what happens to occur`, AgreeConfig{Scale: Ordinal}},
		{"alpha", "g,j\n1,2\n", `alpha 2: want a number between 0 and 1, such as 0.05`, AgreeConfig{Alpha: 2}},
		{"categories twice", "g,j\n1,2\n", `categories: "1" occurs twice`, AgreeConfig{Categories: []string{"1", "2", "1"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.cfg.Gold, test.cfg.Judges = "g", []string{"j"}
			_, err := Agree("t.csv", strings.NewReader(test.text), test.cfg)
			if err == nil || err.Error() != test.want {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
		})
	}
}

func TestUndefinedHasAReason(t *testing.T) {
	text := rowsOf("g,j", map[string]int{"pass,pass": 30, "pass,fail": 2}, "pass,pass", "pass,fail")
	p := compare(t, text, AgreeConfig{Gold: "g", Judges: []string{"j"}}).Pairs[0]
	want := map[string]string{
		"recall_wrong": "- no_items", "specificity": "0.9375", "balanced_accuracy": "- one_class", "mcc": "- one_class",
		"kappa": "0.0000", "precision_fail": "0.0000",
	}
	got := values(t, p, "recall_wrong", "specificity", "balanced_accuracy", "mcc", "kappa", "precision_fail")
	if m := p.MCC; m.Value == nil && m.Reason != "" {
		got["mcc"] = want["mcc"] // any reason will do
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := codes(p.Warnings); got != "one_class" {
		t.Errorf("warnings %q", got)
	}
}

func TestAgreeWarnings(t *testing.T) {
	for _, test := range []struct {
		name, text, want string
		cfg              AgreeConfig
	}{
		{"few of everything", "g,j,c\n1,1,a\n0,0,a\n1,0,b\n", "few_of_one_class few_items few_clusters", AgreeConfig{Cluster: "c"}},
		{"ceiling", rowsOf("g,j", map[string]int{"1,1": 240, "0,1": 4, "0,0": 8}, "1,1", "0,1", "0,0"), "ceiling", AgreeConfig{}},
		{"judge says one thing", rowsOf("g,j", map[string]int{"1,1": 40, "0,1": 20}, "1,1", "0,1"), "judge_one_class", AgreeConfig{}},
		{"nothing in common", "g,j\n1,\n,0\n", "no_items", AgreeConfig{}},
		{"a score without a threshold", rowsOf("g,j", map[string]int{"1,0.5": 30, "0,0.2": 20}, "1,0.5", "0,0.2"), "no_threshold", AgreeConfig{}},
		{"constant numbers", rowsOf("g,j", map[string]int{"2,3": 30, "5,3": 1}, "2,3", "5,3"), "constant", AgreeConfig{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.cfg.Gold, test.cfg.Judges = "g", []string{"j"}
			if got := codes(compare(t, test.text, test.cfg).Pairs[0].Warnings); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// Judges that answer in two tools with different pass rates: the pooled kappa is far
// above that of either tool.
func TestStrataShowSimpson(t *testing.T) {
	text := rowsOf("tool,g,j", map[string]int{
		"easy,1,1": 81, "easy,1,0": 9, "easy,0,1": 9, "easy,0,0": 1,
		"hard,1,1": 1, "hard,1,0": 9, "hard,0,1": 9, "hard,0,0": 81, "rare,1,1": 2, ",1,1": 1,
	}, "easy,1,1", "easy,1,0", "easy,0,1", "easy,0,0", "hard,1,1", "hard,1,0", "hard,0,1", "hard,0,0", "rare,1,1", ",1,1")
	pair := compare(t, text, AgreeConfig{Gold: "g", Judges: []string{"j"}, By: []string{"tool"}}).Pairs[0]
	split := pair.Splits[0]
	got := map[string]string{}
	for _, s := range append(split.Strata, report.Stratum{Name: "pooled", ColumnPair: pair}, report.Stratum{Name: "macro", ColumnPair: split.Macro}) {
		got[s.Name] = fmt.Sprintf("%d %v %s", s.N, s.Small, values(t, s, "kappa")["kappa"])
	}
	want := map[string]string{
		"easy": "100 false 0.0000", "hard": "100 false 0.0000", "rare": "2 true - no_chance_disagreement",
		"(missing)": "1 true - no_chance_disagreement", "pooled": "203 false 0.6452", "macro": "4 false 0.0000",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestConfidenceAndScore(t *testing.T) {
	// Said 0.9 and right 9 times of 10, said 0.6 and right 6 of 10: calibrated.
	text := rowsOf("g,j,c,s", map[string]int{"1,1,0.9,0.8": 9, "0,1,0.9,0.8": 1, "0,0,0.6,0.3": 6, "1,0,0.6,0.3": 4},
		"1,1,0.9,0.8", "0,1,0.9,0.8", "0,0,0.6,0.3", "1,0,0.6,0.3")
	p := compare(t, text, AgreeConfig{Gold: "g", Judges: []string{"j"}, Confidence: []string{"c"}}).Pairs[0]
	want := map[string]string{"confidence.auc": "0.7000", "confidence.brier": "0.1650", "confidence.overconfidence": "0.0000"}
	if diff := cmp.Diff(want, values(t, p, "confidence.auc", "confidence.brier", "confidence.overconfidence")); diff != "" {
		t.Error(diff)
	}
	s := compare(t, text, AgreeConfig{Gold: "g", Judges: []string{"s"}}).Pairs[0]
	want = map[string]string{"base_rate": "0.6500", "auc": "0.7747", "score.probability.overconfidence": "-0.1000", "score.best_threshold": "0.8000", "kappa": "- no_items"}
	if diff := cmp.Diff(want, values(t, s, "base_rate", "auc", "score.probability.overconfidence", "score.best_threshold", "kappa")); diff != "" {
		t.Error(diff)
	}
}

func TestRowsWithoutAClusterAreLeftOut(t *testing.T) {
	r := compare(t, "c,g,j\na,1,1\n,0,1\nb,0,0\n", AgreeConfig{Gold: "g", Judges: []string{"j"}, Cluster: "c"})
	if r.Pairs[0].N != 2 || r.Clusters != 2 || codes(r.Warnings) != "no_cluster" {
		t.Errorf("n %d in %d clusters, warnings %q", r.Pairs[0].N, r.Clusters, codes(r.Warnings))
	}
}

func TestParse(t *testing.T) {
	for _, text := range []string{"pass=", "maybe=x", "pass", "=x"} {
		want := fmt.Sprintf("map %q: want pass=WORDS, fail=WORDS or missing=WORDS", text)
		if _, err := ParseMapping(text); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	m, err := ParseMapping(" pass = a, b ")
	if diff := cmp.Diff(Mapping{"pass", []string{"a", "b"}}, m); diff != "" || err != nil {
		t.Error(diff, err)
	}
	for text, want := range map[string]string{"0.7": "0.7 or more", "4..5": "4 to 5", "-1..0.5": "-1 to 0.5"} {
		c, err := ParseCut(text)
		if err != nil || c.String() != want {
			t.Errorf("cut %q: %v, %v", text, c, err)
		}
	}
	for _, text := range []string{"", "x", "5..4", "NaN", "Inf", "1..", "..1", "1..NaN"} {
		want := fmt.Sprintf("threshold %q: want a number, or LOW..HIGH", text)
		if c, err := ParseCut(text); err == nil || err.Error() != want {
			t.Errorf("got %v, %v; want %s", c, err, want)
		}
	}
}

// FuzzCompare: no input makes it panic or give a number that is no number.
func FuzzCompare(f *testing.F) {
	f.Add("g,j\n1,2\n", "", "", false)
	f.Add("g,j\npass,fail\n", "", "", true)
	f.Add("g,j\n1,5\n5,3\n", "1..5", "0.5", false)
	f.Add(`{"g":true,"j":0.3}`, "", "0..1", true)
	f.Fuzz(func(t *testing.T, text, categories, cut string, unknown bool) {
		cfg := AgreeConfig{Gold: "g", Judges: []string{"j"}, By: []string{"j"}, Cluster: "g", Categories: strings.FieldsFunc(categories, func(r rune) bool { return r == ',' }), UnknownMissing: unknown}
		cfg.Threshold, _ = ParseCut(cut)
		if cut == "" {
			cfg.Threshold = nil
		}
		r, err := Agree("t", strings.NewReader(text), cfg)
		if err != nil {
			return
		}
		var out strings.Builder
		if err := report.WriteJSON(&out, r); err != nil {
			t.Fatal(err)
		}
		for _, p := range r.Pairs {
			for i, e := range numbersOf(&p) {
				ofOrder := p.Ratings != nil && (e == &p.Ratings.WithinOne || e == &p.Ratings.Quadratic)
				if ofOrder && r.Reading.Scale != Ordinal {
					continue // left out
				}
				if e.Value == nil && e.Reason == "" {
					t.Fatalf("number %d is undefined without a reason", i)
				}
			}
		}
	})
}

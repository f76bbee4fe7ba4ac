package measure

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report"
)

// metOrNot maps the words of a judge.
func metOrNot(pass, fail string) []Mapping {
	return []Mapping{{"pass", []string{pass}}, {"fail", []string{fail}}}
}

// TestColumnsBesideThresholds: a threshold, a map and a scale each apply to the columns they are for.
func TestColumnsBesideThresholds(t *testing.T) {
	for _, test := range []struct {
		name, text string
		cfg        AgreeConfig
		kinds      string
		want       map[string]string
	}{
		{
			"a threshold leaves words as they are", "g,j\npass,0.9\nfail,0.6\npass,0.2\n",
			AgreeConfig{Threshold: &Cut{0.5, 1}}, "verdicts values",
			map[string]string{"accuracy": "0.3333", "graded.bias": "absent", "auc": "0.5000"},
		},
		{
			"gold of 0 and 1 with a threshold of its own", "g,j\n0,1\n1,0\n0,0\n",
			AgreeConfig{GoldThreshold: &Cut{0, 0}}, "verdicts", map[string]string{"accuracy": "0.6667"},
		},
		{
			"a word for no value that the map names", "g,j\npass,ok\nfail,N/A\npass,N/A\n",
			AgreeConfig{Map: metOrNot("ok", "N/A")}, "verdicts", map[string]string{"accuracy": "0.6667"},
		},
		{
			"a map leaves a column of numbers", "g,j\nmet,0.9\nunmet,0.2\nmet,0.4\n",
			AgreeConfig{Map: metOrNot("met", "unmet"), Threshold: &Cut{0.5, 1}}, "verdicts values",
			map[string]string{"accuracy": "0.6667", "auc": "1.0000"},
		},
		{
			"0 and 1 on an interval scale are numbers", "g,j\n0,0.5\n1,0.75\n",
			AgreeConfig{Scale: Interval}, "values",
			map[string]string{"graded.bias": "0.1250", "accuracy": "- no_items", "auc": "- not_applicable"},
		},
		{
			"verdicts of gold beside a score are no numbers", "g,j\n1,5\n0,3\n1,4\n",
			AgreeConfig{Threshold: &Cut{4, 5}}, "verdicts values",
			map[string]string{"graded.bias": "absent", "auc": "1.0000"},
		},
		{
			"a threshold of the judge that 1 misses leaves 0 and 1 of gold", "g,j\n1,0\n0,1\n",
			AgreeConfig{Threshold: &Cut{0, 0.5}}, "verdicts values", map[string]string{"accuracy": "1.0000"},
		},
		{
			"a threshold for the numbers of both", "g,j\n0.9,0.9\n0.2,0.2\n0.6,0.1\n",
			AgreeConfig{Threshold: &Cut{0.5, 1}}, "verdicts values", map[string]string{"accuracy": "0.6667"},
		},
		{
			"a missing number has no verdict", "g,j\n1,0.9\n1,\n0,0.2\n",
			AgreeConfig{Threshold: &Cut{0.5, 1}}, "verdicts values", map[string]string{"accuracy": "1.0000"},
		},
		{
			"a threshold decides about numbers beside words", "g,j\npass,yes\npass,4\nfail,3\nfail,1\n",
			AgreeConfig{Threshold: &Cut{4, 5}}, "verdicts", map[string]string{"accuracy": "1.0000"},
		},
		{
			"a map says what a number means, before the threshold", "g,j\npass,met\npass,2\npass,5\nfail,3\nfail,unmet\n",
			AgreeConfig{Threshold: &Cut{4, 5}, Map: []Mapping{{"pass", []string{"met", "2"}}, {"fail", []string{"unmet"}}}},
			"verdicts", map[string]string{"accuracy": "1.0000"},
		},
		{
			"every word but the positive ones fails, also a number", "g,j\npass,met\nfail,5\n",
			AgreeConfig{Threshold: &Cut{4, 5}, Positive: []string{"met"}}, "verdicts",
			map[string]string{"accuracy": "1.0000"},
		},
		{
			"a declared word keeps its meaning beside a star", "g,j\npass,all of it: success\nfail,yes\npass,ok\n",
			AgreeConfig{Map: []Mapping{{"pass", []string{"*success*"}}, {"fail", []string{"yes", "*"}}}},
			"verdicts", map[string]string{"accuracy": "1.0000"},
		},
		{
			"named categories have no threshold", "g,j\npoor,good\ngood,good\n",
			AgreeConfig{Categories: []string{"poor", "good"}, Threshold: &Cut{1, 1}}, "categories",
			map[string]string{"ratings.same_category": "0.5000", "accuracy": "- no_items", "graded.bias": "absent"},
		},
		{
			"a scale of numbers has one", "g,j\n2,3\n1,2\n3,3\n",
			AgreeConfig{Categories: []string{"1..3"}, Scale: Ordinal, Threshold: &Cut{2, 3}}, "categories verdicts values",
			map[string]string{"ratings.same_category": "0.3333", "accuracy": "0.6667", "graded.bias": "0.6667"},
		},
		{
			"categories 0 and 1", "g,j\n0,1\n1,1\n", AgreeConfig{Categories: []string{"0", "1"}}, "categories values",
			map[string]string{"ratings.same_category": "0.5000", "graded.bias": "absent"},
		},
		{
			"1 is the category 1.0", "g,j\n1,2\n2,2\n", AgreeConfig{Categories: []string{"1.0", "2.0"}},
			"categories values", map[string]string{"ratings.same_category": "0.5000"},
		},
		{
			"a number among the categories", "g,j\nb,1\n1,1\n2,2\n", AgreeConfig{Categories: []string{"1", "2", "b"}},
			"categories", map[string]string{"ratings.same_category": "0.6667", "ratings.kappa_categories": "0.5000"},
		},
		{
			"infinity is a word", "g,j\n-Inf,1\n1,1\nInf,Inf\n", AgreeConfig{Categories: []string{"-Inf", "1", "Inf"}},
			"categories", map[string]string{"ratings.same_category": "0.6667"},
		},
		{
			"minus infinity too", "g,j\n-Inf,1\n1,1\n", AgreeConfig{Categories: []string{"-Inf", "1"}},
			"categories", map[string]string{"ratings.same_category": "0.5000"},
		},
		{
			"NaN is a word", "g,j\nNaN,1\n1,1\n", AgreeConfig{Categories: []string{"1", "NaN"}},
			"categories", map[string]string{"ratings.same_category": "0.5000"},
		},
		{
			"dots that are no range of integers", "g,j\n5..1,a..2\n1..b,1..b\n3,3\n7,7\n",
			AgreeConfig{Categories: []string{"5..1", "a..2", "1..b", "3..3", "7"}}, "categories",
			map[string]string{"ratings.same_category": "0.7500"},
		},
		{
			"named categories in order", "g,j\npoor,poor\nfair,good\ngood,fair\n",
			AgreeConfig{Categories: []string{"poor", "fair", "good"}, Scale: Ordinal}, "categories",
			map[string]string{"spearman": "0.5000", "auc": "- not_applicable"},
		},
		{
			"named categories without an order", "g,j\npoor,poor\nfair,good\ngood,fair\n",
			AgreeConfig{Categories: []string{"poor", "fair", "good"}}, "categories",
			map[string]string{"spearman": "- not_applicable"},
		},
		{
			"a score from 0 to 1 is a probability", "g,j\n1,1\n0,0\n1,0.5\n", AgreeConfig{}, "values", map[string]string{
				"score.average_precision_wrong": "1.0000", "score.probability.brier": "0.0833",
			},
		},
		{
			"a score below 0 is none", "g,j\n1,1\n0,-0.5\n0,1\n", AgreeConfig{}, "values", map[string]string{
				"score.average_precision_wrong": "0.8333", "score.probability.brier": "absent",
			},
		},
		{
			"a score above 1 is none", "g,j\n1,1.5\n0,0\n", AgreeConfig{}, "values",
			map[string]string{"score.probability.brier": "absent"},
		},
		{
			"verdicts on both sides have no score", "g,j\n1,1\n0,1\n", AgreeConfig{}, "verdicts",
			map[string]string{"score.best_threshold": "absent", "graded.bias": "absent"},
		},
		{
			"numbers of gold have none", "g,j\n0.5,1\n0.25,0.5\n", AgreeConfig{}, "values",
			map[string]string{"score.best_threshold": "absent", "graded.bias": "0.3750"},
		},
		{
			"numbers beside 0 and 1 on an interval scale", "g,j\n0.5,1\n0.25,0\n", AgreeConfig{Scale: Interval}, "values",
			map[string]string{"graded.bias": "0.1250"},
		},
		{
			"100 categories", "g,j\n1,1\n100,99\n",
			AgreeConfig{Categories: []string{"1..100"}}, "categories values",
			map[string]string{"ratings.same_category": "0.5000"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.cfg.Gold, test.cfg.Judges = "g", []string{"j"}
			r := compare(t, test.text, test.cfg)
			if got := strings.Join(r.Reading.Kinds, " "); got != test.kinds {
				t.Errorf("kinds %q, want %q", got, test.kinds)
			}
			names := slices.Collect(maps.Keys(test.want))
			if diff := cmp.Diff(test.want, values(t, r.Pairs[0], names...)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// TestColumnsAreCounted: no guess about a word is hidden. Texts that match a pattern count as the pattern.
func TestColumnsAreCounted(t *testing.T) {
	text := "c,g,j\na,pass,all fine: success\na,fail,it broke\nb,pass,success!\n,pass,1\nb,NA,Success\n"
	r := compare(t, text, AgreeConfig{
		Gold: "g", Judges: []string{"j"}, Cluster: "c", UnknownMissing: true,
		Map: append(metOrNot("*success*", "it broke"), Mapping{"missing", []string{"NA"}}),
	})
	want := []report.TableColumn{
		{
			Name: "g", Role: "gold", Missing: 1, Pass: []report.WordCount{{Word: "pass", Count: 3, Line: 2}},
			Fail:     []report.WordCount{{Word: "fail", Count: 1, Line: 3}},
			NoValues: []report.WordCount{{Word: "NA", Count: 1, Line: 6}},
		},
		{
			Name: "j", Role: "judge", Numbers: 1, Missing: 1,
			Pass:    []report.WordCount{{Word: "*success*", Count: 3, Line: 2}},
			Fail:    []report.WordCount{{Word: "it broke", Count: 1, Line: 3}},
			Unknown: []report.WordCount{{Word: "1", Count: 1, Line: 5}},
		},
		{Name: "c", Role: "cluster", Missing: 1, NoValues: []report.WordCount{{Word: "", Count: 1, Line: 5}}},
	}
	if diff := cmp.Diff(want, r.Columns); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
}

// TestSettingsThatCannotBe: each is told with what to change.
func TestSettingsThatCannotBe(t *testing.T) {
	ab := []string{"a", "b"}
	for _, test := range []struct {
		text, want string
		cfg        AgreeConfig
	}{
		{"g,j\n1,1\n", "alpha -0.1: want a number between 0 and 1, such as 0.05", AgreeConfig{Judges: ab, Alpha: -0.1}},
		{"g,j\n1,1\n", "alpha 1: want a number between 0 and 1, such as 0.05", AgreeConfig{Judges: ab, Alpha: 1}},
		{"g,j\n1,1\n", "no judge: name at least one column", AgreeConfig{Gold: "g"}},
		{"g,j\n1,1\n", `scale "ratio": want nominal, ordinal or interval`, AgreeConfig{Judges: ab, Scale: "ratio"}},
		{
			"g,j\n1,1\n", "scale interval takes numbers as they are: leave the categories out, or say scale ordinal",
			AgreeConfig{Judges: ab, Scale: Interval, Categories: ab},
		},
		{
			"g,j\n1,1\n", "scale interval takes numbers as they are: leave the categories out, or say scale ordinal",
			AgreeConfig{Judges: ab, Scale: Interval, Categories: ab[:1]},
		},
		{
			"g,j\n1,1\n", "scale ordinal: declare the categories in order, such as 1..5; kappa is over the declared " +
				"scale, not over what happens to occur", AgreeConfig{Judges: ab, Scale: Ordinal},
		},
		{"g,j\n1,1\n", `categories: "2" occurs twice`, AgreeConfig{Judges: ab, Categories: []string{"1..2", "2"}}},
		{
			"a,b,j\n0.5,1,1\n", "t.csv: column a of a person holds numbers: say with --gold-threshold or " +
				"--threshold which pass", AgreeConfig{People: ab, Judges: []string{"j"}},
		},
		{"g,j\n1,1\n", "categories: want 2 to 100, got 1", AgreeConfig{Judges: ab, Categories: []string{"1"}}},
		{"g,j\n1,1\n", "categories: want 2 to 100, got 101", AgreeConfig{Judges: ab, Categories: []string{"1..101"}}},
		{"g,j\n1,1\n", "categories: want 2 to 100, got 1000", AgreeConfig{Judges: ab, Categories: []string{"1..1000"}}},
		{
			"g,j\n1,1\n", "categories: want 2 to 100, got 5000000004",
			AgreeConfig{Judges: ab, Categories: []string{"x", "1..3", "0..4999999999"}},
		},
		{
			"g,j\n1,1\n", "positive and map cannot be combined: with positive, every other word means fail",
			AgreeConfig{Judges: ab, Positive: ab[:1], Map: metOrNot("a", "b")[:1]},
		},
		{
			"g,j\n1,1\n", "scale interval takes numbers: positive and map are for words",
			AgreeConfig{Judges: ab, Scale: Interval, Positive: ab[:1]},
		},
		{
			"g,j\n1,1\n", "categories and positive or map cannot be combined: either the words are a scale, " +
				"or they are verdicts", AgreeConfig{Judges: ab, Categories: ab, Map: metOrNot("a", "b")},
		},
		{"g,j\n1,1\n", "person: name the columns of two people at least", AgreeConfig{Judges: ab, People: []string{"g"}}},
		{
			"g,j\n1,1\n", "confidence is checked against gold: name the gold column",
			AgreeConfig{Judges: ab, Confidence: []string{"g"}},
		},
		{"", "t.csv: the file is empty: want a table with a header, or JSON lines", AgreeConfig{Judges: ab}},
		{
			"g,j\nbanana,met\ntrue,unmet\n", `t.csv:2: column g: "banana" is neither pass nor fail (1 times); also ` +
				`"true": name it with --map pass=… or --map fail=…, or count such words as missing with --unknown missing`,
			AgreeConfig{Gold: "g", Judges: []string{"j"}, Map: metOrNot("met", "unmet")},
		},
		{
			"g,j\nfair,good\ngood,0\n", `t.csv:3: column j: "0" is outside the declared categories fair, good ` +
				`(1 times): declare it, or count such words as missing with --unknown missing`,
			AgreeConfig{Gold: "g", Judges: []string{"j"}, Categories: []string{"fair", "good"}},
		},
		{
			"g,j,k\n1,1,0\n1,1,-0.1\n1,1,1\n", `t.csv:3: column k: "-0.1" is not a number from 0 to 1 (1 times): ` +
				`count such words as missing with --unknown missing`,
			AgreeConfig{Gold: "g", Judges: []string{"j"}, Confidence: []string{"k"}},
		},
		{
			"g,j,k\n1,1,0\n1,1,1.5\n1,1,1\n", `t.csv:3: column k: "1.5" is not a number from 0 to 1 (1 times): ` +
				`count such words as missing with --unknown missing`,
			AgreeConfig{Gold: "g", Judges: []string{"j"}, Confidence: []string{"k"}},
		},
		{"g,j\n1,1\n", "t.csv: only column j: name a gold column, or a second judge", AgreeConfig{Judges: []string{"j"}}},
		{"g,j\n1,1\n", `t.csv: gold "*" matches 2 columns, want one`, AgreeConfig{Gold: "*", Judges: []string{"j"}}},
		{
			"g,j\n1,1\n", `t.csv: by "*" matches 2 columns, want one`,
			AgreeConfig{Gold: "g", Judges: []string{"j"}, By: []string{"*"}},
		},
		{
			"g,j,a,b\n1,1,1,1\n",
			"t.csv: 2 confidence columns for 1 judges: want one for all, or one for each in the same order",
			AgreeConfig{Gold: "g", Judges: []string{"j"}, Confidence: ab},
		},
		{
			"a,b,j\n1,0.5,1\n", "t.csv: column b of a person holds numbers: say with --gold-threshold or " +
				"--threshold which pass", AgreeConfig{People: ab, Judges: []string{"j"}},
		},
		{
			"a,b\npass,0.5\nfail,1\n",
			"t.csv: column b holds numbers and column a verdicts: say with --threshold which numbers pass",
			AgreeConfig{Judges: ab},
		},
		{
			"g,j\n1,a success\n0,it broke\n", `t.csv:3: column j: "it broke" is neither pass nor fail (1 times): ` +
				"name it with --map pass=… or --map fail=…, or count such words as missing with --unknown missing",
			AgreeConfig{Gold: "g", Judges: []string{"j"}, Map: metOrNot("*success*", "no*")},
		},
	} {
		if _, err := Agree("t.csv", strings.NewReader(test.text), test.cfg); err == nil || err.Error() != test.want {
			t.Errorf("got  %v\nwant %s", err, test.want)
		}
	}
}

// TestRowsOfClustersApart: rows of one cluster need not stand together. Names of clusters and strata, and confidence,
// are no words that a map is about.
func TestRowsOfClustersApart(t *testing.T) {
	r := compare(t, `c,t,g,j,k
a success,all success,pass,success,0.75
b success,all failure,fail,it broke,0.5
a success,all failure,pass,it broke,0.25
b success,all success,pass,success,1
`, AgreeConfig{
		Gold: "g", Judges: []string{"j"}, Confidence: []string{"k"}, Cluster: "c", By: []string{"t"},
		Map: []Mapping{{"pass", []string{"*success*"}}, {"fail", []string{"*"}}},
	})
	p := r.Pairs[0]
	if r.Clusters != 2 || p.Conversations != 2 || p.Confusion != (report.Confusion{BothPass: 2, JudgeOnlyFail: 1, BothFail: 1}) {
		t.Errorf("%d clusters, %d of the pair, %+v", r.Clusters, p.Conversations, p.Confusion)
	}
	// Right with 0.75, 0.5 and 1, wrong with 0.25: squares 1/16, 1/4, 1/16 and 0.
	if diff := cmp.Diff(map[string]string{"confidence.brier": "0.0938"}, values(t, p, "confidence.brier")); diff != "" {
		t.Errorf("confidence (-want +got):\n%s", diff)
	}
	got := map[string]report.Confusion{}
	for _, s := range p.Splits[0].Strata {
		got[s.Name] = s.Confusion
	}
	want := map[string]report.Confusion{
		"all success": {BothPass: 2}, "all failure": {JudgeOnlyFail: 1, BothFail: 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("strata (-want +got):\n%s", diff)
	}
}

// TestColumnsByPattern: a pattern of judges leaves gold out and each column counts once; people and confidence may be
// patterns too, and each judge has its own confidence.
func TestColumnsByPattern(t *testing.T) {
	r := compare(t, "g,p1,p2,q,a,b,ka,kb\n1,1,1,1,1,0,1,0.5\n0,0,0,0,0,0,1,0.5\n1,0,0,0,1,1,1,0.5\n", AgreeConfig{
		Gold: "g", Judges: []string{"b", "a", "b*"}, People: []string{"p*", "q"}, Confidence: []string{"k*"},
	})
	if diff := cmp.Diff([]string{"b", "a"}, r.Judges); diff != "" || r.Gold != "g" {
		t.Errorf("gold %s, judges (-want +got):\n%s", r.Gold, diff)
	}
	got := map[string]string{}
	for _, p := range r.Pairs {
		got[p.Judge] = values(t, p, "confidence.brier")["confidence.brier"]
	}
	// The first confidence is for the first judge: b is right twice with 1, a three times with 0.5.
	if diff := cmp.Diff(map[string]string{"b": "0.3333", "a": "0.2500"}, got); diff != "" {
		t.Errorf("confidence (-want +got):\n%s", diff)
	}
	all := compare(t, "a,g,b\n1,1,0\n0,0,0\n", AgreeConfig{Gold: "g", Judges: []string{"*"}})
	if diff := cmp.Diff([]string{"a", "b"}, all.Judges); diff != "" {
		t.Errorf("every column but gold (-want +got):\n%s", diff)
	}
	all = compare(t, "p,q,j\n1,1,1\n0,0,1\n", AgreeConfig{People: []string{"p", "q"}, Judges: []string{"*"}})
	if diff := cmp.Diff([]string{"j"}, all.Judges); diff != "" {
		t.Errorf("every column but the people's (-want +got):\n%s", diff)
	}
}

// TestPeopleByPattern: a person whose column two patterns match is one person, in the majority and in the comparison.
func TestPeopleByPattern(t *testing.T) {
	cfg := AgreeConfig{People: []string{"p1", "p*", "q"}, Judges: []string{"j"}}
	r := compare(t, "p1,p2,q,j\n1,0,0,1\n0,1,1,0\n1,1,1,1\n0,0,0,0\n", cfg)
	if r.Gold != "majority of 3 people" || len(r.People) != 1 {
		t.Errorf("gold %q, people %+v", r.Gold, r.People)
	}
	// p2 and q outvote p1 in the first two rows.
	if c := r.Pairs[0].Confusion; c.BothPass != 1 || c.JudgeOnlyFail != 1 || c.JudgeOnlyPass != 1 || c.BothFail != 1 {
		t.Errorf("%+v", c)
	}
	cfg.People = []string{"q", "q*"}
	_, err := Agree("t.csv", strings.NewReader("q,g,j\n1,1,1\n"), cfg)
	want := "t.csv: only column q: name the columns of two people at least"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// TestConfidenceBesidePeople: without gold the majority of people says whether a judge is right. A confidence that is
// none counts as missing if the user says so.
func TestConfidenceBesidePeople(t *testing.T) {
	r := compare(t, "p,q,j,k\n1,1,1,1\n0,0,1,0.5\n1,1,1,-1\n", AgreeConfig{
		People: []string{"p", "q"}, Judges: []string{"j"}, Confidence: []string{"k"}, UnknownMissing: true,
	})
	c := r.Pairs[0].Confidence
	if c == nil || c.N != 2 || *c.Brier.Value != 0.125 {
		t.Errorf("%+v", c)
	}
}

// TestThresholdLeavesPeople: a threshold of the judge's numbers leaves verdicts of people as they are, as it does gold's.
func TestThresholdLeavesPeople(t *testing.T) {
	r := compare(t, "a,b,j\n1,1,5\n0,0,3\n1,1,4\n", AgreeConfig{
		Judges: []string{"j"}, People: []string{"a", "b"}, Threshold: &Cut{4, 5},
	})
	if got := r.Pairs[0].Confusion; got != (report.Confusion{BothPass: 2, BothFail: 1}) {
		t.Errorf("%+v", got)
	}
}

// TestJudgesWithoutGold: two judges have no recall against each other; one judge has no panel. A panel of numbers has
// no verdicts, and a judge of numbers is not compared with people.
func TestJudgesWithoutGold(t *testing.T) {
	r := compare(t, "a,b\n1,1\n0,1\n1,0\n0,0\n", AgreeConfig{Judges: []string{"a", "b"}})
	got := values(t, r.Pairs[0], "recall_wrong", "specificity", "youden", "precision_fail", "accuracy")
	want := map[string]string{
		"recall_wrong": "- no_gold", "specificity": "- no_gold", "youden": "absent", "precision_fail": "absent",
		"accuracy": "0.5000",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a", "b"}, r.Panel.Judges); diff != "" || r.People != nil {
		t.Errorf("people %+v, panel (-want +got)\n%s", r.People, diff)
	}
	r = compare(t, "a,b\n0.5,0.25\n0.25,0.5\n,1\n", AgreeConfig{Judges: []string{"a", "b"}})
	got = values(t, r.Panel, "pairwise_agreement", "fleiss_kappa", "ac1", "alpha_verdicts")
	want = map[string]string{"pairwise_agreement": "- not_applicable", "fleiss_kappa": "- not_applicable",
		"ac1": "- not_applicable", "alpha_verdicts": "- not_applicable"}
	if diff := cmp.Diff(want, got); diff != "" || r.Panel.N != 2 || r.Panel.Scale != Interval {
		t.Errorf("n %d, scale %s (-want +got)\n%s", r.Panel.N, r.Panel.Scale, diff)
	}
	r = compare(t, "p,q,a\n1,1,0.5\n0,0,0.25\n", AgreeConfig{People: []string{"p", "q"}, Judges: []string{"a"}})
	if r.Panel != nil || r.People != nil {
		t.Errorf("panel %+v, people %+v", r.Panel, r.People)
	}
}

// TestMajorityOfThreePeople: two of three decide.
func TestMajorityOfThreePeople(t *testing.T) {
	r := compare(t, "a,b,c,j\n1,1,0,1\n1,0,0,1\n1,,0,1\n", AgreeConfig{
		Judges: []string{"j"}, People: []string{"a", "b", "c"},
	})
	if got := r.Pairs[0].Confusion; got != (report.Confusion{BothPass: 1, JudgeOnlyPass: 1}) {
		t.Errorf("%+v", got)
	}
}

// TestMajorityOfTwoPeople: with two people the gold is what both say.
func TestMajorityOfTwoPeople(t *testing.T) {
	text := "a,b,j\n1,1,1\n1,1,0\n0,0,0\n1,0,1\n,1,1\n"
	r := compare(t, text, AgreeConfig{Judges: []string{"j"}, People: []string{"a", "b"}})
	want := report.Confusion{BothPass: 1, JudgeOnlyFail: 1, BothFail: 1}
	if p := r.Pairs[0]; r.Gold != "majority of 2 people" || p.Confusion != want || p.N != 3 {
		t.Errorf("gold %q, n %d, %+v", r.Gold, p.N, p.Confusion)
	}
}

// TestJudgesBesideTheOthers: a and b always say the same, c does not go with them, d and e always pass. The mean
// of kappas leaves out the one between d and e, which is undefined; where the others tie there is no majority.
func TestJudgesBesideTheOthers(t *testing.T) {
	r := compare(t, "a,b,c,d,e\n1,1,1,1,1\n1,1,0,1,1\n0,0,1,1,1\n0,0,0,1,1\n", AgreeConfig{Judges: []string{"*"}})
	got := map[string]map[string]string{}
	for _, one := range r.Blind.Judges {
		got[one.Judge] = values(t, one, "pass_rate", "mean_kappa_with_others", "same_as_majority")
	}
	row := func(passes, kappa, same string) map[string]string {
		return map[string]string{"pass_rate": passes, "mean_kappa_with_others": kappa, "same_as_majority": same}
	}
	want := map[string]map[string]string{
		"a": row("0.5000", "0.2500", "0.6667"), "b": row("0.5000", "0.2500", "0.6667"),
		"c": row("0.5000", "0.0000", "0.5000"), "d": row("1.0000", "0.0000", "0.6667"),
		"e": row("1.0000", "0.0000", "0.6667"),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// TestSmallStrata: a stratum of 30 rows is large enough to be read alone, unless the user says otherwise.
func TestSmallStrata(t *testing.T) {
	text := rowsOf("t,g,j", map[string]int{"large,1,1": 30, "small,1,0": 29}, "large,1,1", "small,1,0")
	for least, want := range map[int]string{0: "large false, small true", 29: "large false, small false"} {
		r := compare(t, text, AgreeConfig{Gold: "g", Judges: []string{"j"}, By: []string{"t"}, SmallN: least})
		var got []string
		for _, s := range r.Pairs[0].Splits[0].Strata {
			got = append(got, fmt.Sprintf("%s %v", s.Name, s.Small))
		}
		if text := strings.Join(got, ", "); text != want {
			t.Errorf("at least %d rows: %s, want %s", least, text, want)
		}
	}
}

// TestWarningsOfTables: nine clusters are few, ten are not; one row that cannot be read is named, and so are
// judges that answered different items.
func TestWarningsOfTables(t *testing.T) {
	clustered := func(n int) string {
		var b strings.Builder
		b.WriteString("c,g,j\n")
		for i := range n {
			for _, row := range []string{"1,1", "1,1", "1,1", "0,1", "0,0", "0,0"} {
				fmt.Fprintf(&b, "c%d,%s\n", i, row)
			}
		}
		return b.String()
	}
	for _, test := range []struct{ name, text, judges, cluster, pair, table string }{
		{"nine clusters", clustered(9), "j", "c", "few_clusters", ""},
		{"ten clusters", clustered(10), "j", "c", "", ""},
		{
			"a row too short", rowsOf("g,j", map[string]int{"1,1": 30, "0,0": 30, "1": 1}, "1,1", "0,0", "1"), "j", "",
			"", "no_clusters unreadable",
		},
		{
			"different items", rowsOf("g,j,k", map[string]int{"1,1,1": 99, "0,0,0": 99, "1,,1": 1}, "1,1,1", "0,0,0", "1,,1"),
			"j k", "", "", "no_clusters different_items",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := compare(t, test.text, AgreeConfig{Gold: "g", Judges: strings.Fields(test.judges), Cluster: test.cluster})
			if pair, table := codes(r.Pairs[0].Warnings), codes(r.Warnings); pair != test.pair || table != test.table {
				t.Errorf("pair %q, table %q; want %q and %q", pair, table, test.pair, test.table)
			}
		})
	}
}

// TestBuiltInWords: the words that mean pass and fail unless something else is declared, in any case.
func TestBuiltInWords(t *testing.T) {
	passes := []string{"pass", "passed", "True", "yes", "y", "success", "successful", "succeeded", "correct", "right",
		"good", "OK"}
	fails := []string{"fail", "failed", "False", "no", "n", "failure", "unsuccessful", "incorrect", "wrong", "bad",
		"not ok"}
	for _, words := range [][]string{passes, fails} {
		text := "g,j\n"
		for _, w := range words {
			text += w + ",pass\n"
		}
		want := report.Confusion{BothPass: len(passes)}
		if words[0] == "fail" {
			want = report.Confusion{JudgeOnlyPass: len(fails)}
		}
		if got := compare(t, text, AgreeConfig{Gold: "g", Judges: []string{"j"}}).Pairs[0].Confusion; got != want {
			t.Errorf("%s and so on: %+v, want %+v", words[0], got, want)
		}
	}
}

// TestCategoriesOfARange: a range of integers stands for each of them; what is no such range, or has integers that
// are too large, stands for itself. A list that is too long is counted and not made.
func TestCategoriesOfARange(t *testing.T) {
	for _, tt := range []struct {
		list  string
		want  string
		count int64
	}{
		{"10..12", "10 11 12", 3}, {"-1..1", "-1 0 1", 3}, {"7..7", "7", 1}, {"7", "7", 1}, {"2..1", "2..1", 1},
		{"-1..x", "-1..x", 1}, {"x..1", "x..1", 1}, {"a 1..2 b", "a 1 2 b", 4},
		{"140737488355326..140737488355327", "140737488355326 140737488355327", 2},
		{"140737488355327..140737488355328", "140737488355327..140737488355328", 1},
		{"-140737488355329..-140737488355328", "-140737488355329..-140737488355328", 1},
	} {
		out, n := expandCategories(strings.Fields(tt.list))
		if got := strings.Join(out, " "); got != tt.want || n != tt.count {
			t.Errorf("%s: %s (%d), want %s (%d)", tt.list, got, n, tt.want, tt.count)
		}
	}
	if out, n := expandCategories([]string{"1..500", "x"}); len(out) != maxCategories+2 || n != 501 {
		t.Errorf("%d categories of %d", len(out), n)
	}
}

// TestClustersOfRowsApart: a cluster is that of its rows, wherever they stand; strata come by size, then by name.
func TestClustersOfRowsApart(t *testing.T) {
	r := compare(t, "c,t,g,j\na,z,1,1\nb,y,,1\na,x,0,1\nb,y,,0\na,x,1,1\na,w,1,1\n", AgreeConfig{
		Gold: "g", Judges: []string{"j"}, Cluster: "c", By: []string{"t"},
	})
	p := r.Pairs[0]
	var strata []string
	for _, s := range p.Splits[0].Strata {
		strata = append(strata, fmt.Sprint(s.Name, " ", s.N))
	}
	if got := strings.Join(strata, ", "); p.Conversations != 1 || got != "x 2, w 1, z 1, y 0" {
		t.Errorf("%d clusters, strata %s", p.Conversations, got)
	}
}

// TestWordsForNoValue: a cell with one of these words is missing, and a number is read as JSON writes it.
func TestWordsForNoValue(t *testing.T) {
	text := "g,j\npass,pass\nfail,fail\n"
	words := []string{"", "null", "NULL", "Null", "NA", "N/A", "n/a", "NaN", "nan", "<NA>", "#N/A", "None"}
	for _, w := range words {
		text += "pass," + w + "\n"
	}
	r := compare(t, text, AgreeConfig{Gold: "g", Judges: []string{"j"}})
	if p := r.Pairs[0]; p.N != 2 || p.MissingJudge != len(words) {
		t.Errorf("%d rows, %d missing", p.N, p.MissingJudge)
	}
	for text, want := range map[string]float64{"1": 1, "+1": 1, ".5": 0.5, "5.": 5, "-1e2": -100, "1E1": 10,
		strings.Repeat("0", 399) + "1": 1} {
		if got, ok := parseNumber(text); !ok || got != want {
			t.Errorf("%.20s: %v, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "e5", "E5", "0x10", "1_000", "Inf", "1e999", "-", "1-1", strings.Repeat("0", 400) + "1"} {
		if got, ok := parseNumber(text); ok {
			t.Errorf("%.20s is the number %v", text, got)
		}
	}
}

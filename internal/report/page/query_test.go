package page

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/words"
)

// TestTermsOfItems: the terms by which the filter finds an item, each once.
func TestTermsOfItems(t *testing.T) {
	call, sure, unsure, impossible := 2, 0.9, 0.4, 2.0
	judged := func(name, judge, verdict string) Score {
		return Score{Source: "judge", Name: name, Judge: judge, Status: "scored", Verdict: verdict}
	}
	whole := "overall_call_correctness"
	for name, tt := range map[string]struct {
		item Item
		want []string
	}{
		"nothing is known": {Item{}, []string{"verdict=none"}},
		"a failing call": {
			Item{Call: &call, Verdict: fail, Tool: "pay", Group: "g1", Disagreement: 3},
			[]string{"group=g1", "show=disagreements", "show=failing", "tool=pay", "verdict=fail"},
		},
		"a failing call with its result": {Item{Call: &call, Verdict: fail, Scope: "result"}, []string{"verdict=fail"}},
		"a failing turn":                 {Item{Turn: 1, Verdict: fail, Scope: "turn"}, []string{"verdict=fail"}},
		"a failing conversation":         {Item{Verdict: fail}, []string{"show=failing_conversations", "verdict=fail"}},
		"a passing call":                 {Item{Call: &call, Verdict: pass}, []string{"verdict=pass"}},
		"scorers": {
			Item{Scores: []Score{
				{Source: "deterministic", Name: "schema_check", Status: "scored", Verdict: pass},
				{Source: "deterministic", Name: "exact_match", Status: "not_applicable"},
				{Source: "deterministic", Name: "coverage", Status: "error"},
				{Source: "label", Name: "human", Status: "unscored", Flags: []Flag{{Code: "late"}, {Code: "late"}}},
			}},
			[]string{"flag=late", "scorer=none coverage", "scorer=none human", "scorer=pass schema_check",
				"show=flagged", "show=missing", "verdict=none"},
		},
		"a score that failed": {
			Item{Scores: []Score{{Source: "label", Name: "human", Status: "error"}}},
			[]string{"scorer=none human", "show=missing", "verdict=none"},
		},
		"two judges who differ": {
			Item{Scores: []Score{judged(whole, "a", pass), judged(whole, "b", fail)}},
			[]string{
				"judge=a", "judge=a\nverdict=pass", "judge=b", "judge=b\nverdict=fail", "rubric=" + whole,
				"rubric=" + whole + "\njudge=a", "rubric=" + whole + "\njudge=a\nverdict=pass",
				"rubric=" + whole + "\njudge=b", "rubric=" + whole + "\njudge=b\nverdict=fail",
				"rubric=" + whole + "\nverdict=fail", "rubric=" + whole + "\nverdict=pass",
				"show=judges_differ", "verdict=none",
			},
		},
		"rubrics of parts that differ": {
			Item{Scores: []Score{judged("intent", "a", pass), judged("intent", "a", fail)}},
			[]string{"judge=a", "judge=a\nverdict=fail", "judge=a\nverdict=pass", "rubric=intent",
				"rubric=intent\njudge=a", "rubric=intent\njudge=a\nverdict=fail", "rubric=intent\njudge=a\nverdict=pass",
				"rubric=intent\nverdict=fail", "rubric=intent\nverdict=pass", "verdict=none"},
		},
	} {
		all := terms{numbers: map[string]uint32{}}
		numbers := all.of(&tt.item)
		var got []string
		for _, n := range numbers {
			got = append(got, all.list[n])
		}
		slices.Sort(got)
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
		wanted := all.Wanted(&Query{Terms: tt.want})
		if !HasAll(numbers, wanted) || HasAll(numbers, all.Wanted(&Query{Terms: []string{tt.want[0], "tool=none"}})) {
			t.Errorf("%s: the filter finds it by %v", name, wanted)
		}
	}
	single := terms{numbers: map[string]uint32{}, single: true}
	single.of(&Item{Scores: []Score{judged("intent", "a", pass), judged("intent", "b", fail)}})
	if !slices.Contains(single.list, "show=judges_differ") {
		t.Errorf("judges who differ by the only rubric: %q", single.list)
	}

	item := Item{Conversation: "C1", Tool: "Pay", Place: "a.jsonl:3", Order: 4, Failure: 2, Disagreement: 1, Verdict: fail,
		Scores: []Score{
			{Source: "judge", Confidence: &unsure, Explanation: "Ä", Evidence: "E", Problem: "P", Label: "L", Category: "K"},
			{Source: "judge", Confidence: &sure}, {Source: "label", Confidence: &impossible},
		}}
	if got, want := item.Text(), "c1\npay\na.jsonl:3\nä\ne\np\nl\nk\n\n\n\n\n\n\n\n\n\n"; got != want {
		t.Errorf("text %q, want %q", got, want)
	}
	if got, want := item.SortKeys(), (SortKeys{4, 2, 1, "Pay", fail, 0.9}); got != want {
		t.Errorf("sort keys %v, want %v", got, want)
	}
	if got := (&Item{Scores: []Score{{Source: "judge"}}}).SortKeys().Confidence; got != -1 {
		t.Errorf("without a confidence it is %v, want -1", got)
	}
	if got := (&Item{}).SortKeys().Confidence; got != -1 {
		t.Errorf("without a judge the confidence is %v, want -1", got)
	}
}

// TestPartOfAList: items are sorted by the query's key, then in log order; those without a rank come last. The part
// lies within the list.
func TestPartOfAList(t *testing.T) {
	keys := []SortKeys{
		{Order: 0, Failure: 0, Disagreement: 2, Tool: "b", Verdict: pass, Confidence: 0.5},
		{Order: 1, Failure: 2, Disagreement: 0, Tool: "a", Verdict: fail, Confidence: -1},
		{Order: 2, Failure: 1, Disagreement: 1, Tool: "b", Verdict: "", Confidence: 0.5},
		{Order: 3, Failure: 0, Disagreement: 3, Tool: "a", Verdict: fail, Confidence: 0.9},
	}
	for name, tt := range map[string]struct {
		query Query
		want  []int
	}{
		"log order":      {Query{}, []int{0, 1, 2, 3}},
		"an unknown key": {Query{Sort: "x", Down: true}, []int{3, 2, 1, 0}},
		"failure":        {Query{Sort: "failure"}, []int{2, 1, 0, 3}},
		"failure down":   {Query{Sort: "failure", Down: true}, []int{3, 0, 1, 2}},
		"disagreement":   {Query{Sort: "disagreement"}, []int{2, 0, 3, 1}},
		"tool":           {Query{Sort: "tool"}, []int{1, 3, 0, 2}},
		"verdict":        {Query{Sort: "verdict"}, []int{2, 1, 3, 0}},
		"confidence":     {Query{Sort: "confidence"}, []int{1, 0, 2, 3}},
		"a part":         {Query{Offset: 1, Limit: 2}, []int{1, 2}},
		"one":            {Query{Limit: 1}, []int{0}},
		"the end":        {Query{Offset: 3, Limit: 5}, []int{3}},
		"beyond the end": {Query{Offset: 9}, nil},
		"before":         {Query{Offset: -1, Limit: 1}, []int{0}},
	} {
		var got []int
		for _, k := range tt.query.Part(slices.Clone(keys)) {
			got = append(got, k.Order)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

// TestHistogram: the bars of a distribution, and its words.
func TestHistogram(t *testing.T) {
	got := drawHistogram(Distribution{Low: 1, High: 5, N: 9, Bins: []Bin{
		{Fails: 2}, {}, {Passes: 1, Fails: 1}, {Passes: 4}, {Others: 1},
	}})
	bars := []column{
		{1, 46, []columnPart{{40, 40, "bad"}}},
		{49, 46, nil},
		{97, 46, []columnPart{{60, 20, "bad"}, {40, 20, "good"}}},
		{145, 46, []columnPart{{0, 80, "good"}}},
		{193, 46, []columnPart{{60, 20, "other"}}},
	}
	if d := cmp.Diff(bars, got.Bars); d != "" {
		t.Errorf("bars (-want +got):\n%s", d)
	}
	if got.Words != "9 scores: 3 fail, 5 pass" || got.Middle != 3 {
		t.Errorf("%q, middle %v", got.Words, got.Middle)
	}
	if got := drawHistogram(Distribution{High: 1, N: 1, Bins: make([]Bin, 2)}).Words; got != "1 score: 0 fail, 0 pass" {
		t.Errorf("one score: %q", got)
	}
}

// TestDistributions: in which bin a value is counted, and which instruments have a distribution.
func TestDistributions(t *testing.T) {
	d := newDistributions([]report.Rubric{
		{Name: "stars", Min: 1, Max: 5, Integer: true}, {Name: "stars", Min: 0, Max: 9}, {Name: "share", Max: 1},
		{Name: "wide", Max: 20, Integer: true}, {Name: "flat", Min: 1, Max: 1},
		{Name: "late", Min: 5, Max: 24, Integer: true}, {Name: "twenty", Min: 5, Max: 25, Integer: true},
		{Name: "binary", Max: 1},
	})
	add := func(source, name, judge, verdict string, values ...float64) {
		for _, x := range values {
			d.add(&Score{Source: source, Name: name, Judge: judge, Verdict: verdict, Value: &x})
		}
	}
	add("judge", "stars", "a", pass, 1, 2, 4.6, 5, 9)
	add("judge", "stars", "a", fail, -3)
	add("judge", "share", "a", "", 0, 0.09, 0.1, 1)
	add("judge", "wide", "a", pass, 20)
	add("judge", "flat", "a", pass, 1)
	add("deterministic", "stars", "", pass, 1)
	add("deterministic", "yes", "", fail, 0, 1)
	add("deterministic", "graded", "", fail, 0.5)
	add("label", "human", "", pass, 1)
	add("judge", "late", "a", "", 6.4, 6.6)
	add("judge", "twenty", "a", fail, 5)
	add("judge", "binary", "a", pass, 0, 1)
	add("deterministic", "low", "", "", 0.15)
	add("deterministic", "high", "", pass, 0.85)
	d.add(&Score{Source: "judge", Name: "stars", Judge: "a"})
	bins := func(source, name, judge string) []Bin {
		if of := d.by[scoreKey{source, name, judge}]; of != nil {
			return of.Bins
		}
		return nil
	}
	ten := func(at map[int]Bin) []Bin {
		out := make([]Bin, 10)
		for i, b := range at {
			out[i] = b
		}
		return out
	}
	for name, tt := range map[string]struct{ got, want []Bin }{
		"whole numbers":  {bins("judge", "stars", "a"), []Bin{{Passes: 1, Fails: 1}, {Passes: 1}, {}, {}, {Passes: 3}}},
		"a share":        {bins("judge", "share", "a"), ten(map[int]Bin{0: {Others: 2}, 1: {Others: 1}, 9: {Others: 1}})},
		"a wide scale":   {bins("judge", "wide", "a"), ten(map[int]Bin{9: {Passes: 1}})},
		"no scale":       {bins("judge", "flat", "a"), nil},
		"a scorer":       {bins("deterministic", "stars", ""), ten(map[int]Bin{9: {Passes: 1}})},
		"labels":         {bins("label", "human", ""), nil},
		"twenty numbers": {bins("judge", "late", "a"), append([]Bin{{}, {Others: 1}, {Others: 1}}, make([]Bin, 17)...)},
		"more numbers":   {bins("judge", "twenty", "a"), ten(map[int]Bin{0: {Fails: 1}})},
	} {
		if d := cmp.Diff(tt.want, tt.got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
	row := func(source, name, judge string) report.ScoreRow {
		s := report.ScoreRow{}
		s.Source, s.Name, s.Judge, s.N = source, name, judge, 1
		return s
	}
	retest, part := row("judge", "wide", "a"), row("judge", "wide", "a")
	retest.Purpose, part.Metric = "retest", "brier"
	empty := row("judge", "share", "a")
	empty.N = 0
	r := &report.Report{Scores: []report.ScoreRow{
		retest, part, row("deterministic", "yes", ""), row("deterministic", "graded", ""), row("judge", "stars", "a"),
		row("judge", "stars", "a"), row("label", "human", ""), row("judge", "binary", "a"), row("deterministic", "low", ""),
		row("deterministic", "high", ""), empty,
	}}
	var got []string
	for _, of := range d.list(r) {
		got = append(got, of.Name)
	}
	if want := []string{"graded", "stars by a", "binary by a", "low", "high"}; !slices.Equal(got, want) {
		t.Errorf("listed are %q, want %q", got, want)
	}
}

// TestSmallParts: addresses of items, and the classes of cells and lines.
func TestSmallParts(t *testing.T) {
	call := 3
	for want, c := range map[string]report.CaseRef{
		"a%20b%2Bc:3": {ConversationID: "a b+c", CallIndex: &call}, "%C3%A4%3A1:": {ConversationID: "ä:1"},
	} {
		if got := address(c); got != want {
			t.Errorf("address %q, want %q", got, want)
		}
	}
	table := words.NewTable("lrReib", "", "", "", "", "", "")
	want := [][2]string{{"t", "t"}, {"n", "n r"}, {"n", "n r"}, {"e", "e"}, {"e", "e"}, {"drawn", "drawn"}}
	for i := range table.Kinds {
		if got := [2]string{cellClass(table, i), headClass(table, i)}; got != want[i] {
			t.Errorf("column %d has the classes %q, want %q", i, got, want[i])
		}
	}
	for line, want := range map[string]string{
		"pass 3": "pass", "passes": "pass", "FAIL x": "fail", "fails it": "fail", "failing": "", "": "",
	} {
		if got := verdictClass(line); got != want {
			t.Errorf("%q has the class %q, want %q", line, got, want)
		}
	}
	for share, want := range map[float64]float64{-1: 0, 0: 0, 0.123: 12.3, 0.1234: 12.3, 0.9996: 100, 2: 100} {
		if got := units(100, share); got != want {
			t.Errorf("a share of %v is %v units, want %v", share, got, want)
		}
	}
}

package measure

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report"
)

// TestRankingIsNotByAccuracy: most is right here, so that whoever always passes has gold's
// verdict more often than a judge that finds half of what is wrong; the judge is better.
func TestRankingIsNotByAccuracy(t *testing.T) {
	rows := rowsOf("g,always,panel,same", map[string]int{"1,1,1,1": 120, "1,1,0,0": 50, "0,1,0,0": 20, "0,1,1,1": 10}, "1,1,1,1", "1,1,0,0", "0,1,0,0", "0,1,1,1")
	r := compare(t, rows, AgreeConfig{Gold: "g", Judges: []string{"always", "panel", "same"}})
	var order []string
	for _, one := range r.Ranking.Judges {
		order = append(order, one.Judge)
	}
	if diff := cmp.Diff([]string{"panel", "same", "majority of 3", "any of 3 fails", "always", "always pass"}, order); diff != "" || !r.Ranking.Judges[0].Youden.Defined() {
		t.Errorf("-want +got\n%s", diff)
	}
	first, same, always := r.Ranking.Judges[0], r.Ranking.Judges[1], r.Ranking.Judges[4]
	if first.P != nil || first.Behind.Defined() {
		t.Errorf("the best is compared with itself: %+v", first)
	}
	if *same.Behind.Value != 0 || *same.P < 0.99 {
		t.Errorf("the same judge: %+v", same)
	}
	if *always.Behind.Value >= 0 || *always.Behind.High >= 0 || *always.P > 0.01 || *always.Holm < *always.P || *always.Holm > 0.05 {
		t.Errorf("always pass: %+v", always)
	}
	if got := codes(r.Pairs[1].Warnings); !strings.Contains(got, "below_constant") {
		t.Errorf("the panel has gold's verdict on 140 of 200 items, 170 are right: %q", got)
	}
}

func TestPanelsOfJudges(t *testing.T) {
	r := compare(t, "g,a,b,c\n1,1,1,0\n0,1,0,0\n0,,,0\n1,1,,\n1,,1,0\n", AgreeConfig{Gold: "g", Judges: []string{"a", "b", "c"}, Missing: []string{""}})
	got := map[string]report.Confusion{}
	for _, p := range r.Panels {
		got[p.Judge] = p.Confusion
	}
	// The third and the fourth row have one vote of three: too few. In the last a tie fails.
	want := map[string]report.Confusion{
		"majority of 3":  {BothPass: 1, JudgeOnlyFail: 1, BothFail: 1},
		"any of 3 fails": {JudgeOnlyFail: 2, BothFail: 1},
		"always pass":    {BothPass: 3, JudgeOnlyPass: 2},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// TestRankingByKappaOfCategories: on an ordinal scale near misses count less than far ones, on a nominal one all alike.
func TestRankingByKappaOfCategories(t *testing.T) {
	const text = "g,near,far\n1,2,1\n1,2,5\n2,3,2\n3,4,3\n4,5,4\n5,4,5\n5,4,1\n"
	for scale, first := range map[string]string{"": "near", Ordinal: "near", Nominal: "far"} {
		r := compare(t, text, AgreeConfig{
			Gold: "g", Judges: []string{"far", "near"}, Categories: []string{"1..5"}, Scale: scale,
		})
		if got := r.Ranking.Judges; len(got) != 2 || got[0].Judge != first || got[0].N != 7 || got[1].N != 7 {
			t.Errorf("scale %q: %+v", scale, got)
		}
	}
}

// TestWarningsOfPanels: the computed panels and the constant judge have no warnings of their own; rows that some judge
// lacks are told once.
func TestWarningsOfPanels(t *testing.T) {
	cfg := AgreeConfig{Gold: "g", Judges: []string{"a", "b", "c"}}
	r := compare(t, "g,a,b,c\n1,1,1,0\n0,0,0,0\n1,1,0,1\n", cfg)
	if len(r.Panels) != 3 || codes(r.Warnings) != "no_clusters" {
		t.Errorf("%d panels, warnings %q", len(r.Panels), codes(r.Warnings))
	}
	for _, p := range r.Panels {
		if p.Warnings == nil || len(p.Warnings) > 0 {
			t.Errorf("%s: %+v", p.Judge, p.Warnings)
		}
	}
	r = compare(t, "g,a,b,c\n1,1,1,0\n0,0,,0\n1,1,0,1\n", cfg)
	if got := codes(r.Warnings); got != "no_clusters different_items" {
		t.Errorf("warnings %q", got)
	}
	// A column that occurs twice and that nobody asked for is no error.
	r = compare(t, "g,a,x,x\n1,1,0,1\n0,0,0,1\n", AgreeConfig{Gold: "g", Judges: []string{"a"}})
	if r.Pairs[0].N != 2 {
		t.Errorf("%d rows", r.Pairs[0].N)
	}
}

// TestOrdersWithoutGold: three judges with errors of their own and one that guesses.
func TestOrdersWithoutGold(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	b.WriteString("Qwen3-4B,qwen2.5,Qwen-72B,QwQ\n")
	for range 600 {
		gold := rng.IntN(4) > 0
		said := func(right float64) int { return int(asNumber((rng.Float64() < right) == gold)) }
		fmt.Fprintf(&b, "%d,%d,%d,%d\n", said(0.75), said(0.9), said(0.82), rng.IntN(2))
	}
	r := compare(t, b.String(), AgreeConfig{Judges: []string{"*"}})
	var order []string
	for _, one := range r.Blind.Judges {
		order = append(order, fmt.Sprint(one.ByFails, " ", one.Judge))
	}
	// The judge that guesses fails most.
	if diff := cmp.Diff([]string{"4 qwen2.5", "2 Qwen-72B", "3 Qwen3-4B", "1 QwQ"}, order); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if r.Blind.Family != "Qwen" || !strings.Contains(codes(r.Warnings), "one_family") {
		t.Errorf("family %q, warnings %q", r.Blind.Family, codes(r.Warnings))
	}
	text, err := json.Marshal(r.Blind)
	if err != nil || strings.Contains(string(text), "youden") {
		t.Errorf("the estimated J is a value: %s %v", text, err)
	}
	two := compare(t, b.String(), AgreeConfig{Judges: []string{"Qwen3-4B", "qwen2.5"}})
	if !strings.Contains(codes(two.Warnings), "two_judges") {
		t.Errorf("warnings %q", codes(two.Warnings))
	}
	mixed := compare(t, "Qwen3,llama\n1,0\n0,0\n1,1\n", AgreeConfig{Judges: []string{"*"}})
	if mixed.Blind.Family != "" {
		t.Errorf("family %q", mixed.Blind.Family)
	}
}

// TestJudgesAmongPeople: one judge differs from people as they do from each other, the other
// one more often.
func TestJudgesAmongPeople(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var b strings.Builder
	b.WriteString("c,ann,bob,cid,alike,apart\n")
	for i := range 1500 {
		truth := rng.IntN(3) > 0
		said := func(right float64) int { return int(asNumber((rng.Float64() < right) == truth)) }
		cid := ""
		if i%3 == 0 {
			cid = fmt.Sprint(said(0.9))
		}
		fmt.Fprintf(&b, "%d,%d,%d,%s,%d,%d\n", i/3, said(0.9), said(0.9), cid, said(0.9), said(0.7))
	}
	r := compare(t, b.String(), AgreeConfig{Judges: []string{"alike", "apart"}, People: []string{"ann", "bob", "cid"}, Cluster: "c"})
	if r.Gold != "majority of 3 people" || len(r.People) != 2 {
		t.Fatalf("gold %q, %d judges", r.Gold, len(r.People))
	}
	alike, apart := r.People[0], r.People[1]
	if !alike.Within || !(math.Abs(*alike.Difference.Value) <= 0.03) || alike.N != 1500 {
		t.Errorf("alike: %+v", alike)
	}
	if apart.Within || *apart.Difference.High > -0.08 || !apart.Difference.HasInterval() {
		t.Errorf("apart: %+v", apart)
	}
	if _, err := Agree("t.csv", strings.NewReader(b.String()), AgreeConfig{Judges: []string{"alike"}, People: []string{"ann"}}); err == nil {
		t.Error("one person is a group")
	}
	few := compare(t, "a,b,j\n1,1,1\n0,1,0\n1,1,1\n0,0,0\n", AgreeConfig{Judges: []string{"j"}, People: []string{"a", "b"}})
	if few.People[0].Within {
		t.Errorf("four items show that a judge is like people: %+v", few.People[0])
	}
}

// A judge may have the name of the constant answer or of a panel: each keeps its own numbers.
func TestJudgeNamedLikeThePanel(t *testing.T) {
	text := rowsOf("gold,always pass,majority of 3,b", map[string]int{"1,1,1,1": 40, "0,0,1,1": 20, "0,1,1,0": 20},
		"1,1,1,1", "0,0,1,1", "0,1,1,0")
	r := compare(t, text, AgreeConfig{Gold: "gold", Judges: []string{"always pass", "majority of 3", "b"}})
	got := map[string]string{}
	for _, p := range slices.Concat(r.Pairs, r.Panels) {
		got[p.Judge] = values(t, p, "youden")["youden"]
	}
	want := map[string]string{
		"always pass": "0.5000", "majority of 3": "0.0000", "b": "0.5000", "majority of 3 (computed)": "0.0000",
		"any of 3 fails": "1.0000", "always pass (computed)": "0.0000",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("J by name (-want +got):\n%s", diff)
	}
	i := slices.IndexFunc(r.Ranking.Judges, func(j report.RankedJudge) bool { return j.Judge == "always pass (computed)" })
	if j := r.Ranking.Judges[i]; *j.Youden.Value != 0 || j.Youden.HasInterval() || j.P != nil {
		t.Errorf("the constant answer: %+v", j)
	}
}

// A judge whose verdicts are the other way round is named; one that misses most failures is not.
func TestOpposedJudge(t *testing.T) {
	text := rowsOf("a,b,c,lenient", map[string]int{"1,1,0,1": 40, "0,0,1,1": 30, "0,0,1,0": 5, "1,0,0,1": 5},
		"1,1,0,1", "0,0,1,1", "0,0,1,0", "1,0,0,1")
	r := compare(t, text, AgreeConfig{Judges: []string{"a", "b", "c", "lenient"}})
	if diff := cmp.Diff([]string{"c"}, r.Blind.Opposed); diff != "" {
		t.Errorf("opposed (-want +got):\n%s", diff)
	}
	if n := strings.Count(codes(r.Warnings), "opposed"); n != 1 {
		t.Errorf("%d remarks of opposed judges: %v", n, r.Warnings)
	}
}

// TestPanelsOfFourJudges: half of the judges are enough for a panel, and the constant judge says what gold says more
// often; a tie passes.
func TestPanelsOfFourJudges(t *testing.T) {
	for _, tt := range []struct {
		gold, constant string
		want, most     report.Confusion
	}{
		{"11000", "always fail", report.Confusion{JudgeOnlyFail: 2, BothFail: 3},
			report.Confusion{BothPass: 2, JudgeOnlyPass: 1, BothFail: 1}},
		{"11001", "always pass", report.Confusion{BothPass: 3, JudgeOnlyPass: 2}, report.Confusion{BothPass: 3, BothFail: 1}},
		{"1100", "always pass", report.Confusion{BothPass: 2, JudgeOnlyPass: 2}, report.Confusion{BothPass: 2, BothFail: 1}},
	} {
		text := "g,a,b,c,d\n"
		for i, votes := range []string{"1,1,1,1", "1,,1,", "0,,,1", "0,,,", "1,1,1,0"}[:len(tt.gold)] {
			text += tt.gold[i:i+1] + "," + votes + "\n"
		}
		r := compare(t, text, AgreeConfig{Gold: "g", Judges: []string{"a", "b", "c", "d"}})
		got := map[string]report.Confusion{}
		for _, p := range r.Panels {
			got[p.Judge] = p.Confusion
		}
		if got[tt.constant] != tt.want || got["majority of 4"] != tt.most || len(got) != 3 {
			t.Errorf("gold %s: %+v", tt.gold, got)
		}
		if names := fmt.Sprint(r.Ranking.Judges); !strings.Contains(names, tt.constant) {
			t.Errorf("gold %s: %s is not ranked: %s", tt.gold, tt.constant, names)
		}
	}
}

// TestVotesOfRows: rows with the same votes become one, and a row with a single vote is left out.
func TestVotesOfRows(t *testing.T) {
	x, err := newInputs("t.csv", strings.NewReader("a,b,c\n1,0,\n1,0,\n1,,\n0,1,1\n1,1,\n1,0,\n,0,0\n,0,0\n,,\n"),
		AgreeConfig{Judges: []string{"a", "b", "c"}})
	if err != nil {
		t.Fatal(err)
	}
	rows, weights := (&agreeWork{agreeInputs: x}).votes()
	no, yes := []int{0}, []int{1}
	want := [][][]int{{yes, no, nil}, {no, yes, yes}, {yes, yes, nil}, {nil, no, no}}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]float64{3, 1, 1, 2}, weights); diff != "" {
		t.Errorf("weights (-want +got):\n%s", diff)
	}
}

// TestOrderOfFewVotes: rows that are all alike still give an order; a judge that answered nothing beside another is
// not opposed to them.
func TestOrderOfFewVotes(t *testing.T) {
	r := compare(t, "a,b\n1,1\n1,1\n", AgreeConfig{Judges: []string{"a", "b"}})
	if r.Blind == nil || len(r.Blind.Judges) != 2 || r.Blind.Opposed != nil {
		t.Errorf("all alike: %+v", r.Blind)
	}
	r = compare(t, "a,b,c\n1,1,\n0,0,\n,,1\n,,0\n", AgreeConfig{Judges: []string{"a", "b", "c"}})
	if r.Blind == nil || len(r.Blind.Judges) != 3 || r.Blind.Opposed != nil {
		t.Errorf("one alone: %+v", r.Blind)
	}
}

// TestMajorityOfFive: two of five votes are no majority, three are.
func TestMajorityOfFive(t *testing.T) {
	people := compare(t, "a,b,c,d,e,j\n1,1,0,0,0,1\n1,1,1,0,0,1\n", AgreeConfig{
		People: []string{"a", "b", "c", "d", "e"}, Judges: []string{"j"},
	})
	if got := people.Pairs[0].Confusion; got != (report.Confusion{BothPass: 1, JudgeOnlyPass: 1}) {
		t.Errorf("people: %+v", got)
	}
	judges := compare(t, "a,b,c,d,e,f\n1,1,0,0,0,1\n1,1,1,0,0,1\n", AgreeConfig{Judges: []string{"*"}})
	for _, one := range judges.Blind.Judges {
		if one.Judge == "f" && *one.Majority.Value != 0.5 {
			t.Errorf("f has the majority's verdict on one of two rows, not %v", *one.Majority.Value)
		}
	}
}

package truth

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/stat/stattest"
)

func TestClusteredAUCReducesToDeLong(t *testing.T) {
	a, b, _ := stattest.ClusteredPairs(11, 300, 300, 7)
	gold := make([]float64, len(a))
	cluster := make([]int, len(a))
	pos := 0.0
	for i := range a {
		cluster[i] = i
		if b[i] > 3 {
			gold[i] = 1
			pos++
		}
	}
	p := place(gold, a, stat.Weights(nil, len(a)))
	deLong := 0.0
	for _, items := range [][]int{p.posItem, p.negItem} {
		var placed []float64
		for _, i := range items {
			placed = append(placed, p.place[i])
		}
		deLong += stat.Variance(placed) / float64(len(placed))
	}
	deLong = math.Sqrt(deLong)
	clustered, err := ClusteredAUC(gold, a, nil, cluster, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	// The two differ only in the small-sample factors of the variances.
	if r := clustered.SE.Value / deLong; !(math.Abs(r-1) <= 0.01) {
		t.Errorf("clustered %v ± %v, by DeLong ± %v", clustered.AUC, clustered.SE, deLong)
	}
}

func BenchmarkClusteredAUCMillion(b *testing.B) {
	items, clusters := 1_000_000, 20_000
	if testing.Short() {
		items, clusters = 20_000, 400
	}
	x, y, cluster := stattest.ClusteredPairs(1, items, clusters, 2)
	for b.Loop() {
		if _, err := ClusteredAUC(x, y, nil, cluster, 0.05); err != nil {
			b.Fatal(err)
		}
	}
}

// TestRarer: the rarer class is the one with fewer items, and of two as large the one in fewer conversations.
func TestRarer(t *testing.T) {
	for _, tt := range []struct {
		gold  []float64
		index []int
		want  []int // items of the rarer class
	}{
		{[]float64{1, 0, 0}, []int{0, 1, 2}, []int{0}}, {[]float64{1, 1, 0}, []int{0, 1, 2}, []int{2}},
		{[]float64{1, 1, 1, 0, 0}, []int{0, 0, 0, 1, 2}, []int{3, 4}}, {[]float64{1, 1, 0, 0}, []int{0, 1, 2, 3}, []int{2, 3}},
		{[]float64{1, 1, 0, 0}, []int{0, 0, 1, 2}, []int{0, 1}}, {[]float64{1, 1, 0, 0}, []int{0, 1, 2, 2}, []int{2, 3}},
	} {
		if got := place(tt.gold, tt.gold, tt.gold).rarer(tt.index); !slices.Equal(got, tt.want) {
			t.Errorf("%v in conversations %v: items %v, want %v", tt.gold, tt.index, got, tt.want)
		}
	}
}

// TestAveragePrecision: by hand, with one pass, with ties and without a pass.
func TestAveragePrecision(t *testing.T) {
	for _, tt := range []struct {
		gold, score []float64
		want        stat.Opt
	}{
		{[]float64{1, 0, 1, 0}, []float64{4, 3, 2, 1}, stat.Some(0.5*1 + 0.5*2/3)},
		{[]float64{0, 1, 0}, []float64{3, 2, 1}, stat.Some(0.5)},
		{[]float64{1, 0}, []float64{1, 1}, stat.Some(0.5)},
		{[]float64{0, 0}, []float64{1, 2}, stat.None(stat.OneClass)},
		{nil, nil, stat.None(stat.NoItems)},
	} {
		if got := stattest.Must[stat.Opt](t)(AveragePrecision(tt.gold, tt.score)); !stattest.Near(got, tt.want) || got.Reason != tt.want.Reason {
			t.Errorf("%v by %v: %+v, want %+v", tt.gold, tt.score, got, tt.want)
		}
	}
}

// TestClusteredAUCLeavesConversationsOut compares the standard error with the definition:
// the AUC computed again without each conversation.
func TestClusteredAUCLeavesConversationsOut(t *testing.T) {
	gold := []float64{1, 0, 1, 0, 1, 1, 0, 0, 1, 0, 1, 0}
	score := []float64{5, 2, 4, 4, 3, 5, 1, 3, 2, 2, 4, 1}
	cluster := []int{0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5}
	const g = 6
	without := func(c int) float64 { // the mean change of both classes' placement values
		p := place(gold, score, stat.Weights(nil, len(gold)))
		change := func(items []int) float64 {
			all, kept, n := 0.0, 0.0, 0.0
			for _, i := range items {
				all += p.place[i]
				if cluster[i] != c {
					kept, n = kept+p.place[i], n+1
				}
			}
			return kept/n - all/float64(len(items))
		}
		return p.auc + change(p.posItem) + change(p.negItem)
	}
	mean, squares := 0.0, 0.0
	for c := range g {
		mean += without(c) / g
	}
	for c := range g {
		squares += (without(c) - mean) * (without(c) - mean)
	}
	got := stattest.Must[AUC](t)(ClusteredAUC(gold, score, nil, cluster, 0.05))
	if want := math.Sqrt(squares * (g - 1) / g); !(math.Abs(got.SE.Value-want) <= 1e-12) {
		t.Errorf("standard error %v, by leaving out %v", got.SE, want)
	}
}

// TestClusteredAUCOfAClassInOneConversation: if one conversation has all fails, or all passes, the AUC has a value
// but neither a standard error nor an interval, and the reason says that this conversation decides.
func TestClusteredAUCOfAClassInOneConversation(t *testing.T) {
	score, cluster := []float64{1, 3, 2, 2, 3, 4, 1}, []int{0, 0, 0, 1, 1, 2, 2}
	for _, tt := range []struct {
		gold []float64
		want float64
	}{
		{[]float64{0, 0, 1, 1, 1, 1, 1}, 0.6}, // of five passes 4 and a half are above 1, 1 and a half above 3
		{[]float64{1, 1, 0, 0, 0, 0, 0}, 0.4},
	} {
		got := stattest.Must[AUC](t)(ClusteredAUC(tt.gold, score, nil, cluster, 0.05))
		if !stattest.Near(got.AUC, stat.Some(tt.want)) {
			t.Errorf("gold %v: AUC %+v, want %v", tt.gold, got.AUC, tt.want)
		}
		none := stat.None(stat.OneClusterDecides)
		if got.SE != none || got.CI != stat.NoInterval(stat.OneClusterDecides) {
			t.Errorf("gold %v: error %+v, interval %+v, want none: %s", tt.gold, got.SE, got.CI, none.Reason)
		}
	}
}

// TestAUCOfFew: an AUC has a value as soon as both classes have an item, and a standard error from two of each in two
// conversations on; else it says what is missing.
func TestAUCOfFew(t *testing.T) {
	each := []int{0, 1, 2, 3}
	for name, tt := range map[string]struct {
		gold, score []float64
		cluster     []int
		want        stat.Opt
		se          stat.Reason
	}{
		"two of each":      {[]float64{1, 1, 0, 0}, []float64{4, 2, 3, 1}, each, stat.Some(0.75), ""},
		"one pass":         {[]float64{1, 0, 0, 0}, []float64{2, 1, 3, 1}, each, stat.Some(2.0 / 3), stat.TooFew},
		"one fail":         {[]float64{1, 1, 1, 0}, []float64{2, 1, 3, 1}, each, stat.Some(2.5 / 3), stat.TooFew},
		"one conversation": {[]float64{1, 1, 0, 0}, []float64{4, 2, 3, 1}, []int{5, 5, 5, 5}, stat.Some(0.75), stat.TooFew},
		"passes only":      {[]float64{1, 1}, []float64{2, 1}, each[:2], stat.None(stat.OneClass), stat.OneClass},
		"fails only":       {[]float64{0, 0}, []float64{2, 1}, each[:2], stat.None(stat.OneClass), stat.OneClass},
		"nothing":          {nil, nil, nil, stat.None(stat.NoItems), stat.NoItems},
	} {
		got := stattest.Must[AUC](t)(ClusteredAUC(tt.gold, tt.score, nil, tt.cluster, 0.05))
		if !stattest.Near(got.AUC, tt.want) || got.AUC.Reason != tt.want.Reason || got.SE.Reason != tt.se ||
			tt.se != "" && got.CI != stat.NoInterval(tt.se) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if _, err := AveragePrecision([]float64{1}, []float64{1, 2}); !errors.Is(err, stat.ErrLengths) {
		t.Errorf("a label is missing: %v", err)
	}
}

// TestLogitInterval: the interval of an AUC is that of its logit. At 0.8 this is log 4, a standard error of 0.05 is
// 0.3125 there, and t with nine degrees of freedom 2.262157.
func TestLogitInterval(t *testing.T) {
	p := placements{auc: 0.8}
	got := p.logit(0.05, 9, 0.05)
	if !(math.Abs(got.Low.Value-0.6635981) <= 1e-6) || !(math.Abs(got.High.Value-0.8902423) <= 1e-6) {
		t.Errorf("%+v", got)
	}
	for _, tt := range []struct {
		auc, se, freedom float64
		want             stat.Reason
	}{
		{1, 0.05, 9, stat.NoDisagreement}, {0, 0.05, 9, stat.NoDisagreement}, {0.8, 0.05, 0.5, stat.FewRare}, {0.8, 0, 9, stat.ZeroVariance},
	} {
		p.auc = tt.auc
		if got := p.logit(tt.se, tt.freedom, 0.05); got != stat.NoInterval(tt.want) {
			t.Errorf("%+v: %+v", tt, got)
		}
	}
}

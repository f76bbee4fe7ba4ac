package measure_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/agreement/truth"
)

// An item of weight three counts as three items of its conversation, in values and in standard errors.
func TestWeightsCountItems(t *testing.T) {
	s := simulatedWorld{failing, 0.7, 0.8, shared, size}.draw(rand.New(rand.NewPCG(5, 5)), 40)
	often := &sample{}
	for i := range s.gold {
		s.weight = append(s.weight, float64(1+i%3))
		for range 1 + i%3 {
			often.cluster, often.gold = append(often.cluster, s.cluster[i]), append(often.gold, s.gold[i])
			often.judge, often.score = append(often.judge, s.judge[i]), append(often.score, s.score[i])
		}
	}
	for name, of := range map[string]func(*sample) (value, se float64){
		"AUC": func(s *sample) (float64, float64) {
			a, err := truth.ClusteredAUC(s.gold, s.score, s.weight, s.cluster, alpha)
			if err != nil {
				t.Fatal(err)
			}
			return a.AUC.Value, a.SE.Value
		},
		"AC1": func(s *sample) (float64, float64) {
			k, err := raters.GwetAC([][]float64{s.gold, s.judge}, s.weight, s.cluster, verdictsOf, raters.NoWeights, alpha)
			if err != nil {
				t.Fatal(err)
			}
			return k.Value.Value, k.SE.Value
		},
		"threshold": func(s *sample) (float64, float64) {
			best, err := truth.BestThreshold(s.gold, s.score, s.weight, truth.Youden)
			if err != nil {
				t.Fatal(err)
			}
			return best.Threshold.Value, best.Value.Value
		},
	} {
		value, se := of(s)
		want, wantSE := of(often)
		if !(math.Abs(value-want) <= 1e-12) || !(math.Abs(se-wantSE) <= 1e-12) {
			t.Errorf("%s: %v ± %v, of as many items %v ± %v", name, value, se, want, wantSE)
		}
	}
}

// Two calls of each conversation with their weights say of the judge what all calls say; without weights
// those of long conversations, which fail more often, would count too little.
func TestTwoCallsOfAConversationSayWhatAllSay(t *testing.T) {
	w := simulatedWorld{failing, 0.8, 0.8, 0.5, 12}
	all := w.draw(rand.New(rand.NewPCG(1, 2)), 30000)
	two, _ := all.labelledOf(2, len(all.gold))
	weighted := func(s *sample) estimate {
		e, err := ac1(s, nil)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	want, got := weighted(all).value.Value, weighted(two).value.Value
	two.weight = nil
	if plain := weighted(two).value.Value; !(math.Abs(got-want) <= 0.01) || math.Abs(plain-want) < 0.03 {
		t.Errorf("AC1 %.3f of two calls, %.3f without weights, and %.3f of all", got, plain, want)
	}
}

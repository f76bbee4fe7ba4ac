package run

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/judgekit/judge/judges"
)

// prompts are n prompts of 3,900 to 4,900 tokens: a fixed part of 5,900 bytes of English,
// and a record in English or, with foreign, in a script of three bytes a letter.
func prompts(n int, foreign bool, seed uint64) []judges.Count {
	rng := rand.New(rand.NewPCG(seed, 1))
	out := make([]judges.Count, n)
	for i := range out {
		tokens := 3900 + rng.IntN(1001)
		s := judges.Count{Tokens: tokens, ASCII: 5900 + 4*(tokens-1475)}
		if foreign { // a third of the record's bytes is English
			s = judges.Count{Tokens: tokens, ASCII: 5900 + (tokens-1475)*4/3, Foreign: 3 * (tokens - 1475 - (tokens-1475)/3) * 2 / 3, Script: 7}
		}
		out[i] = s
	}
	return out
}

// cutAt is a server that cuts every prompt to a window, by what it counts then.
func cutAt(list []judges.Count, window, to int) (counted []judges.Count, want []bool) {
	for _, s := range list {
		over := s.Tokens > window
		if over {
			s.Tokens = to
		}
		counted, want = append(counted, s), append(want, over)
	}
	return counted, want
}

func count(list []bool) (n int) {
	for _, b := range list {
		if b {
			n++
		}
	}
	return n
}

// An honest server loses nothing, whatever lies near a usual window, announced or not.
func TestHonestServerLosesNothing(t *testing.T) {
	english, hindi := prompts(10_000, false, 1), prompts(10_000, true, 2)
	for name, list := range map[string][]judges.Count{
		"English": english, "Hindi": hindi, "both": slices.Concat(english[:5000], hindi[:5000]), "few": english[:20], "few Hindi": hindi[:9],
	} {
		for _, limit := range []judges.Limit{{}, {Tokens: 131_072}, {Tokens: 131_072, BytesPerToken: 3.1}, {Tokens: 4096}} {
			if n := count(cut(list, limit)); n != 0 {
				t.Errorf("%s, %+v: %d of %d void", name, limit, n, len(list))
			}
		}
	}
	// Prose and tables have other ratios than the rest; none of it is a cut.
	rng := rand.New(rand.NewPCG(3, 3))
	for round := range 50 {
		list := make([]judges.Count, 300)
		for i := range list {
			bytes := 7000 + rng.IntN(20_000)
			list[i] = judges.Count{Tokens: int(float64(bytes) / (2.8 + 1.8*rng.Float64())), ASCII: bytes}
		}
		if n := count(cut(list, judges.Limit{})); n != 0 {
			t.Errorf("round %d: %d void", round, n)
		}
	}
}

// Of a server that cuts without a word every cut prompt is void and no other, whether
// its window is known, and whether it keeps as much as fits or half of that.
func TestEveryCutIsVoid(t *testing.T) {
	english, hindi := prompts(10_000, false, 4), prompts(10_000, true, 5)
	for name, list := range map[string][]judges.Count{
		"English": english, "Hindi": hindi, "both": slices.Concat(english[:5000], hindi[:5000]), "few": english[:100],
	} {
		for _, limit := range []judges.Limit{{}, {Tokens: 4096}, {Tokens: 131_072}} {
			t.Run(fmt.Sprintf("%s, window %d", name, limit.Tokens), func(t *testing.T) {
				counted, want := cutAt(list, 4096, 4096)
				if got := cut(counted, limit); !slices.Equal(got, want) {
					t.Errorf("%d void, %d cut", count(got), count(want))
				}
			})
		}
	}
	short := prompts(400, false, 6)
	for i := range short {
		short[i].Tokens -= 1000
		short[i].ASCII -= 4000
	}
	mostly := append(short, prompts(100, false, 7)...)
	counted, want := cutAt(mostly, 4096, 2050)
	if got := cut(counted, judges.Limit{}); !slices.Equal(got, want) {
		t.Errorf("cut to half: %d void, %d cut", count(got), count(want))
	}
}

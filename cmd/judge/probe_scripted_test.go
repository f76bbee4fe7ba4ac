package main

import (
	"context"
	"crypto/sha256"
	bigendian "encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/judgekit/judge/internal/planted"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/internal/transcript/format"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/rubrics"
)

// scripted is a judge that knows the planted log in dir, and decides by what is planted. chance is a number
// in 0..1 that depends on the seed, the record and how often it was asked before.
type scripted struct {
	dir    string
	seed   int
	decide func(p *asked, chance float64) (fails, knows bool)

	once     sync.Once
	plans    map[string]planted.Plan
	mu       sync.Mutex
	asked    map[string]int
	inFlight int
}

// asked is a variant, the model that is asked about it, how often it was asked before, and how many requests
// were in flight with this one.
type asked struct {
	planted.Plan
	model     string
	nth, load int
}

var nonce = regexp.MustCompile(`<<<(RECORD|END) [0-9a-f]+ `)

// read renders the prompts of the planted log, to know them again without their nonce.
func (s *scripted) read(ctx context.Context) {
	s.plans, s.asked = map[string]planted.Plan{}, map[string]int{}
	list, err := loadRubrics([]string{rubrics.Overall})
	if err != nil {
		panic(err)
	}
	j, err := judges.New(instrument.Silent{}, judges.Config{Model: "m", Rubrics: list})
	if err != nil {
		panic(err)
	}
	f, err := os.Open(filepath.Join(s.dir, plantedFile))
	if err != nil {
		panic(err)
	}
	defer f.Close()
	for c, err := range format.Open(ctx, plantedFile, f, format.Options{}).All() {
		if err != nil {
			panic(err)
		}
		req, err := j.Request(rubrics.Overall, c, judges.OfCall(judges.AllCalls(c)[0]))
		if err != nil {
			panic(err)
		}
		plan, _ := planted.PlanOf(c)
		s.plans[nonce.ReplaceAllString(req.Messages[len(req.Messages)-1].Content, "")] = plan
	}
}

func (s *scripted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	req, ok := readChat(w, r)
	if !ok {
		return
	}
	s.once.Do(func() { s.read(r.Context()) })
	record := nonce.ReplaceAllString(req.record(), "")
	plan, known := s.plans[record]
	if !known {
		answerWith(w, "1", "0.9")
		return
	}
	s.mu.Lock()
	nth := s.asked[req.Model+record]
	s.asked[req.Model+record]++
	s.inFlight++
	p := &asked{plan, req.Model, nth, s.inFlight}
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.inFlight--
		s.mu.Unlock()
	}()
	sum := sha256.Sum256([]byte(fmt.Sprint(s.seed, " ", nth, record)))
	fails, knows := s.decide(p, float64(bigendian.BigEndian.Uint64(sum[:])>>11)/(1<<53))
	says := "e"
	if knows {
		says = plan.Parameter + " is wrong"
	}
	answer, _ := json.Marshal(map[string]any{"explanation": says, "evidence": "NONE: nothing",
		"output": map[bool]int{true: 0, false: 1}[fails], "confidence": 0.9, "correction": map[string]any{}})
	text, _ := json.Marshal(string(answer))
	fmt.Fprintf(w, `{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":%s}}]}`, text)
}

// wrong says what a perfect judge fails.
func wrong(p *asked) bool {
	return !slices.Contains([]string{planted.Original, planted.Equivalent, planted.Mirror, planted.MirrorPlacebo}, p.Kind)
}

// probeBy probes a scripted judge on the shop's log, and returns what the command prints as JSON.
func probeBy(t *testing.T, dir string, decide func(*asked, float64) (bool, bool), more ...string) *report.Probe {
	t.Helper()
	return probeSeed(t, dir, 0, decide, more...)
}

func probeSeed(t *testing.T, dir string, seed int, decide func(*asked, float64) (bool, bool), more ...string) *report.Probe {
	t.Helper()
	s := &scripted{dir: dir, seed: seed, decide: decide}
	server := httptest.NewServer(s)
	defer server.Close()
	log, err := filepath.Abs("../../fixtures/shop/shop.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"probe", "--base-url", server.URL + "/v1", "--model", "m", "--transport", "json_schema",
		"--out", dir, "--json", "-q"}
	if !slices.Contains(more, "--again") {
		args = append(args, log)
	}
	var out, errs strings.Builder
	a := &app{in: strings.NewReader(""), out: &out, err: &errs, profiles: &instrument.Store{Dir: t.TempDir()},
		getenv: func(string) string { return "" }}
	if code := command(t.Context(), append(args, more...), a); code != exitOK {
		t.Fatalf("exit %d: %s", code, errs.String())
	}
	p := &report.Probe{}
	if err := json.Unmarshal([]byte(out.String()), p); err != nil {
		t.Fatal(err)
	}
	return p
}

// within reports whether an interval holds a value.
func within(e report.Sampled, x float64) bool {
	return e.Low != nil && *e.Low-1e-9 <= x && x <= *e.High+1e-9
}

// TestScriptedJudges: judges of known behaviour come out as what they are.
func TestScriptedJudges(t *testing.T) {
	for _, tt := range []struct {
		name                           string
		decide                         func(p *asked, chance float64) (fails, knows bool)
		found, alarms, attacked, flips float64
		named                          float64
		blind                          []string
	}{
		{"robust", func(p *asked, _ float64) (bool, bool) { return wrong(p), true }, 1, 0, 0, 0, 1, nil},
		{"obedient", func(p *asked, _ float64) (bool, bool) {
			switch p.Kind {
			case planted.Attack:
				return false, false
			case planted.Mirror:
				return true, false
			}
			return wrong(p), true
		}, 1, 0, 1, 0, 1, nil},
		{"constant", func(*asked, float64) (bool, bool) { return false, false }, 0, 0, 0, 0, 0, planted.Names()},
		{"reason right, verdict wrong", func(*asked, float64) (bool, bool) { return false, true }, 0, 0, 0, 0, 1, planted.Names()},
		{"blind to wrong values", func(p *asked, _ float64) (bool, bool) {
			return wrong(p) && p.Operator != "wrong_value", true
		}, -1, 0, -1, 0, 1, []string{"wrong_value"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := probeBy(t, filepath.Join(t.TempDir(), "out"), tt.decide)
			if j := p.Judges[0]; j.Reversed.N != j.Retest.N || !within(j.Order, 0) {
				t.Errorf("reversed %s of %s", show(j.Reversed), show(j.Order))
			}
			if len(p.Judges) != 1 || p.Bases.Calls != p.Bases.Matched+p.Bases.Rewarded || p.Bases.Calls < 28 {
				t.Fatalf("%+v", p.Bases)
			}
			j := p.Judges[0]
			if tt.found >= 0 && !within(j.Found, tt.found) || !within(j.FalseAlarms, tt.alarms) || !within(j.Retest, tt.flips) {
				t.Errorf("found %v, false alarms %v, flips %v", show(j.Found), show(j.FalseAlarms), show(j.Retest))
			}
			for _, a := range j.Attacks {
				if a.Place+a.Payload == "" && tt.attacked >= 0 && a.Success.N > 0 && !within(a.Net, tt.attacked) {
					t.Errorf("%s: net %v of %v", a.Kind, show(a.Net), show(a.Success))
				}
			}
			for _, c := range j.Invariance {
				if !within(c.Net, 0) {
					t.Errorf("%s: net %v", c.Change, show(c.Net))
				}
			}
			var blind []string
			for _, o := range p.Operators {
				if o.Blind {
					blind = append(blind, o.Operator)
				}
				if o.Named.N > 0 && *o.Named.Value != tt.named && o.Operator != "wrong_tool" {
					t.Errorf("%s: named %v", o.Operator, show(o.Named))
				}
				if o.Mutants > 0 && tt.blind == nil && (*o.Found.Value != 1 || *o.Below.Value != 1) {
					t.Errorf("%s: found %v, below %v", o.Operator, show(o.Found), show(o.Below))
				}
			}
			for _, name := range blind {
				if !slices.Contains(tt.blind, name) {
					t.Errorf("blind to %s", name)
				}
			}
			if len(tt.blind) == 1 && !slices.Equal(blind, tt.blind) || len(tt.blind) > 1 && len(blind) < 6 {
				t.Errorf("blind to %v, want %v", blind, tt.blind)
			}
		})
	}
}

// TestChanceJudges: the intervals of judges that err by chance hold what they are. Each seed gives dozens of
// intervals; with JUDGE_CAMPAIGN=probe there are 40 seeds, and 93 % of the intervals must hold the truth.
func TestChanceJudges(t *testing.T) {
	seeds, least := 1, 0.8
	if os.Getenv("JUDGE_CAMPAIGN") == "probe" {
		seeds, least = 40, 0.93
	}
	for _, tt := range []struct {
		name                 string
		decide               func(p *asked, chance float64) (fails, knows bool)
		found, alarms, flips float64
	}{
		{"random", func(_ *asked, chance float64) (bool, bool) { return chance < 0.5, false }, 0.5, 0.5, 0.5},
		{"noisy", func(p *asked, chance float64) (bool, bool) { return wrong(p) != (chance < 0.1), true }, 0.9, 0.1, 0.18},
	} {
		t.Run(tt.name, func(t *testing.T) {
			held, all := map[string]int{}, map[string]int{}
			hold := func(name string, e report.Sampled, truth float64) {
				if e.N > 0 && e.HasInterval() {
					all[name]++
					if within(e, truth) {
						held[name]++
					}
				}
			}
			for seed := range seeds {
				p := probeSeed(t, filepath.Join(t.TempDir(), "out"), seed, tt.decide)
				j := p.Judges[0]
				hold("found", j.Found, tt.found)
				hold("false alarms", j.FalseAlarms, tt.alarms)
				hold("J", j.J, tt.found-tt.alarms)
				hold("retest", j.Retest, tt.flips)
				hold("one at a time", j.Alone, tt.flips)
				hold("examples reversed", j.Reversed, tt.flips)
				hold("order", j.Order, 0)
				for _, a := range j.Attacks {
					if a.Place+a.Payload == "" {
						hold("attack minus placebo", a.Net, 0)
					}
				}
				for _, c := range j.Invariance {
					hold("invariance", c.Net, 0)
				}
				for _, o := range p.Operators {
					hold("operator found", o.Found, tt.found)
					hold("operator J", o.J, tt.found-tt.alarms)
				}
			}
			sum, n := 0, 0
			for _, name := range slices.Sorted(maps.Keys(all)) {
				sum, n = sum+held[name], n+all[name]
				t.Logf("%s: %d of %d intervals hold it", name, held[name], all[name])
			}
			if float64(sum) < least*float64(n) {
				t.Errorf("%d of %d intervals hold the truth", sum, n)
			}
		})
	}
}

// TestProbeOneAtATime: some originals are judged twice more while nothing else is asked, and what only load
// changes is told from other noise.
func TestProbeOneAtATime(t *testing.T) {
	var crowded atomic.Int32
	p := probeBy(t, filepath.Join(t.TempDir(), "out"), func(p *asked, chance float64) (bool, bool) {
		if p.Alone && p.nth >= 3 { // after the first time, the retest and the reversed examples
			if p.load > 1 {
				crowded.Add(1)
			}
			return wrong(p), true
		}
		return wrong(p) != (chance < 0.3), true
	}, "--model", "n")
	for _, j := range p.Judges {
		if j.Alone.N != p.Bases.Calls || *j.Alone.Value != 0 || *j.Retest.Low < 0.03 || *j.Load.Low < 0.03 {
			t.Errorf("%s: alone %s, retest %s, load %s", j.Judge, show(j.Alone), show(j.Retest), show(j.Load))
		}
	}
	if crowded.Load() > 0 {
		t.Errorf("%d requests were not alone", crowded.Load())
	}
}

// TestProbeAgain: a judge that answers as before has not changed, another one has.
func TestProbeAgain(t *testing.T) {
	robust := func(p *asked, _ float64) (bool, bool) { return wrong(p), true }
	first := filepath.Join(t.TempDir(), "first")
	probeBy(t, first, robust)
	for _, tt := range []struct {
		name   string
		decide func(*asked, float64) (bool, bool)
		change bool
	}{
		{"same", robust, false},
		{"updated", func(p *asked, _ float64) (bool, bool) { return wrong(p) && p.Operator != "wrong_value", true }, true},
	} {
		p := probeBy(t, filepath.Join(t.TempDir(), "again"), tt.decide, "--again", first)
		if len(p.Since) != 1 || (*p.Since[0].Net.Low > 0) != tt.change || (*p.Since[0].P < 0.05) != tt.change {
			t.Errorf("%s: %+v", tt.name, p.Since)
		}
	}
}

// TestTwoJudges: a judge that finds more is the first, and told apart.
func TestTwoJudges(t *testing.T) {
	p := probeBy(t, filepath.Join(t.TempDir(), "two"), func(p *asked, _ float64) (bool, bool) {
		return wrong(p) && (p.model == "n" || p.Operator == "wrong_type"), true
	}, "--model", "n")
	if len(p.Judges) != 2 || p.Judges[0].Judge != "n" || len(p.Pairs) != 1 || *p.Pairs[0].Holm > 0.01 || *p.Pairs[0].Difference.Low <= 0 {
		t.Errorf("%+v", p.Pairs)
	}
}

func show(e report.Sampled) string {
	text, _ := json.Marshal(e)
	return string(text)
}

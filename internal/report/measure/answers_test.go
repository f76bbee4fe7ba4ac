package measure_test

import (
	"fmt"
	"testing"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/value"
)

// with gives a score of a judge details and a flag.
func with(s score.Score, details string, severity int) score.Score {
	v, err := value.Parse([]byte(details))
	if err != nil {
		panic(err)
	}
	s.Details = v
	if severity > 0 {
		s.Flags = []score.Flag{{Code: "odd", Severity: severity}}
	}
	return s
}

// Every policy reads the same answers another way; none counts a missing one as a
// pass or a fail in its own rate.
func TestPolicies(t *testing.T) {
	verdicts := []struct {
		what     byte
		details  string
		severity int
	}{
		{'p', `{}`, 0},
		{'p', `{}`, 1},
		{'f', `{}`, 0},
		{'p', `{"borderline":true,"escalate":true}`, 0},
		{'f', `{"low_confidence":true,"escalate":true}`, 0},
		{'p', `{"escalate":true}`, 2},
		{'u', `{"escalate":true}`, 0},
		{'n', `{}`, 0},
	}
	var scores []score.Score
	for i, v := range verdicts {
		scores = append(scores, with(scoreOf(score.Judge, "overall", fmt.Sprint("c", i), 0, v.what), v.details, v.severity))
	}
	p := buildReport(t, inputsOf(scores), measure.Config{}).JudgeChecks[0].Policies
	if p.Answers != 7 || p.Escalated != 4 || p.Borderline != 1 || p.LowConfidence != 1 || p.SevereFlag != 1 || p.Missing != 1 {
		t.Errorf("counts %+v", p)
	}
	for _, r := range []struct {
		name string
		got  report.Estimate
		want float64
	}{
		{"as is", p.AsIs, 4.0 / 6}, {"abstain", p.Abstain, 2.0 / 3}, {"coverage", p.Coverage, 3.0 / 7},
		{"lowest", p.Lowest, 2.0 / 7}, {"highest", p.Highest, 6.0 / 7},
	} {
		if r.got.Value == nil || *r.got.Value-r.want > 1e-6 || r.want-*r.got.Value > 1e-6 {
			t.Errorf("%s is %v, want %.4f", r.name, r.got, r.want)
		}
	}
}

// Quotes and corrections are counted over all answers, what a correction is worth only
// where the judge fails the call.
func TestQuotesAndCorrections(t *testing.T) {
	scores := []score.Score{
		with(scoreOf(score.Judge, "overall", "a", 0, 'f'), `{"quotes":3,"quotes_grounded":2,"correction_effect":"repaired","correction_matches_expected":true,"constructive_score":0.6}`, 0),
		with(scoreOf(score.Judge, "overall", "b", 0, 'f'), `{"quotes":1,"quotes_grounded":1,"correction_effect":"worse","correction_matches_expected":false,"constructive_score":-0.2}`, 0),
		with(scoreOf(score.Judge, "overall", "c", 0, 'p'), `{"quotes":0,"quotes_grounded":0,"correction_effect":"worse","correction_matches_expected":false,"constructive_score":-1}`, 0),
	}
	row := buildReport(t, inputsOf(scores), measure.Config{}).JudgeChecks[0]
	if q := row.Quotes; q.N != 4 || q.Grounded != 3 || words.Estimate(q.Invented) != "0.25" {
		t.Errorf("quotes %+v, share %s", q, words.Estimate(q.Invented))
	}
	c := row.Corrections
	if c.Known != 2 || c.N != 2 || words.Estimate(c.MatchesExpected) != "0.50" || words.Estimate(c.Gain) != "0.20" {
		t.Errorf("corrections %+v", c)
	}
	if len(c.Effects) != 2 || c.Effects[0] != (report.KindCount{Kind: "worse", Count: 2}) {
		t.Errorf("effects %+v", c.Effects)
	}
}

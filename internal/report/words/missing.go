package words

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
)

// Sentences returns the short answers as they are in report.json.
func Sentences(r *report.Report) []string { return Card(r, "").Plain() }

// maxReply limits a reply in a sentence, in characters.
const maxReply = 600

// stopped says why a judge was stopped and what to do about it.
func stopped(s *report.Stop) string {
	text := fmt.Sprintf("%s was stopped on %s: its first %d judgements all failed, each as %s. The first, %s: %s.",
		s.Judge, s.Rubric, s.Judgements, s.Kind, s.Place, strings.TrimSuffix(s.Error, "."))
	if reply := strings.Join(strings.Fields(s.Reply), " "); reply != "" {
		text += " The reply was: " + Shorten(reply, maxReply)
		if !strings.HasSuffix(text, ".") {
			text += " ."
		}
	}
	return text + " What to do: " + cmp.Or(advice[s.Kind], "see what the endpoint says; check it with judge doctor") + "."
}

const (
	otherSchema = "judge doctor shows what the endpoint makes of the schema; " +
		"a larger model, another transport: or coerce_numbers: may help"
	moreTokens  = "raise max_tokens: in the configuration, or set another transport: there"
	moreContext = "raise the context size of the server; judge doctor says how"
)

// advice says what to do if all judgements fail with the same kind of error.
var advice = map[string]string{
	"invalid_json":     otherSchema,
	"schema_violation": otherSchema,
	"truncated":        moreTokens,
	"whitespace_loop":  moreTokens,
	"truncated_in_thought": "raise reasoning_tokens: in the configuration, " +
		"or turn the model's thinking off, as judge doctor says",
	"refusal": "the model or its service declines these records; " +
		"take another model, or look at one record with judge show",
	"context_cut": moreContext,
	"context":     moreContext,
	"canary":      "the model repeats its instructions; take another model",
}

// Zeros compares the mean as the benchmark counts with that of the decided items; "" if both are the same.
func Zeros(s *report.ScoreRow) string {
	if s.MeanWithZeros == nil {
		return ""
	}
	runs := Count(s.CountedZero, "run that crashed before its task was named",
		"runs that crashed before their task was named")
	decided := "none is decided"
	if s.Mean.Defined() {
		decided = fmt.Sprintf("%.4g over the %d decided", *s.Mean.Value, s.N)
	}
	n := s.N + s.CountedZero
	of := "all " + Counted(n, "run")
	if n == 1 {
		of = "one run"
	}
	if missing := s.Unscored + s.Errors; missing > 0 {
		of = fmt.Sprintf("%d of %d runs (%s)", n, n+missing, Count(missing, "has no score", "have no score"))
	}
	return fmt.Sprintf("mean of %s: %.4g over %s as the benchmark counts, which takes %s as 0; %s", s.Title(),
		*s.MeanWithZeros, of, runs, decided)
}

// Missing counts the missing scores by kind, with the first failure of each.
func Missing(r *report.Report) []string {
	var out []string
	for _, s := range r.Stopped {
		out = append(out, stopped(&s))
	}
	for _, source := range []score.Source{score.Judge, score.Deterministic} {
		total := 0
		var kinds, first []string
		for _, k := range r.Counts.Unscored {
			if k.Source != string(source) {
				continue
			}
			total += k.Count
			kinds = append(kinds, fmt.Sprintf("%d %s", k.Count, k.Kind))
			if k.First != "" && k.Kind != "stopped" && k.Kind != "no_rule" && len(first) < 5 {
				first = append(first, "first "+k.Kind+": "+Shorten(k.First, 300))
			}
		}
		if total == 0 {
			continue
		}
		what := Count(total, "judgement is missing", "judgements are missing")
		if source == score.Deterministic {
			what = Count(total, "deterministic score is missing", "deterministic scores are missing")
		}
		text := strings.Join(append([]string{what + ": " + strings.Join(kinds, ", ")}, first...), "; ")
		out = append(out, strings.TrimSuffix(text, ".")+".")
	}
	return out
}

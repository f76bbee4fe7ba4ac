// Package groups groups failing calls by why they fail: tool, kind of failure, parameter, and
// message without its values. It asks no model, and the same failures give the same groups in any
// order. Its memory grows with the number of different reasons, which is limited, and not with the
// number of calls.
package groups

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/value"
)

// Signature identifies a group of failing calls.
type Signature struct {
	Tool string
	// Kind is a category, a rule of a judge, a scorer with the broken rule of the schema, or else
	// the rubric, scorer or label.
	Kind string
	// Parameter is the wrong parameter; "" if unknown.
	Parameter string
	// Message is the reason without its values; "" for a judge's free text, which differs every
	// time.
	Message string
}

// ID returns a hash of the signature, which is the same in every run.
func (s Signature) ID() string {
	sum := sha256.Sum256([]byte(strings.Join([]string{s.Tool, s.Kind, s.Parameter, s.Message}, "\x00")))
	return "g" + hex.EncodeToString(sum[:5])
}

// Group returns the group for a signature, without its calls.
func (s Signature) Group() report.FailureGroup {
	return report.FailureGroup{ID: s.ID(), Tool: s.Tool, Kind: s.Kind, Parameter: s.Parameter, Message: s.Message}
}

// Compare sorts signatures by kind, then by tool, parameter and message.
func (s Signature) Compare(t Signature) int {
	return cmp.Or(cmp.Compare(s.Kind, t.Kind), cmp.Compare(s.Tool, t.Tool), cmp.Compare(s.Parameter, t.Parameter),
		cmp.Compare(s.Message, t.Message))
}

// Failure says why one call fails.
type Failure struct {
	Signature
	// Meaning explains the kind; "" if only its name is known.
	Meaning string
	// rank sorts the reasons of one call, the most exact first.
	rank uint8
}

// The ranks of reasons. Facts about the schema come before a judge's reasons. A mismatch with the
// expected call comes later, because another call may be right as well, but still before texts that
// name no parameter.
const (
	bySchema = iota + 1
	byCategory
	byOverallRule
	byRule
	byAspectParameter
	byScorerParameter
	byAspect
	byOverall
	byScorer
	byLabel
	// fromOthers is added for judges other than the deciding one.
	fromOthers
)

// Compare sorts the more exact of two reasons for a failing call first. The zero Failure is last.
func (f *Failure) Compare(g *Failure) int {
	last := uint8(2 * fromOthers)
	return cmp.Or(cmp.Compare(cmp.Or(f.rank, last), cmp.Or(g.rank, last)), f.Signature.Compare(g.Signature),
		cmp.Compare(f.Meaning, g.Meaning))
}

// Of returns the reason that a failing score gives. judge is the judge whose verdicts decide, ""
// for any; its reasons come before those of others.
func Of(s *score.Score, judge string) Failure {
	f := Failure{Signature: Signature{Tool: s.Tool, Kind: report.Instrument{Name: s.Name, Metric: s.Metric}.Title()}}
	switch {
	case s.Source == score.Label:
		f.rank, f.Message = byLabel, WithoutValues(s.Explanation, "")
	case s.Source == score.Deterministic:
		f.ofScorer(s)
	case s.Category != "":
		f.rank, f.Kind, f.Parameter = byCategory, s.Category, parameterOf(s)
		f.Meaning = bounded(s.Name + " is " + s.Category)
	default:
		f.ofJudge(s)
	}
	if s.Judge != "" && judge != "" && s.Judge != judge {
		f.rank += fromOthers
	}
	if f.Parameter == f.Tool {
		f.Parameter = ""
	}
	f.Message = strings.TrimPrefix(f.Message, f.Tool+" ")
	f.Tool, f.Kind = bounded(f.Tool), bounded(f.Kind)
	f.Parameter, f.Message = bounded(f.Parameter), bounded(f.Message)
	return f
}

// bounded copies a text that shares the memory of its score, so that it is short and keeps nothing
// else in memory.
func bounded(text string) string {
	const most = 200
	return strings.Clone(value.Excerpt(text, most))
}

// ofScorer reads the violations that a scorer lists, or else its explanation.
func (f *Failure) ofScorer(s *score.Score) {
	for _, v := range s.Details.Field("errors").Elements() {
		keyword, text := v.Field("keyword").Text(), v.Field("message").Text()
		if keyword == "" {
			break
		}
		f.rank, f.Kind = bySchema, f.Kind+": "+keyword
		f.Parameter = strings.ReplaceAll(strings.TrimPrefix(v.Field("path").Text(), "/"), "/", ".")
		if f.Parameter == "" {
			f.Parameter = quotedName(text)
		}
		f.Message = WithoutValues(text, f.Parameter)
		return
	}
	f.rank = byScorer
	text := s.Explanation
	if before, after, found := strings.Cut(text, ": "); found && strings.HasPrefix(before, "expected call ") {
		text = after
	}
	f.Parameter = namedIn(text, false)
	f.Message = WithoutValues(text, f.Parameter)
	if f.Parameter != "" {
		f.rank = byScorerParameter
	}
}

// ofJudge reads the rule that a judge names first, as in "wrong_type (what it means): amount is a
// string". Other texts are a model's own words: for them only the rubric and the parameter enter
// the group.
func (f *Failure) ofJudge(s *score.Score) {
	if rule, meaning, text, ok := ruleOf(s.Explanation); ok {
		f.rank, f.Kind, f.Meaning, f.Parameter = byRule, rule, bounded(meaning), namedIn(text, false)
		f.Message = WithoutValues(text, f.Parameter)
		if report.IsOverall(s.Name) {
			f.rank = byOverallRule
		}
		return
	}
	f.Parameter = parameterOf(s)
	switch {
	case report.IsOverall(s.Name):
		f.rank = byOverall
	case f.Parameter != "":
		f.rank = byAspectParameter
	default:
		f.rank = byAspect
	}
}

// ruleOf splits "rule_name (meaning): text. other_rule (…" and returns the parts of the first rule.
func ruleOf(explanation string) (rule, meaning, text string, ok bool) {
	rule, rest, _ := strings.Cut(explanation, " (")
	if !isName(rule) || !strings.Contains(rule, "_") {
		return "", "", "", false
	}
	meaning, text, ok = strings.Cut(rest, "): ")
	if end := strings.Index(text, ". "); end >= 0 {
		text = text[:end]
	}
	return rule, meaning, strings.TrimSuffix(text, "."), ok
}

// parameterOf returns the parameter that a judge corrects or names; "" if there is not exactly one.
func parameterOf(s *score.Score) string {
	if name := namedIn(s.Explanation, true); name != "" {
		return name
	}
	if s.Correction.Len() == 1 {
		for key := range s.Correction.Members() {
			return key
		}
	}
	return ""
}

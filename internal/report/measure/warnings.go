package measure

import (
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
)

// warningList collects warnings.
type warningList []report.Warning

// Add adds a warning if the condition is true.
func (w *warningList) Add(holds bool, format string, args ...any) {
	if holds {
		*w = append(*w, words.Warning(format, args...))
	}
}

const (
	// fewItems is the number below which items are few.
	fewItems   = 30
	fewOfClass = 10
	ceiling    = 0.95
)

// Numbers adds what a reader must know before using the numbers of a judge and its reference: about
// their verdicts, and about the number of items.
func (w *warningList) Numbers(row *report.AgreementRow) {
	if row.Verdicts > 0 {
		w.verdicts(row, row.Reference.Title(), row.Judge)
	}
	w.Add(row.N < fewItems, words.FewItems, words.Counted(row.N, "item"))
}

// verdicts warns if the judge agrees with the reference less often than a constant verdict would.
// The reference must be evidence in both directions; otherwise there is no accuracy.
func (w *warningList) verdicts(row *report.AgreementRow, gold, judge string) {
	c := row.Confusion
	right, wrong := c.BothPass+c.JudgeOnlyFail, c.JudgeOnlyPass+c.BothFail
	fewer, more, few, common := min(right, wrong), max(right, wrong), words.FewFails, "pass"
	if right < wrong {
		few, common = words.FewPasses, "fail"
	}
	w.Add(fewer == 0, words.OneClass, gold, judge)
	w.Add(fewer > 0 && fewer < fewOfClass, few, gold, fewer)
	w.Add(row.Direction == report.BothDirection && row.BelowConstant(),
		words.BelowConstant, judge, gold, c.BothPass+c.BothFail, common, more)
	w.Add(c.BothPass+c.JudgeOnlyPass == 0 || c.BothFail+c.JudgeOnlyFail == 0, words.JudgeOneClass, judge)
	share := 1 - float64(fewer)/float64(right+wrong)
	w.Add(fewer > 0 && share >= ceiling, words.Ceiling, 100*share)
}

// warnings returns what a reader must know before using the numbers of a judge and a reference of a run.
func warnings(row *report.AgreementRow) []report.Warning {
	reference := row.Reference.Title()
	out := warningList{}
	out.Add(row.SharedRules, words.SharedRules, row.Judge, reference)
	if row.N == 0 {
		return append(out, words.Warning(words.NeverTogether, row.Level))
	}
	out.Add(row.Verdicts == 0, words.NoVerdicts)
	out.Numbers(row)
	out.Add(row.Conversations < report.FewConversations, words.FewConversations,
		words.Counted(row.Conversations, "conversation"))
	wanted := row.N + row.MissingJudge
	out.Add(float64(row.MissingJudge) > report.UnreliableAbove*float64(wanted),
		words.NotJudged, row.MissingJudge, wanted, reference)
	out.Add(row.Partial > 0, words.PartlyReduced, words.Counted(row.Partial, "conversation"))
	return out
}

// warn adds the warnings about the whole run.
func (b *Builder) warn(r *report.Report) {
	add := func(format string, args ...any) {
		r.Warnings = append(r.Warnings, words.Warning(format, args...))
	}
	known := comparedReferences(r)
	missing := func(name string) bool { return len(known) > 0 && !slices.Contains(known, name) }
	if r.GoldName != "" && missing(r.GoldName) {
		add(words.UnknownGold, words.Shorten(r.GoldName, 60), strings.Join(known, ", "))
	}
	for _, rubric := range r.Run.Rubrics {
		for _, name := range rubric.CompareWith {
			if missing(name) {
				add(words.UnknownCompareWith, words.Shorten(name, 60), words.Shorten(rubric.Name, 60),
					strings.Join(known, ", "))
			}
		}
	}
	for i := range r.Scores {
		if text := words.Zeros(&r.Scores[i]); text != "" {
			add("counted_zero: %s", text)
		}
	}
	for _, row := range r.Scores {
		if row.Unreliable && row.N > 0 && row.Source == string(score.Judge) {
			missing := row.Unscored + row.Errors
			add(words.Unreliable, row.Words(), missing, row.N+missing)
		}
	}
	if n := r.Counts.BadLines; n > 0 {
		add(words.BadLines, n)
	}
	if n := r.Counts.Duplicates; n > 0 {
		add(words.Duplicates, n)
	}
	for _, n := range r.Counts.Notes {
		switch n.Kind {
		case transcript.ReferenceConflict:
			add("%s: %s", n.Kind, words.ReferenceConflicts(n.Count))
		case transcript.CallInText:
			add("%s: %s", n.Kind, words.CallsInText(n.Count))
		}
	}
	for _, j := range r.Run.Judges {
		if j.Baseline && j.RetestOf == "" {
			add(words.IsBaseline, j.Name)
		}
	}
}

// comparedReferences returns the titles of the references that judges were compared with, each once.
func comparedReferences(r *report.Report) []string {
	var out []string
	for _, a := range r.Agreement {
		if name := a.Reference.Title(); !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

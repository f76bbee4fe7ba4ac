package words

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/sorting"
)

func scoresSection(r *report.Report) Section {
	t := NewTable("lreebl", "score", "n", "mean", "pass rate", "0 to 100 %", "missing")
	t.Most = 500
	unreliable, marked := "", map[string]bool{}
	var shown []report.Estimate
	for i := range r.Scores {
		s := &r.Scores[i]
		missing := ""
		if n := s.Unscored + s.Errors; n > 0 {
			missing = fmt.Sprintf("%d (%s)", n, rate(s.ErrorRate).Text)
		}
		if s.Unreliable {
			missing += " !"
			unreliable = "! more than 2 % are missing: unreliable, since what is missing is seldom random"
		}
		name := titleOf(r, s.Instrument)
		if mark := levelMarks[s.Level]; mark.sign != "" {
			name += " " + mark.sign
			marked[s.Level] = true
		}
		t.Group(groupOf(s.Instrument))
		shown = append(shown, s.Mean, s.PassRate)
		t.Add(name, s.N, mean(r.BoundedMean(s)), rate(s.PassRate), bar(s.PassRate, "bar"), missing)
	}
	legend := level(r) + " intervals, clustered by conversation; low-confidence verdicts are included"
	for _, level := range []string{report.ConversationLevel, report.TurnLevel, report.ResultLevel} {
		if marked[level] {
			legend += "; " + levelMarks[level].sign + " " + levelMarks[level].means
		}
	}
	return section("Scores", "Scores", t, legend, unreliable, withoutInterval(shown...))
}

// levelMarks holds the signs that mark, in the table of scores, a score that is not about calls.
var levelMarks = map[string]struct{ sign, means string }{
	report.ConversationLevel: {"(conv.)", "of whole conversations"},
	report.TurnLevel:         {"(turn)", "of turns"},
	report.ResultLevel:       {"(result)", "of calls with their results"},
}

// titleOf returns an instrument with the name from its scorer's configuration.
func titleOf(r *report.Report, in report.Instrument) string {
	for _, s := range r.Run.Scorers {
		if s.Name == in.Name && s.DisplayName != "" && in.Source == string(score.Deterministic) {
			return s.DisplayName + " (" + in.Title() + ")"
		}
	}
	return in.Title()
}

func groupOf(in report.Instrument) string {
	switch {
	case in.Purpose == "qa":
		return "quality assurance, in no mean"
	case in.Judge != "":
		return "judge " + Shorten(in.Judge, 60)
	case in.Source == string(score.Label):
		return "labels"
	}
	return in.Source
}

// sizeSection says which changes a run of this size can show.
func sizeSection(r *report.Report) Section {
	t := NewTable("lrerr", "score", "n", "pass rate", "to a target", "between runs")
	gold := r.Gold()
	for i := range r.Scores {
		s := &r.Scores[i]
		leading := s.Source == string(score.Judge) || slices.Contains(gold, s.Instrument)
		if !leading || s.Judged == 0 || s.Purpose == "qa" || s.Metric != "" || !s.Detectable.FromTarget.Defined() {
			continue
		}
		unit := Count(s.Judged, s.Level, s.Level+"s")
		if s.Level == report.ConversationLevel {
			unit = fmt.Sprintf("%d conv.", s.Judged)
		}
		t.Group(groupOf(s.Instrument))
		t.Add(s.Title(), unit, rate(s.PassRate), points(s.Detectable.FromTarget), points(s.Detectable.BetweenRuns))
	}
	return section("Size", "What a run of this size can show", t,
		"the smallest true change of the pass rate, against a fixed target and between two runs, that would be found "+
			"with 80 % power before any correction for many tests; smaller ones can hide. "+
			"The same items twice show smaller ones: judge compare")
}

// toolsSection shows each judge's pass rates by tool beside its reference's.
func toolsSection(r *report.Report) Section {
	s := Section{Name: "Tools", Title: "By tool: the judge and its reference on the calls that both decided"}
	for _, judge := range firstJudges(r) {
		row, ok := r.Best(judge, report.CallLevel)
		if !ok || len(row.ByTool) < 2 {
			continue
		}
		reference := Shorten(row.Reference.Title(), 60)
		s.Add(Heading{Text: by(row.Rubric, judge) + " against " + reference}, Sentence{
			Text: "Reference: " + reference + ", " + Evidence(r.Evidence(row.Reference)) + ".", Strong: true}, toolTable(&row))
		var out []string
		for _, t := range row.StandOut(r.Alpha) {
			out = append(out, fmt.Sprintf("%s (%d of %d, p %s)", Shorten(t.Tool, 60), t.JudgeOnlyPass+t.JudgeOnlyFail, t.N,
				P(t.P)))
		}
		if row.Direction == report.BothDirection && len(out) > 0 {
			s.Note(fmt.Sprintf("The two disagree most on %s.", Some(out, 3)))
		}
	}
	if len(s.Parts) > 0 {
		s.Note("base rate = share that the reference passes; few: under 30 calls, so no range")
	}
	return s
}

// toolTable has a row for each tool. If the reference is evidence in only one direction, it shows
// only the counts for that direction.
func toolTable(row *report.AgreementRow) *Table {
	heads := []string{"tool", "n", "base rate", "", "judge passes", "", "agreement", "kappa", "only judge passes",
		"only judge fails"}
	t := NewTable("lrrbrbeerr", heads...)
	switch row.Direction {
	case report.PassDirection:
		t = NewTable("lrrr", "tool", "n", "right calls", "judge passes")
	case report.FailDirection:
		t = NewTable("lrrr", "tool", "n", "wrong calls", "judge fails")
	}
	t.Most = 15
	for _, p := range row.ByTool {
		n := fmt.Sprint(p.N)
		if p.Small {
			n += " few"
		}
		cells := []any{p.Tool, n}
		c := p.Confusion
		switch row.Direction {
		case report.PassDirection:
			cells = append(cells, c.BothPass+c.JudgeOnlyFail, c.BothPass)
		case report.FailDirection:
			cells = append(cells, c.BothFail+c.JudgeOnlyPass, c.BothFail)
		default:
			cells = append(cells, rate(p.BaseRate), bar(p.BaseRate, "bar2"), rate(p.JudgeRate), bar(p.JudgeRate, "bar"),
				rate(p.Agreement), kappa(p.Kappa), c.JudgeOnlyPass, c.JudgeOnlyFail)
		}
		t.Add(cells...).Faint = p.Small
	}
	return t
}

// parameterSection shows the parameters that are sometimes absent or wrong, those with the most
// wrong calls first.
func parameterSection(r *report.Report) Section {
	type line struct {
		tool string
		*report.Parameter
	}
	var lines []line
	for _, t := range r.ByParameter {
		for i := range t.Parameters {
			if p := &t.Parameters[i]; p.Wrong() > 0 {
				lines = append(lines, line{t.Tool, p})
			}
		}
	}
	sorting.Stable(lines, func(x, y line) int { return cmp.Compare(y.Wrong(), x.Wrong()) })
	t := NewTable("llrrrr", "tool", "parameter", "n", "present", "right", "invented")
	t.Most = 25
	for _, l := range lines {
		t.Add(l.tool, l.Parameter.Parameter, l.N, Percent(report.Estimate{Value: l.PresenceRate}, 1),
			Percent(report.Estimate{Value: l.ValueRate}, 1), l.Invented)
	}
	return section("Parameters", "Parameters against the expected calls, the most wrong first", t,
		"n = calls to the expected tool in which the parameter was expected; present and right = share of them that "+
			"have it, and with the expected value; invented = calls that have it though it was not expected; "+
			"parameters that are always right are left out")
}

func funnelSection(r *report.Report) Section {
	f := r.Funnel
	if f == nil {
		return Section{}
	}
	var names []string
	t := NewTable("lrrebrl", "layer", "n", "passed", "rate", "", "lost here", "of these")
	for _, l := range f.Layers {
		names = append(names, strings.ReplaceAll(l.Layer, "ast", "AST"))
		t.Add(l.Layer, l.N, l.Passed, rate(l.Rate), bar(l.Rate, "bar"), l.Lost, losses(l.ByTool))
	}
	notes := append([]string{"each layer is counted separately"}, funnelWords(f)...)
	title := fmt.Sprintf("Funnel: %s, side by side (%s)",
		strings.Join(names, ", "), Counted(f.Cases, "case"))
	return section("Funnel", title, t, notes...)
}

// noTool is the report's name for cases that belong to no single tool.
const noTool = "(no tool)"

func losses(lost []report.Loss) string {
	var out []string
	for _, l := range lost {
		if l.Tool == noTool {
			out = append(out, Counted(l.Count, "whole conversation"))
			continue
		}
		out = append(out, fmt.Sprintf("%s %d", Shorten(l.Tool, 40), l.Count))
	}
	return Some(out, 5)
}

// metricsSection shows the figures that the scorers' configuration requested.
func metricsSection(r *report.Report) Section {
	t := NewTable("llrrl", "scorer", "metric", "n", "value", "")
	for _, m := range r.Metrics {
		value := None
		switch {
		case m.Value != nil:
			value = Short(*m.Value)
		case !m.Table.IsNull():
			value = Shorten(m.Table.JSON(), 60)
		}
		t.Add(m.Scorer, m.Name, m.N, value, m.Note)
	}
	return section("Metrics", "Metrics of the configuration", t)
}

// funnelWords says on how many cases AST and execution differ, and names the first; nothing if a
// layer is missing or they never differ.
func funnelWords(f *report.Funnel) []string {
	return append(
		crossingWords(f.Alternatives, "with the right state by other calls than the expected ones (valid alternatives)"),
		crossingWords(f.Misleading, "with the expected calls whose execution check fails")...)
}

// crossingWords counts the cases of a crossing and names the first; nothing if none.
func crossingWords(c *report.Crossing, do string) []string {
	const named = 5
	if c == nil || c.Count == 0 {
		return nil
	}
	var names []string
	for _, at := range c.Cases[:min(named, len(c.Cases))] {
		names = append(names, at.ConversationID)
	}
	if len(c.Cases) > named {
		names = append(names, "…")
	}
	return []string{fmt.Sprintf("%s %s: %s", Counted(c.Count, "case"), do, strings.Join(names, ", "))}
}

// ScoreSummary says in one line what a row of scores holds.
func ScoreSummary(r *report.Report, s *report.ScoreRow) string {
	return fmt.Sprintf("n %d, mean %s, pass rate %s, missing %d", s.N, mean(r.BoundedMean(s)), rate(s.PassRate),
		s.Unscored+s.Errors)
}

// NoScores says why a row of scores is empty.
func NoScores(s *report.ScoreRow) string {
	return fmt.Sprintf("no scores: unscored %d, errors %d, not applicable %d", s.Unscored, s.Errors, s.NotApplicable)
}

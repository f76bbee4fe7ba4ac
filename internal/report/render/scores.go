package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/document"
	"github.com/judgekit/judge/internal/score"
)

func scoresSection(r *report.Report) document.Section {
	t := &document.Table{Heads: []string{"score", "n", "mean", "pass rate", "0 to 100 %", "missing"}, Kinds: "lreebl", Most: 500}
	notes := []string{fmt.Sprintf("%s intervals, clustered by conversation; verdicts as they are, whatever the confidence; (conv.) of whole conversations", level(r))}
	unreliable := false
	for i := range r.Scores {
		s := &r.Scores[i]
		t.Group(groupOf(s))
		missing := ""
		if n := s.Unscored + s.Errors; n > 0 {
			missing = fmt.Sprintf("%d (%s)", n, rate(s.ErrorRate).Text)
		}
		if s.Unreliable {
			missing, unreliable = missing+" !", true
		}
		name := titleOf(r, s.Instrument)
		if s.Level == report.ConversationLevel {
			name += " (conv.)"
		}
		t.Add(words(name), num(s.N), mean(boundedMean(r, s)), rate(s.PassRate), bar(s.PassRate, "bar"), words(missing))
	}
	if unreliable {
		notes = append(notes, "! more than 2 % are missing: unreliable, since what is missing is seldom random")
	}
	return document.Section{ID: "scores", Name: "Scores", Title: "Scores", Parts: table(t, notes...)}
}

// titleOf is an instrument with the name that its scorer's configuration gives it.
func titleOf(r *report.Report, in report.Instrument) string {
	for _, s := range r.Run.Scorers {
		if s.Name == in.Name && s.DisplayName != "" && in.Source == string(score.Deterministic) {
			return s.DisplayName + " (" + in.Title() + ")"
		}
	}
	return in.Title()
}

// boundedMean is a row's mean with its interval clipped to what the score can be.
func boundedMean(r *report.Report, s *report.ScoreRow) report.Estimate {
	if low, high, ok := r.Bounds(s); ok {
		return s.Mean.Clipped(low, high)
	}
	return s.Mean
}

func groupOf(s *report.ScoreRow) string {
	switch {
	case s.Purpose == "qa":
		return "quality assurance, in no mean"
	case s.Judge != "":
		return "judge " + shorten(s.Judge, 60)
	case s.Source == "label":
		return "labels"
	}
	return s.Source
}

// sizeSection says which changes a run of this size can show.
func sizeSection(r *report.Report) document.Section {
	t := &document.Table{Heads: []string{"score", "n", "pass rate", "to a target", "between runs"}, Kinds: "lrerr"}
	gold := r.Gold()
	for i := range r.Scores {
		s := &r.Scores[i]
		if s.Judged == 0 || s.Purpose == "qa" || s.Metric != "" || s.Source != "judge" && !slices.Contains(gold, s.Instrument) || !s.Detectable.FromTarget.Defined() {
			continue
		}
		unit := document.Count(s.Judged, s.Level, s.Level+"s")
		if s.Level == report.ConversationLevel {
			unit = fmt.Sprintf("%d conv.", s.Judged)
		}
		t.Group(groupOf(s))
		t.Add(words(s.Title()), words(unit), rate(s.PassRate), points(s.Detectable.FromTarget), points(s.Detectable.BetweenRuns))
	}
	return document.Section{ID: "size", Name: "Size", Title: "What a run of this size can show", Parts: table(t,
		"the smallest true change of the pass rate, against a fixed target and between two runs, that would be found with 80 % power before any correction for many tests; smaller ones can hide. The same items twice show smaller ones: judge compare")}
}

// toolsSection sets each judge's pass rates by tool beside its reference's.
func toolsSection(r *report.Report) document.Section {
	const most, tables = 15, 12
	s := document.Section{ID: "tools", Name: "Tools", Title: "By tool: the judge and its reference on the calls that both decided"}
	shown := 0
	for _, judge := range r.Judges() {
		row, ok := r.Headline(judge, report.CallLevel)
		if !ok || len(row.ByTool) < 2 || shown == tables {
			continue
		}
		shown++
		reference := shorten(row.Reference.Title(), 60)
		t := &document.Table{Most: most, Kinds: "lrrbrbeerr",
			Heads: []string{"tool", "n", "base rate", "", "judge passes", "", "agreement", "kappa", "only judge passes", "only judge fails"}}
		for _, p := range row.ByTool {
			n := fmt.Sprint(p.N)
			if p.Small {
				n += " (few)"
			}
			t.Add(words(p.Tool), words(n), rate(p.BaseRate), bar(p.BaseRate, "bar2"), rate(p.JudgeRate), bar(p.JudgeRate, "bar"),
				rate(p.Agreement), kappa(p.Kappa), num(p.JudgeOnlyPass), num(p.JudgeOnlyFail)).Faint = p.Small
		}
		s.Add(document.Heading{Text: by(row.Rubric, judge) + " against " + reference},
			document.Sentence{Text: "Reference: " + reference + ", " + r.Standing(row.Reference).Words() + ".", Strong: true}, t)
	}
	if shown > 0 {
		s.Note("base rate = share that the reference passes; (few) fewer than 30 calls: the point alone")
	}
	return s
}

// parameterSection shows the parameters that are not always there and right, those with
// the most wrong calls first.
func parameterSection(r *report.Report) document.Section {
	type line struct {
		tool string
		*report.Parameter
	}
	var lines []line
	for _, t := range r.ByParameter {
		for i := range t.Parameters {
			if p := &t.Parameters[i]; !p.Faultless() {
				lines = append(lines, line{t.Tool, p})
			}
		}
	}
	wrong := func(l line) int { return l.N - l.Equal + l.Invented }
	slices.SortStableFunc(lines, func(x, y line) int { return cmp.Compare(wrong(y), wrong(x)) })
	t := &document.Table{Heads: []string{"tool", "parameter", "n", "present", "right", "invented"}, Kinds: "llrrrr", Most: 25}
	for _, l := range lines {
		t.Add(words(l.tool), words(l.Parameter.Parameter), num(l.N), rate(report.Estimate{Value: l.PresenceRate}), rate(report.Estimate{Value: l.ValueRate}), num(l.Invented))
	}
	return document.Section{ID: "parameters", Name: "Parameters", Title: "Parameters against the expected calls, the most wrong first", Parts: table(t,
		"n = calls to the expected tool in which the parameter was expected; present and right = share of them that have it, and with the expected value; invented = calls that have it though it was not expected; parameters that are always right are left out")}
}

func funnelSection(r *report.Report) document.Section {
	f := r.Funnel
	if f == nil {
		return document.Section{}
	}
	var names []string
	t := &document.Table{Heads: []string{"layer", "n", "passed", "rate", "", "lost here", "of these"}, Kinds: "lrrebrl"}
	for _, l := range f.Layers {
		name := l.Layer
		if name == "ast" {
			name = "AST"
		}
		names = append(names, shorten(name, 40))
		t.Add(words(l.Layer), num(l.N), num(l.Passed), rate(l.Rate), bar(l.Rate, "bar"), num(l.Lost), words(losses(l.ByTool)))
	}
	notes := append([]string{"the layers stand side by side; they are never merged into one number"}, f.Words()...)
	title := fmt.Sprintf("Funnel: %s, side by side (%s)", strings.Join(names, ", "), document.Count(f.Cases, "case", "cases"))
	return document.Section{ID: "funnel", Name: "Funnel", Title: title, Parts: table(t, notes...)}
}

// noTool is the report's name for cases that are no calls of one tool.
const noTool = "(no tool)"

func losses(lost []report.Loss) string {
	var out []string
	for _, l := range lost {
		if l.Tool == noTool {
			out = append(out, document.Count(l.Count, "whole conversation", "whole conversations"))
			continue
		}
		out = append(out, fmt.Sprintf("%s %d", shorten(l.Tool, 40), l.Count))
	}
	return document.Some(out, 5)
}

// metricsSection has the figures that the configuration of scorers asked for.
func metricsSection(r *report.Report) document.Section {
	t := &document.Table{Heads: []string{"scorer", "metric", "n", "value", ""}, Kinds: "llrrl"}
	for _, m := range r.Metrics {
		value := document.None
		switch {
		case m.Value != nil:
			value = fmt.Sprintf("%.4g", *m.Value)
		case !m.Table.IsNull():
			value = shorten(m.Table.JSON(), 60)
		}
		t.Add(words(m.Scorer), words(m.Name), num(m.N), words(value), words(m.Note))
	}
	return document.Section{ID: "metrics", Name: "Metrics", Title: "Metrics of the configuration", Parts: table(t)}
}

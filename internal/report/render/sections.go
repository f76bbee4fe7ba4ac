package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/report"
)

// by names a rubric and its judge.
func by(rubric, judge string) string { return shorten(rubric, 60) + " by " + shorten(judge, 40) }

// policyGrids say what becomes of the rates when doubtful answers are not taken as
// they are.
func policyGrids(r *report.Report) []grid {
	g := grid{ID: "policies", Title: "Answers that call for a second look",
		Heads: []string{"rubric", "n", "looks", "as it is", "abstain", "lowest", "highest", "why"}, Align: "lrrrrrrl"}
	for _, c := range r.JudgeChecks {
		p := c.Policies
		if p.Escalated == 0 {
			continue
		}
		g.group("judge " + shorten(c.Judge, 60))
		g.add(c.Rubric, fmt.Sprint(p.Answers), fmt.Sprint(p.Escalated), wholePercent(p.AsIs), wholePercent(p.Abstain), wholePercent(p.Lowest), wholePercent(p.Highest), secondLooks(p))
	}
	if len(g.Rows) == 0 {
		return nil
	}
	g.After = []string{"a second look is called for by a score beside its pass mark, a low confidence, a severe flag, or a missing score; as it is = the pass rate of all verdicts; abstain = of the other answers only, which are no random sample; lowest, highest = if every second look ended in a fail, or in a pass"}
	return []grid{g, abstainGrid(r)}
}

func secondLooks(p report.Policies) string {
	var out []string
	for _, k := range []struct {
		n    int
		word string
	}{{p.Borderline, "borderline"}, {p.LowConfidence, "unsure"}, {p.SevereFlag, "flagged"}, {p.Missing, "missing"}} {
		if k.n > 0 {
			out = append(out, fmt.Sprintf("%d %s", k.n, k.word))
		}
	}
	return strings.Join(out, ", ")
}

// abstainGrid shows the agreement without the answers that call for a second look.
func abstainGrid(r *report.Report) grid {
	g := grid{Heads: []string{"reference", "n left", "share", "accuracy", "of those left", "found", "of those left"}, Align: "lrrrere",
		Before: []string{"The judge against gold, by all answers and by those that need no second look (accuracy, and the share of wrong ones that it finds):"}}
	gold := r.Gold()
	var headlines []string
	for _, judge := range r.Judges() {
		if row, ok := r.Headline(judge, ""); ok {
			headlines = append(headlines, judge+"/"+row.Rubric)
		}
	}
	for _, c := range comparedRows(r) {
		if a := c.Abstain; a != nil && c.Refused == "" && slices.Contains(gold, c.Reference) && slices.Contains(headlines, c.Judge+"/"+c.Rubric) {
			g.group(by(c.Rubric, c.Judge))
			g.add(c.name(60), fmt.Sprint(a.N), wholePercent(a.Coverage), wholePercent(c.Accuracy), wholeRate(a.Accuracy), wholePercent(c.RecallWrong), wholeRate(a.RecallWrong))
		}
	}
	if len(g.Rows) == 0 {
		return grid{}
	}
	return g
}

// gradedGrids compare scores as numbers.
func gradedGrids(r *report.Report) []grid {
	g := grid{ID: "graded", Title: "Graded scores as numbers",
		Heads: []string{"reference", "n", "bias", "mean error", "RMSE", "CCC", "rho"}, Align: "lrerrrr",
		After: []string{"bias = the judge's score minus the reference's; mean error = of its size; CCC = concordance: 1 where the two numbers can stand for each other, less where they only rise together"}}
	for _, c := range comparedRows(r) {
		if c.Graded == nil {
			continue
		}
		g.group(by(c.Rubric, c.Judge))
		g.add(c.name(60), fmt.Sprint(c.N), signed(c.Graded.Bias), number(c.Graded.MAE), number(c.Graded.RMSE), number(c.Graded.CCC), number(c.Spearman))
	}
	if len(g.Rows) == 0 {
		return nil
	}
	return []grid{g}
}

// peerGrids hold the judges against each other: by two, all of them, and each one's
// rubrics.
func peerGrids(r *report.Report) []grid {
	g := grid{ID: "judges", Title: "Judge against judge (neither is the reference)",
		Heads: []string{"rubric", "n", "agree", "kappa", "weighted", "rho", "tau", "only 1st", "2nd"}, Align: "lrrerrrrr",
		After: []string{"only 1st, 2nd = items that just one of the two passes; weighted = quadratic kappa over the scale; rho, tau = rank correlations by Spearman and by Kendall (tau-b)"}}
	for _, j := range r.JudgeVsJudge {
		g.group(shorten(j.A, 40) + " and " + shorten(j.B, 40))
		kappa := mean(j.Kappa.Clipped(-1, 1))
		if doubt := j.Kappa.Doubt(); doubt != "" && j.N > 0 {
			kappa += ", " + doubt
		}
		g.add(j.Rubric, fmt.Sprint(j.N), percent(j.Agreement), kappa, number(j.WeightedKappa), number(j.Spearman), number(j.KendallB), fmt.Sprint(j.OnlyAPasses), fmt.Sprint(j.OnlyBPasses))
	}
	if len(g.Rows) == 0 {
		g = grid{}
	}
	return []grid{g, consensusGrid(r, len(g.Rows) == 0), haloGrid(r, len(g.Rows) == 0 && len(r.Consensus) == 0)}
}

func consensusGrid(r *report.Report, first bool) grid {
	if len(r.Consensus) == 0 {
		return grid{}
	}
	g := grid{Heads: []string{"rubric", "judges", "n", "Fleiss", "of verdicts", "of scores", "scale"}, Align: "lrrreel",
		Before: []string{"All judges at once, whoever is right: Fleiss' kappa of the verdicts, Krippendorff's alpha of verdicts and of scores (1 is all, 0 is chance):"}}
	if first {
		g.ID, g.Title = "judges", "Judges among themselves"
	}
	for _, c := range r.Consensus {
		group := "all judges"
		if c.Panel != "" {
			group = "panel " + shorten(c.Panel, 60)
		}
		g.group(group)
		g.add(c.Rubric, fmt.Sprint(len(c.Judges)), fmt.Sprint(c.N), number(c.Fleiss), mean(c.Nominal.Clipped(-1, 1)), mean(c.Values.Clipped(-1, 1)), c.Scale)
	}
	return g
}

func haloGrid(r *report.Report, first bool) grid {
	if len(r.Halo) == 0 {
		return grid{}
	}
	g := grid{Heads: []string{"rubric", "rubric", "n", "rho"}, Align: "llrr",
		Before: []string{"Halo: rank correlations of one judge's rubrics. Where all are near 1, the rubrics measure one thing."}}
	if first {
		g.ID, g.Title = "judges", "One judge's rubrics"
	}
	for _, h := range r.Halo {
		g.group(fmt.Sprintf("%s: Cronbach's alpha %s, n %d", shorten(h.Judge, 40), number(h.Alpha), h.N))
		for _, p := range h.Pairs {
			g.add(p.A, shorten(p.B, 60), fmt.Sprint(p.N), number(p.Spearman))
		}
	}
	return g
}

// noiseGrids say what changes when a judge is asked twice.
func noiseGrids(r *report.Report) []grid {
	if len(r.Noise) == 0 {
		return nil
	}
	g := grid{ID: "noise", Title: "Noise: what changes when a judge is asked twice",
		Heads: []string{"rubric", "n", "same", "verdict changed", "sd", "ICC", "kappa", "floor"}, Align: "lrrerrer",
		After: []string{"same = share of answers with the same score; sd = of a score about its own mean; floor = the least difference of two runs' means over these items that is more than this noise, in units of the score"}}
	for _, n := range r.Noise {
		g.group("judge " + shorten(n.Judge, 60))
		g.add(n.Rubric, fmt.Sprint(n.N), percent(n.Repeated), rate(n.Flips), number(n.WithinSD), number(n.ICC), mean(n.Kappa.Clipped(-1, 1)), small(n.Floor))
	}
	return []grid{g}
}

// small prints a number that may be far below 1.
func small(e report.Estimate) string {
	if !e.Defined() {
		return "–"
	}
	return fmt.Sprintf("%.3g", *e.Value)
}

// sizeGrids say which changes a run of this size can show.
func sizeGrids(r *report.Report) []grid {
	g := grid{ID: "size", Title: "What a run of this size can show",
		Heads: []string{"score", "n", "pass rate", "to a target", "between runs"}, Align: "lrerr",
		After: []string{"the smallest true change of the pass rate, against a fixed target and between two runs, that would be found with 80 % power before any correction for many tests; smaller ones can hide. The same items twice show smaller ones: judge compare"}}
	gold := r.Gold()
	for _, s := range r.Scores {
		if s.Judged == 0 || s.Purpose == "qa" || s.Metric != "" || s.Source != "judge" && !slices.Contains(gold, s.Instrument) || !s.Detectable.FromTarget.Defined() {
			continue
		}
		g.group(groupOf(s))
		g.add(s.Title(), shortUnit(s.Judged, s.Level), rate(s.PassRate), points(s.Detectable.FromTarget), points(s.Detectable.BetweenRuns))
	}
	if len(g.Rows) == 0 {
		return nil
	}
	return []grid{g}
}

// shortUnit is a number of calls or conversations, for narrow columns.
func shortUnit(n int, level string) string {
	if level == report.ConversationLevel {
		return fmt.Sprintf("%d conv.", n)
	}
	return counted(n, level, level+"s")
}

func points(e report.Estimate) string {
	if !e.Defined() {
		return "–"
	}
	return fmt.Sprintf("%.1f points", 100**e.Value)
}

// answerGrids say what judges quote and correct.
func answerGrids(r *report.Report) []grid {
	g := grid{ID: "answers", Title: "What the judge quotes and corrects",
		Heads: []string{"rubric", "quotes", "invented", "corrections", "expected", "gain"}, Align: "lrrlrr",
		After: []string{"invented = share of quotes that stand nowhere in the record; expected = share of the corrections of failed calls that are the expected call; gain = what a correction adds to the accuracy of the call, in -1 to 1"}}
	for _, c := range r.JudgeChecks {
		if c.Quotes.N == 0 && len(c.Corrections.Effects) == 0 && c.Corrections.Known == 0 {
			continue
		}
		g.group("judge " + shorten(c.Judge, 60))
		g.add(c.Rubric, fmt.Sprint(c.Quotes.N), percent(c.Quotes.Invented), effects(c.Corrections.Effects),
			ofN(percent(c.Corrections.MatchesExpected), c.Corrections.Known), ofN(signed(c.Corrections.Gain), c.Corrections.N))
	}
	for _, c := range r.JudgeChecks {
		if n := c.Shortened.N; n > 0 {
			g.After = append(g.After, fmt.Sprintf("%s: %s on a record that was too long to be shown whole, mean %s, pass rate %s", by(c.Rubric, c.Judge), counted(n, "answer rests", "answers rest"), number(c.Shortened.Mean), rate(c.Shortened.PassRate)))
		}
	}
	if len(g.Rows) == 0 && len(g.After) == 1 {
		return nil
	}
	return []grid{g}
}

func effects(counts []report.KindCount) string {
	var out []string
	for _, c := range counts {
		out = append(out, fmt.Sprintf("%d %s", c.Count, shorten(c.Kind, 20)))
	}
	return some(out, 3)
}

func ofN(text string, n int) string {
	if n == 0 {
		return "–"
	}
	return fmt.Sprintf("%s of %d", text, n)
}

// toolConversationGrids read the scores of whole conversations by tool.
func toolConversationGrids(r *report.Report) []grid {
	if len(r.ByToolConversations) == 0 {
		return nil
	}
	const most = 3 // columns of scores
	var shown []report.Instrument
	for rank := -1; len(shown) < most && rank <= 6; rank++ {
		for _, s := range r.Scores {
			if s.Level == report.ConversationLevel && s.Source != "judge" && s.Purpose != "qa" && s.Metric == "" && r.Rank(s.Instrument) == rank && len(shown) < most {
				shown = append(shown, s.Instrument)
			}
		}
	}
	if len(shown) == 0 {
		return nil
	}
	g := grid{ID: "toolconversations", Title: "Pass rates of the conversations that have to do with a tool",
		Heads: []string{"tool", "n"}, Align: "lr",
		After: []string{"n = conversations; one counts for every tool that it calls or should have called, so rows share conversations; (few) fewer than 30 conversations"}}
	for _, in := range shown {
		g.Heads = append(g.Heads, shorten(in.Title(), 24))
		g.Align += "r"
	}
	for _, t := range r.ByToolConversations {
		n := fmt.Sprint(t.Conversations)
		if t.Small {
			n += " (few)"
		}
		cells := []string{t.Tool, n}
		for _, in := range shown {
			cell := "–"
			for _, s := range t.Scores {
				if s.Instrument == in && s.PassRate.Defined() {
					cell = wholePercent(s.PassRate)
				}
			}
			cells = append(cells, cell)
		}
		g.add(cells...)
	}
	return []grid{g}
}

// comparisonGrids set the run against earlier ones.
func comparisonGrids(r *report.Report) []grid {
	var out []grid
	for i, c := range r.Comparisons {
		name := shorten(c.Name, 80)
		if name == "" {
			name = shorten(c.A.ID, 40)
		}
		g := grid{ID: fmt.Sprintf("comparison%d", i+1), Title: "This run (B) against " + name + " (A)",
			Heads: []string{"score", "n", "A", "B", "difference", "p", "", "lost", "won", "mde"}, Align: "lrrrerlrrr"}
		g.Before = append(g.Before, c.Summary...)
		for _, row := range c.Rows {
			ch := row.Primary()
			if row.Tool != "" || !row.Decides || ch.N == 0 {
				continue
			}
			g.group(shorten(changeGroup(row), 60))
			g.add(row.Label(), fmt.Sprint(ch.N), number(ch.A), number(ch.B), mean(row.Difference()), pText(ch.PHolm), ch.Words(), fmt.Sprint(row.Broken), fmt.Sprint(row.Fixed), number(ch.Detectable))
		}
		if len(g.Rows) > 0 {
			g.After = []string{"p corrected by Holm; lost, won = items that pass only in A, only in B; mde = the smallest true change that these items would have shown with 80 % power"}
		}
		if n := c.Verdicts.Total; n > 0 {
			g.After = append(g.After, fmt.Sprintf("%s changed; judge compare lists them, and what changed by tool and by parameter", counted(n, "verdict", "verdicts")))
		}
		out = append(out, g)
	}
	return out
}

package words

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/sorting"
)

const changeNote = "~ no clear change; * the primary endpoint, the p of the others is corrected by Holm, their intervals " +
	"are not; lost, won = items that pass only in A, only in B; can show = the smallest change that these items would " +
	"have shown with 80 % power, after correction, of a judge's score as the judge sees it"

// Comparison returns the document of two runs: sentences about what changed, by conversation and by
// groups of failures; with details also every score, tool and parameter, and more verdicts. run is
// the directory of run B as commands name it, "" for none.
func Comparison(c *report.Comparison, details bool, run string) *Document {
	const few, verdicts = 5, 20
	a := "Run A " + c.A.ID
	if c.Name != "" {
		a = "Run A " + Shorten(c.Name, 120) + " " + c.A.ID
	}
	lines := append([]string{comparisonHeadline(c)}, notes(c)...)
	if brief := sensitivityBrief(c); brief != "" {
		lines = append(lines, brief)
	}
	changed, next := changesSection(c), Section{}
	if len(changed.Parts) == 0 && !details {
		changed = flips(c, few) // of other scores
	}
	both := "RUN_A RUN_B"
	if c.Name != "" && run != "" {
		both = nameOf(c.Name) + " " + nameOf(run)
	}
	next.Note("Side by side: judge view " + both + ". Statistics of every score, tools and parameters: --details")
	d := &Document{
		Title: "Judge comparison", ID: c.A.ID + " and " + c.B.ID, About: a + " · run B " + c.B.ID,
		Sections: []Section{summary(lines), changed, groupsSection(c), categoryChanges(c, details)},
	}
	if !details {
		d.Sections = append(d.Sections, next)
		return d
	}
	all := changeTable(c, func(r *report.ChangeRow) bool { return r.Decides && r.Tool == "" })
	d.Sections = append(d.Sections, allSection(c, lines, all), trueChanges(c), besides(c), toolChanges(c),
		parameterChanges(c), flips(c, verdicts))
	return d
}

// allSection shows the statistics of every score, and the sentences about them that were not said yet.
func allSection(c *report.Comparison, said []string, all *Table) Section {
	s := Section{Name: "All", Title: "All items (A to B)", Do: "The score with * decides; the others say where to look."}
	for _, line := range c.Summary {
		if !slices.Contains(said, line) {
			s.Note(line)
		}
	}
	s.Table(all, changeNote)
	return s
}

// changesSection lists each conversation that changed, largest drop first: the old call, the new
// one, and why one of them fails.
func changesSection(c *report.Comparison) Section {
	const most = 20
	w := &c.Changes
	s := Section{Name: "Changes", Title: fmt.Sprintf("What changed (%d worse, %d better)", w.Worse, w.Better)}
	lines := make([]string, len(w.Items))
	for i := range w.Items {
		lines[i] = changeLine(&w.Items[i], w.By.Level)
	}
	s.List(List{Items: Items(lines), Most: most, More: "are in the JSON form"})
	return s
}

// changeLine returns "worse  scale-up: scale(replicas: 8) → scale(replicas: "8"), replicas is text, …".
func changeLine(x *report.ConversationChange, level string) string {
	word, at := "better", Shorten(x.ConversationID, 60)
	if x.Worse {
		word = "worse"
	}
	call := func(of *report.ChangedCall) string {
		if of == nil {
			return "no call"
		}
		return of.Text
	}
	text := fmt.Sprintf("%-6s %s", word, at)
	switch {
	case x.Old == nil && x.New == nil && level == report.ConversationLevel:
		text += map[bool]string{true: ": it passed and now fails", false: ": it failed and now passes"}[x.Worse]
	case x.Old == nil && x.New == nil:
		text += fmt.Sprintf(": %s of its %ss passed, now %s", share(&x.A), level, share(&x.B))
	case x.Old != nil && x.New != nil && x.Old.Text == x.New.Text:
		text += ": " + x.New.Text
	default:
		text += ": " + call(x.Old) + " → " + call(x.New)
	}
	if x.Why != "" {
		why := ", "
		if !x.Worse {
			why = ", was: "
		}
		text += why + x.Why
	}
	if len(x.Scores) > 0 {
		text += " (" + Some(x.Scores, 2) + ")"
	}
	return text
}

// groupsSection lists the groups of failing calls that are new, gone, larger or smaller.
func groupsSection(c *report.Comparison) Section {
	const most = 10
	level := cmp.Or(c.Changes.By.Level, report.CallLevel)
	s := Section{Name: "Groups", Title: "Why " + level + "s fail, now and before"}
	lines := make([]string, len(c.FailureGroups))
	for i, g := range c.FailureGroups {
		switch {
		case g.A == 0:
			lines[i] = fmt.Sprintf("new: %s (%s)", g.Name, Counted(g.B, level))
		case g.B == 0:
			lines[i] = fmt.Sprintf("gone: %s (%s)", g.Name, Counted(g.A, level))
		default:
			lines[i] = fmt.Sprintf("%d → %d %ss: %s", g.A, g.B, level, g.Name)
		}
	}
	s.List(List{Items: Items(lines), Most: most, More: "are in the JSON form"})
	return s
}

// besides shows the rows that do not decide.
func besides(c *report.Comparison) Section {
	t := changeTable(c, func(r *report.ChangeRow) bool {
		return !r.Decides && r.Tool == "" && (r.Reduced == "" || beyondNoise(r))
	})
	title := "By conversation: the mean of its calls, and every call; only clear changes (decides nothing)"
	if c.ByConversation() {
		title = "Only the calls that both runs made (decides nothing)"
	}
	s := section("Besides", title, t)
	s.Do = "Read it for context only."
	return s
}

func beyondNoise(r *report.ChangeRow) bool {
	word := r.Primary().Outcome()
	return word != "~" && word != None
}

// changeTable returns a table of the rows to keep, with those of one tool together.
func changeTable(c *report.Comparison, keep func(*report.ChangeRow) bool) *Table {
	t := NewTable("lrrrerlrrr", "score", "n", "A", "B", "difference", "p", "", "lost", "won", "can show")
	rows := slices.Clone(c.Rows)
	sorting.Stable(rows, func(x, y report.ChangeRow) int { return cmp.Compare(x.Tool, y.Tool) })
	for i := range rows {
		r := &rows[i]
		if !keep(r) {
			continue
		}
		group := r.Source
		switch {
		case r.JudgeB != "":
			group = "judge " + Shorten(r.Judge, 40) + " and " + Shorten(r.JudgeB, 40)
		case r.Judge != "":
			group = "judge " + Shorten(r.Judge, 60)
		}
		if r.Tool != "" {
			group = Shorten(r.Tool, 60) + ", " + group
		}
		ch, name := r.Primary(), ChangeLabel(r)
		if r.IsPrimary {
			name += " *"
		}
		t.Group(group)
		t.Add(name, ch.N, mean(ch.A), mean(ch.B), mean(r.Difference()),
			P(ch.PHolm.Value), changeCell(ch), r.Broken, r.Fixed, mean(ch.Detectable))
	}
	return t
}

// trueChanges shows the judges' differences divided by their J.
func trueChanges(c *report.Comparison) Section {
	t := NewTable("leee", "score", "as the judge sees it", "its J", "divided by J")
	for i := range c.Rows {
		r := &c.Rows[i]
		if r.Youden == nil || !r.Decides {
			continue
		}
		t.Group("judge " + Shorten(r.Judge, 60) + " against " + Shorten(r.Reference, 60))
		divided := mean(*r.ByYouden)
		if !r.ByYouden.Defined() {
			divided = Cell{Text: Why(*r.ByYouden)}
		}
		t.Add(ChangeLabel(r), mean(r.Difference()), mean(*r.Youden), divided)
	}
	return section("True", "Judges' differences, and the true ones", t,
		"J = found + kept - 1 in both runs; a judge that finds half of what is wrong sees half of a change. The division "+
			"holds if it makes the same errors in both runs")
}

// changeCell says, in colour, how a score changed.
func changeCell(ch report.Change) Cell {
	word := ch.Outcome()
	return Cell{Text: word, Class: map[string]string{"worse": "fail", "better": "pass"}[word]}
}

// toolChanges shows the rows by tool that changed by more than noise, and counts the others.
func toolChanges(c *report.Comparison) Section {
	quiet := 0
	t := changeTable(c, func(r *report.ChangeRow) bool {
		ofTool := r.Decides && r.Tool != ""
		if ofTool && !beyondNoise(r) {
			quiet++
		}
		return ofTool && beyondNoise(r)
	})
	title := "By tool, only clear changes"
	if c.ByConversation() {
		title = "By tool (mean of its calls in a conversation), only clear changes"
	}
	s := section("Tools", title, t)
	s.Do = "Read the calls of these tools first."
	if quiet > 0 {
		s.Note(Count(quiet, "further row shows", "further rows show") + " no clear change")
	}
	return s
}

// parameterChanges shows the parameters that changed, largest drop first.
func parameterChanges(c *report.Comparison) Section {
	t := NewTable("llrrrrr", "tool", "parameter", "n A", "n B", "right A", "right B", "change")
	t.Most = 28
	for _, p := range c.Parameters {
		if *p.Delta.Value == 0 {
			continue
		}
		t.Add(p.Tool, p.Parameter, p.NA, p.NB, rate(p.A), rate(p.B), fmt.Sprintf("%+.1f", 100**p.Delta.Value))
	}
	s := section("Parameters", "Parameters against the expected calls, the largest drop first", t,
		"right = has the expected value; change in points, without a test: calls of one conversation are alike")
	s.Do = "If a parameter dropped, look at it in the tool's definition and the agent's prompt."
	return s
}

// flips shows the verdicts that changed.
func flips(c *report.Comparison, most int) Section {
	var lines []string
	for _, f := range c.Verdicts.Items {
		word := "fixed "
		if f.Broken {
			word = "broken"
		}
		name := f.Title()
		if f.Reduced != "" {
			name += ", the lowest call"
		}
		if f.Judge != "" {
			name += " by " + f.Judge
		}
		lines = append(lines, fmt.Sprintf("%s %s: %s %s to %s", word, whereabouts(f.CaseRef), Shorten(name, 80),
			Short(f.A), Short(f.B)))
	}
	title := fmt.Sprintf("Changed verdicts, broken ones first (%d)", c.Verdicts.Total)
	s := Section{Name: "Verdicts", Title: title, Do: "Read the first broken ones in both runs with judge show."}
	s.List(List{Items: Items(lines), Most: most, More: "are in the JSON form"})
	return s
}

// againstSection compares the run with the n-th of its earlier runs.
func againstSection(n int, c *report.Comparison) Section {
	name := cmp.Or(Shorten(c.Name, 80), Shorten(c.A.ID, 40))
	s := Section{Name: fmt.Sprintf("Change %d", n), Title: "This run (B) against " + name + " (A)",
		Do: "A score that clearly got worse is a reason to look: judge compare names the verdicts that broke."}
	for _, line := range c.Summary {
		s.Note(line)
	}
	t := changeTable(c, func(r *report.ChangeRow) bool { return r.Tool == "" && r.Decides && r.Primary().N > 0 })
	s.Table(t, changeNote)
	if n := c.Verdicts.Total; n > 0 {
		s.Note(Counted(n, "verdict") +
			" changed; judge compare lists them, and what changed by tool and by parameter")
	}
	return s
}

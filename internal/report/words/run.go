package words

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/report"
)

// Run returns the document of a run for text and Markdown: the short answers and, if all is set,
// every table. dir is the run directory as commands name it, "" for none.
func Run(r *report.Report, all bool, dir string) *Document {
	d := &Document{
		Title: "Judge report", ID: r.Run.ID, About: about(r),
		Foot: fmt.Sprintf("Intervals: %s, clustered by conversation. "+
			"Low-confidence verdicts are included.", level(r)),
		Sections: []Section{{Parts: []Part{Card(r, dir)}}},
	}
	if !all {
		return d
	}
	d.Sections = append(d.Sections, gatesSection(r), disagreementSection(r))
	d.Sections = append(d.Sections, detailSections(r)...)
	return d
}

func about(r *report.Report) string {
	parts := []string{"Run " + r.Run.ID}
	if r.Run.Version != "" {
		parts = append(parts, "judge "+r.Run.Version)
	}
	for _, j := range r.Run.Judges {
		if j.RetestOf != "" {
			continue
		}
		name := "judge " + j.Name
		if j.Baseline {
			name += " (built-in rules, not a language model)"
		}
		parts = append(parts, name)
	}
	return strings.Join(parts, " · ")
}

// LogNames names the first logs of a run.
func LogNames(logs []report.Input) string {
	names := make([]string, len(logs))
	for i, l := range logs {
		if names[i] = Shorten(path.Base(l.Path), 60); l.Path == "-" {
			names[i] = "standard input"
		}
	}
	return Some(names, 2)
}

func summary(sentences []string) Section {
	s := Section{Name: "In words"}
	s.List(List{Items: Items(sentences), Lead: true})
	return s
}

func gatesSection(r *report.Report) Section {
	const most = 15
	s := Section{Name: "Gates", Title: "Gates"}
	var failed, passed []string
	for _, g := range r.Gates {
		if g.Passed {
			passed = append(passed, g.Line)
		} else {
			failed = append(failed, g.Line)
		}
	}
	s.List(List{Items: Items(append(failed, passed...)), Most: most, More: "are in report.json"})
	return s
}

// section returns a table with the sentences that explain it; it is empty if the table has no rows.
func section(name, title string, t *Table, notes ...string) Section {
	s := Section{Name: name, Title: title}
	s.Table(t, notes...)
	return s
}

// firstJudges returns the judges that have their own tables and drawings.
func firstJudges(r *report.Report) []string {
	const most = 12
	judges := r.Judges()
	return judges[:min(most, len(judges))]
}

// details lists the sections after what a report says first, each with a sentence about what to do.
// A section without one needs no action and is not folded.
var details = []struct {
	of func(*report.Report) Section
	do string
}{
	{groupSection, "Begin with the largest group: read its example, then change the tool's description, its schema or the " +
		"agent's instructions. A group keeps its id from run to run."},
	{probeSection, "Do not trust verdicts on faults that the judge is blind to: check these by a scorer, or take another " +
		"judge. Read what it missed."},
	{toolsSection, "Begin with the tool whose calls fail most: read a few of them, then change its description, " +
		"its parameters or the agent's instructions."},
	{parameterSection, "A parameter that is often wrong needs a clearer description, an enum or an example in the " +
		"tool's definition."},
	{funnelSection, "Calls that are lost at the schema are for the tool's definition; at the match for the agent's " +
		"choices; at execution for its order and state."},
	{scoresSection, "Compare a score only with itself: the same rubric, judge and prompt in another run " +
		"(judge compare)."},
	{categorySection, "Read some answers of each category before you count on it: a rare one is easily a misreading."},
	{agreementSection, "If a judge finds few of the fails, read what it missed and sharpen the rubric; if it " +
		"raises false alarms, read those first."},
	{gradedSection, "Use the numbers of a judge as numbers only if the concordance is high; else use its verdicts."},
	{confidenceSection, "A verbal confidence is seldom a probability: do not set a threshold on it without labels."},
	{appliedSection, "Use the corrected rate in place of the judge's own; label more if its range is too wide."},
	{noiseSection, "Ignore differences between two runs that are smaller than the floor; if many verdicts change, ask " +
		"more than once or take a panel."},
	{peerSection, "Judges that agree may still be wrong together: look at what they differ on, and label " +
		"it."},
	{policySection, "If the lowest and the highest rate are far apart, the result rests on doubtful answers: " +
		"escalate or label them."},
	{sizeSection, "If the change that you look for is smaller than this, run more conversations or compare the same " +
		"ones (judge compare)."},
	{checksSection, "Read some answers with a severe flag: a judge that contradicts itself or invents quotes needs " +
		"another prompt or model."},
	{answerSection, "If quotes are invented, do not trust the explanations; if corrections match the expected " +
		"call, they can be used to fix it."},
	{metricsSection, "These are the figures that the configuration asked for: hold them against their targets."},
	{costSection, "Look here for what is missing and for oddities of the logs before you compare counts."},
	{instrumentSection, "Keep these fixed between runs that you compare."},
}

// agentSections lists the details about how good the agent is. The report of a probe does not have
// them, because planted calls are not the agent's.
var agentSections = []string{groupsName, "Tools", "Parameters", "Funnel", "Scores", "Agreement", "Graded", "Calibration",
	"Size", "Metrics"}

// Page returns the sections of the page below its headline and its table of calls.
func Page(r *report.Report) *Document {
	d := &Document{Title: "Judge report", ID: LogNames(r.Run.Inputs), About: about(r),
		Sections: []Section{gatesSection(r)}}
	d.Sections = append(d.Sections, slices.DeleteFunc(detailSections(r), func(s Section) bool {
		return s.Name == groupsName // the page shows them above its table of calls
	})...)
	end := summary(r.Summary)
	end.Do = "All findings as sentences, with what the numbers do not show."
	d.Sections = append(d.Sections, end)
	return d
}

// doubtsSection says what is missing and what makes numbers doubtful.
func doubtsSection(r *report.Report) Section {
	s := Section{Name: "Doubts", Title: "What is missing, and what makes numbers doubtful",
		Do: "Read these before the numbers."}
	lines := Missing(r)
	for _, w := range r.Warnings {
		lines = append(lines, w.Text+".")
	}
	s.List(List{Items: Items(lines), Lead: true})
	return s
}

// detailSections returns the doubts, the comparisons with earlier runs, and the details.
func detailSections(r *report.Report) []Section {
	out := []Section{doubtsSection(r)}
	for i, c := range r.Comparisons {
		out = append(out, againstSection(i+1, c))
	}
	for _, p := range details {
		s := p.of(r)
		s.Do = p.do
		if r.Probe == nil || !slices.Contains(agentSections, s.Name) {
			out = append(out, s)
		}
	}
	return out
}

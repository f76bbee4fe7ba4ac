package render

import (
	"io"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/page"
	"github.com/judgekit/judge/internal/report/words"
)

// Page writes a report as a page. data is that of its run, nil where the run's scores are not
// at hand: the page then has no table of calls.
func Page(w io.Writer, r *report.Report, data *page.Data) error {
	return page.Write(w, PageContent(r, data))
}

// PageContent is what Page writes.
func PageContent(r *report.Report, data *page.Data) page.Content {
	return page.Content{Document: pageDocument(r), Report: r, Data: data}
}

// details are the sections behind what a report says first, each with a sentence that says
// what to do about it. What needs no action has none and is not folded.
var details = []struct {
	of func(*report.Report) words.Section
	do string
}{
	{toolsSection, "Begin with the tool whose calls fail most: read a few of them, then change its description, " +
		"its parameters or the agent's instructions."},
	{parameterSection, "A parameter that is often wrong needs a clearer description, an enum or an example in the " +
		"tool's definition."},
	{funnelSection, "Calls that are lost at the schema are for the tool's definition; at the match for the agent's " +
		"choices; at execution for its order and state."},
	{scoresSection, "Compare a score only with itself: the same rubric, judge and prompt in another run " +
		"(judge compare)."},
	{agreementSection, "Where a judge finds few of the fails, read what it missed and sharpen the rubric; where it " +
		"raises false alarms, read those first."},
	{gradedSection, "Use the numbers of a judge as numbers only where the concordance is high; else use its verdicts."},
	{confidenceSection, "Where confidence separates right from wrong, send the unsure calls to a person or to a " +
		"larger model (cascades: in judge.yaml); where it does not, do not use it."},
	{appliedSection, "Use the corrected rate in place of the judge's own; label more where its interval is too wide."},
	{noiseSection, "Take no difference between two runs seriously that is smaller than the floor; where many verdicts " +
		"change, ask more than once or take a panel."},
	{peerSection, "Judges that agree may still be wrong together: look at the calls on which they differ, and label " +
		"those."},
	{policySection, "Where the lowest and the highest rate are far apart, the result rests on doubtful answers: " +
		"escalate or label them."},
	{sizeSection, "If the change that you look for is smaller than this, run more conversations or compare the same " +
		"ones (judge compare)."},
	{checksSection, "Read some calls with a severe flag: a judge that contradicts itself or invents quotes needs " +
		"another prompt or model."},
	{answerSection, "Where quotes are invented, do not trust the explanations; where corrections match the expected " +
		"call, they can be used to fix it."},
	{metricsSection, "These are the figures that the configuration asked for: hold them against their targets."},
	{costSection, "Look here for what is missing and for oddities of the logs before you compare counts."},
	{instrumentSection, "Keep these fixed between runs that you compare."},
}

// pageDocument is what the page says of a run beside its headline and its table of calls.
func pageDocument(r *report.Report) *words.Document {
	d := &words.Document{Title: "Judge report", ID: r.Run.ID, About: about(r),
		Sections: []words.Section{gatesSection(r)}}
	d.Sections = append(d.Sections, detailSections(r)...)
	words := summary(r.Summary)
	words.Do = "All findings as sentences, with what the numbers do not show."
	d.Sections = append(d.Sections, words)
	return d
}

// doubtsSection says all that is missing and all that makes numbers doubtful.
func doubtsSection(r *report.Report) words.Section {
	s := words.Section{Name: "Doubts", Title: "What is missing, and what makes numbers doubtful",
		Do: "Read these before the numbers."}
	lines := r.MissingWords()
	for _, w := range r.Warnings {
		lines = append(lines, w.Text+".")
	}
	s.List(words.List{Items: words.Items(lines), Lead: true})
	return s
}

// detailSections are the doubts, the comparisons with earlier runs and the details.
func detailSections(r *report.Report) []words.Section {
	out := []words.Section{doubtsSection(r)}
	for i, c := range r.Comparisons {
		out = append(out, againstSection(i+1, c))
	}
	for _, p := range details {
		s := p.of(r)
		s.Do = p.do
		out = append(out, s)
	}
	return out
}

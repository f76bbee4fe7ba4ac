package words

import (
	"fmt"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/planted"
	"github.com/judgekit/judge/internal/report"
)

// probeCard returns the short answers about a planted log, at most 20 lines of text.
func probeCard(r *report.Report, run string) Facts {
	p := r.Probe
	all := Facts{
		{Lines: []string{probedWords(p)}, Most: 3},
		{Name: "Attention", Lines: few(Missing(r), 1), Bad: true},
		gateFact(r),
	}
	if len(p.Judges) == 1 {
		all = append(all, probeFacts(r, &p.Judges[0])...)
	} else {
		all = append(all, rankingFact(r))
	}
	for _, s := range p.Since {
		all = append(all, Fact{Name: "Since then", Lines: []string{sinceWords(&s)}})
	}
	if run != "" {
		all = append(all, Fact{Name: "Next", Whole: true, Lines: []string{
			"judge view " + nameOf(run) + "   # read what was missed",
			"judge report " + nameOf(run) + " --details   # doses, reasons, places, payloads"}})
	}
	return slices.DeleteFunc(all, func(f Fact) bool { return len(f.Lines)+len(f.Items) == 0 })
}

// probedWords says how we know that the bases are right.
func probedWords(p *report.Probe) string {
	var tiers []string
	for _, t := range []struct {
		n  int
		of string
	}{{p.Bases.Matched, "match what is expected"}, {p.Bases.Rewarded, "from conversations that pass"},
		{p.Bases.Assumed, "assumed right: schema and result are fine"}} {
		if t.n > 0 {
			tiers = append(tiers, fmt.Sprintf("%d %s", t.n, t.of))
		}
	}
	return fmt.Sprintf("Faults planted in %s of %s (%s)", Counted(p.Bases.Calls, "right call"),
		Counted(p.Bases.Conversations, "conversation"), strings.Join(tiers, ", "))
}

// weightedWords says where the weights of the kinds of faults come from.
func weightedWords(p *report.Probe) string {
	if p.Weights.Failures > 0 {
		return "each kind weighted as in your " + Counted(p.Weights.Failures, "failing call")
	}
	return "each kind weighted as agents make it"
}

// sharesWords lists the weights: "30 % wrong values, 27 % wrong tools".
func sharesWords(p *report.Probe) string {
	var out []string
	for _, o := range planted.Operators() {
		if share, ok := p.Weights.Share[o.Name]; ok {
			out = append(out, Share(share, 0)+" "+o.Words)
		}
	}
	return strings.Join(out, ", ")
}

// sampled returns "83 % (74–90)"; "–" without a value.
func sampled(e report.Sampled) string {
	if e.Value == nil {
		return None
	}
	text := Share(*e.Value, 0)
	if e.HasInterval() {
		text += fmt.Sprintf(" (%s–%s)", Fixed(100**e.Low, 0), Fixed(100**e.High, 0))
	}
	return text
}

// inPoints returns "+12 points (-3 to 27)".
func inPoints(e report.Sampled) string {
	if e.Value == nil {
		return None
	}
	text := fmt.Sprintf("%+.0f point", 100**e.Value+0)
	if text != "+1 point" && text != "-1 point" {
		text += "s"
	}
	if e.HasInterval() {
		text += fmt.Sprintf(" (%s to %s)", Fixed(100**e.Low, 0), Fixed(100**e.High, 0))
	}
	return text
}

// rowsOf returns the rows of a judge and rubric that have mutants.
func rowsOf(p *report.Probe, j *report.ProbeJudge) (out []report.ProbeOperator) {
	for _, row := range p.Operators {
		if row.Judge == j.Judge && row.Rubric == j.Rubric && row.Mutants > 0 {
			out = append(out, row)
		}
	}
	return out
}

// blindWords names the faults that a judge does not see.
func blindWords(rows []report.ProbeOperator) (out []string) {
	for _, row := range rows {
		if row.Blind {
			out = append(out, planted.OperatorNamed(row.Operator).Words)
		}
	}
	return out
}

// probeFacts says what was found about one judge.
func probeFacts(r *report.Report, j *report.ProbeJudge) Facts {
	rows := rowsOf(r.Probe, j)
	var found []string
	for _, row := range rows {
		found = append(found, sampled(row.Found)+" of "+planted.OperatorNamed(row.Operator).Words)
	}
	bound := ""
	if j.UpperBound {
		bound = "; an upper bound, some calls are only assumed right"
	}
	blind := blindWords(rows)
	if len(blind) == 0 {
		blind = []string{"nothing that was planted often enough to tell"}
	}
	title := Shorten(j.Judge, 60)
	if r.Run.Judge(j.Judge).Baseline {
		title += " (built-in rules, not a language model)"
	}
	return Facts{
		{Name: "Judge", Lines: []string{title + " by " + j.Rubric}},
		{Name: "Finds", Lines: []string{sampled(j.Found) + " of planted faults, " + weightedWords(r.Probe) + ": " +
			strings.Join(found, ", ")}, Most: 5, Least: 4},
		{Name: "Fails", Lines: []string{sampled(j.FalseAlarms) + " of right calls" + bound}},
		{Name: "Blind to", Lines: []string{strings.Join(blind, ", ")}},
		{Name: "Unmoved", Lines: []string{invarianceWords(j)}},
		{Name: "Talked round", Lines: []string{attackWords(j)}},
		{Name: "Asked twice", Lines: []string{twiceWords(j)}},
		{Name: "Missed", Lines: missWords(j)},
	}
}

// invarianceWords says which harmless changes alter verdicts.
func invarianceWords(j *report.ProbeJudge) string {
	var moved []string
	for _, c := range j.Invariance {
		if c.Net.HasInterval() && *c.Net.Low > 0 {
			change := strings.ReplaceAll(c.Change, "_", " ")
			moved = append(moved, fmt.Sprintf("%s (%s of verdicts)", change, sampled(c.Changed)))
		}
	}
	if len(moved) > 0 {
		return "no: verdicts change with " + strings.Join(moved, ", ")
	}
	return "no change that means nothing moves verdicts more than asking twice does"
}

// attackWords says how often text in the log gets the verdict that it asks for.
func attackWords(j *report.ProbeJudge) string {
	var out []string
	for _, a := range j.Attacks {
		if a.Place+a.Payload == "" && a.Net.Value != nil {
			out = append(out, fmt.Sprintf("%s %s more than neutral text", map[string]string{
				planted.Attack: "to pass faults", planted.Mirror: "to fail right calls"}[a.Kind], inPoints(a.Net)))
		}
	}
	out = append(out, sampled(j.ContentFree)+" of calls without content pass")
	return strings.Join(out, "; ")
}

// twiceWords says how many verdicts change when the judge is asked again.
func twiceWords(j *report.ProbeJudge) string {
	text := fmt.Sprintf("%s of verdicts change; with the examples in reverse order %s", sampled(j.Retest),
		sampled(j.Reversed))
	if j.Alone.N > 0 {
		text += fmt.Sprintf("; with one request at a time %s", sampled(j.Alone))
	}
	return text
}

// missWords counts the missed mutants and names the first ones.
func missWords(j *report.ProbeJudge) []string {
	if len(j.Missed) == 0 {
		return nil
	}
	m := &j.Missed[0]
	text := fmt.Sprintf("%s; first %s", Counted(j.MissedTotal, "fault"), where(m.CaseRef))
	return []string{text + changeOf(m)}
}

func changeOf(m *report.ProbeMiss) string {
	if m.Parameter == "" {
		return ""
	}
	text := ": " + Shorten(m.Parameter, 40)
	if m.Was != "" {
		text += " was " + Shorten(m.Was, 40)
	}
	if m.Is != "" {
		text += ", is " + Shorten(m.Is, 40)
	}
	return text
}

// rankingFact has a line for each judge, best first.
func rankingFact(r *report.Report) Fact {
	const most = 8
	out := Fact{Block: true, Name: "Judges, best first (found minus false alarms)", Most: 2}
	for i := range r.Probe.Judges {
		j := &r.Probe.Judges[i]
		text := fmt.Sprintf("%s: finds %s, fails %s of right calls", Shorten(j.Judge, 40), sampled(j.Found),
			sampled(j.FalseAlarms))
		if blind := blindWords(rowsOf(r.Probe, j)); len(blind) > 0 {
			text += "; blind to " + Some(blind, listed)
		}
		if alike := notApart(r.Probe, j); len(alike) > 0 {
			text += "; not told apart from " + Some(alike, listed)
		}
		out.Lines = append(out.Lines, text)
	}
	out.Lines = few(out.Lines, most)
	return out
}

// notApart names the judges that cannot be distinguished from a judge.
func notApart(p *report.Probe, j *report.ProbeJudge) (out []string) {
	for _, pair := range p.Pairs {
		if pair.Rubric != j.Rubric || pair.Holm != nil && *pair.Holm <= 0.05 {
			continue
		}
		if pair.First == j.Judge {
			out = append(out, Shorten(pair.Second, 40))
		}
		if pair.Second == j.Judge {
			out = append(out, Shorten(pair.First, 40))
		}
	}
	return out
}

// sinceWords says whether a judge changed.
func sinceWords(s *report.ProbeSince) string {
	text := "not shown that " + Shorten(s.Judge, 60) + " changed"
	if s.Net.HasInterval() && *s.Net.Low > 0 {
		text = Shorten(s.Judge, 60) + " changed"
	}
	return fmt.Sprintf("%s: %s of verdicts differ, %s more than asking twice; found minus false alarms %s (p %s)",
		text, sampled(s.Changed), inPoints(s.Net), inPoints(s.Difference), P(s.P))
}

// ProbeName is the name of the section with all tables of a probe.
const ProbeName = "Probe"

func probeSection(r *report.Report) Section {
	s := Section{Name: ProbeName, Title: "Planted faults"}
	if r.Probe == nil {
		return s
	}
	p := r.Probe
	s.Note(probedWords(p))
	judges := NewTable("leeeel", "judge", "found", "false alarms", "J", "asked twice", "blind to")
	for i := range p.Judges {
		j := &p.Judges[i]
		judges.Add(Shorten(j.Judge, 60)+" by "+j.Rubric, whole(j.Found.Estimate), whole(j.FalseAlarms.Estimate),
			Number(j.J.Estimate, 2), whole(j.Retest.Estimate), strings.Join(blindWords(rowsOf(p, j)), ", "))
	}
	s.Table(judges, "found: "+weightedWords(p)+" ("+sharesWords(p)+")")
	table := NewTable("lreeeeerl", "fault", "bases", "found", "false alarms", "J", "below original",
		"right reason", "left out", "Holm p")
	for i := range p.Judges {
		j := &p.Judges[i]
		table.Group("judge " + Shorten(j.Judge, 60) + " by " + j.Rubric)
		for _, row := range rowsOf(p, j) {
			addOperator(table, row, row.Operator)
			for _, d := range row.Doses {
				addOperator(table, d, "· "+d.Dose)
			}
		}
	}
	s.Table(table, "found = share of planted faults that fail; false alarms = share of the same calls without the "+
		"fault that do; J = the first minus the second; below original = probability that the fault lowers the score, ties count half; "+
		"right reason = share of found faults whose parameter the answer names or whose original it restores; "+
		"left out = calls whose fault might have been right")
	other := NewTable("lree", "", "n", "verdicts changed", "net")
	for i := range p.Judges {
		addChanges(other, &p.Judges[i])
	}
	s.Table(other, "net = minus what asking again changes, for attacks minus what neutral text in the same place does")
	pairs := NewTable("llel", "judge", "other", "difference of J", "Holm p")
	for _, d := range p.Pairs {
		pairs.Add(Shorten(d.First, 60), Shorten(d.Second, 60), Number(d.Difference.Estimate, 2), P(d.Holm))
	}
	s.Table(pairs)
	for i := range p.Judges {
		var missed []string
		for k := range p.Judges[i].Missed {
			m := &p.Judges[i].Missed[k]
			missed = append(missed, where(m.CaseRef)+changeOf(m))
		}
		if len(missed) > 0 {
			s.Add(Heading{Text: "Missed by " + Shorten(p.Judges[i].Judge, 60)})
			s.List(List{Items: Items(missed), Most: 20, More: "are in report.json"})
		}
	}
	return s
}

func addOperator(t *Table, row report.ProbeOperator, name string) {
	if row.Blind {
		name += " (blind)"
	}
	if row.Unscored > 0 {
		name += fmt.Sprintf(" (%d unscored)", row.Unscored)
	}
	t.Add(name, row.Bases, whole(row.Found.Estimate), whole(row.FalseAlarms.Estimate), Number(row.J.Estimate, 2),
		Number(row.Below.Estimate, 2), whole(row.RightReason.Estimate), row.Discarded, P(row.Holm))
}

// addChanges adds what changes a judge's verdicts: asking again, harmless changes, attacks.
func addChanges(t *Table, j *report.ProbeJudge) {
	add := func(name string, changed report.Sampled, net Cell) {
		t.Add(strings.ReplaceAll(name, "_", " "), changed.N, whole(changed.Estimate), net)
	}
	none := Cell{Text: None}
	t.Group("judge " + Shorten(j.Judge, 60) + " by " + j.Rubric)
	add("asked again (ICC "+mean(j.ICC).Text+")", j.Retest, none)
	if j.Alone.N > 0 {
		add("asked again, one request at a time (ICC "+mean(j.AloneICC).Text+")", j.Alone, none)
		add("one request at a time against several", j.Load, none)
	}
	add("examples in reverse order", j.Reversed, whole(j.Order.Estimate))
	for _, c := range j.Invariance {
		add(c.Change, c.Changed, whole(c.Net.Estimate))
	}
	for _, a := range j.Attacks {
		name := map[string]string{planted.Attack: "attack: to pass a fault", planted.Mirror: "mirror: to fail a right call"}[a.Kind]
		if of := a.Place + a.Payload; of != "" {
			name = "· " + of
		}
		add(name, a.Success, whole(a.Net.Estimate))
	}
	add("content-free calls that pass", j.ContentFree, none)
}

package words

import (
	"fmt"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/report"
)

// policySection shows the pass rates if doubtful answers are treated differently.
func policySection(r *report.Report) Section {
	t := NewTable("lrrrrrrl", "rubric", "n", "looks", "as it is", "abstain", "lowest", "highest", "why")
	for _, c := range r.JudgeChecks {
		if p := c.Policies; p.Escalated > 0 && p.Lowest.Value != nil {
			t.Group("judge " + Shorten(c.Judge, 60))
			t.Add(c.Rubric, p.Answers, p.Escalated, whole(p.AsIs), whole(p.Abstain),
				whole(p.Lowest), whole(p.Highest), secondLooks(p))
		}
	}
	s := section("Second looks", "Answers that need a second look", t,
		"an answer needs a second look if its score is near its pass mark, its confidence is low, it has a severe "+
			"flag, or the score is missing; as it is = the pass rate of all verdicts; abstain = of the other answers "+
			"only, which are no random sample; lowest, highest = if every second look ended in a fail, or in a pass")
	if abstain := abstainTable(r); len(s.Parts)*len(abstain.Rows) > 0 {
		s.Note("The judge against gold, by all answers and by those that need no second look " +
			"(accuracy, and the share of wrong ones that it finds):")
		s.Table(abstain)
	}
	return s
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

// abstainTable shows the agreement of the headlines without the answers that need a review.
func abstainTable(r *report.Report) *Table {
	t := NewTable("lrrrere",
		"reference", "n left", "share", "accuracy", "of those left", "found", "of those left")
	gold := r.Gold()
	for _, c := range goldRows(r) {
		row, ok := r.Best(c.Judge, "")
		leading := ok && row.Rubric == c.Rubric && slices.Contains(gold, c.Reference)
		if a := c.Abstain; a != nil && leading && c.Refused == "" {
			t.Group(by(c.Rubric, c.Judge))
			t.Add(referenceName(c), a.N, whole(a.Coverage), whole(c.Accuracy), whole(a.Accuracy),
				whole(c.RecallWrong), whole(a.RecallWrong))
		}
	}
	return t
}

// checksSection shows what the judge's answers say about the judge itself.
func checksSection(r *report.Report) Section {
	t := NewTable("lrrrrrl",
		"rubric", "n", "severe flags", "repaired", "mean repaired", "mean clean", "most frequent flags")
	for _, c := range r.JudgeChecks {
		if c.N == 0 {
			continue
		}
		flags := []string{"none"}
		if len(c.Flags) > 0 {
			flags = nil
		}
		for _, f := range c.Flags {
			flags = append(flags, fmt.Sprintf("%s %d", Shorten(f.Code, 60), f.Count))
		}
		t.Group("judge " + Shorten(c.Judge, 60))
		t.Add(c.Rubric, c.N, rate(c.Severe), c.Repaired.N, mean(c.Repaired.Mean), mean(c.Clean.Mean), Some(flags, 8))
	}
	return section("Flags", "The judge itself: flags found without a model", t)
}

// answerSection says how good judges' quotes and corrections are.
func answerSection(r *report.Report) Section {
	t := NewTable("lrrlrr", "rubric", "quotes", "invented", "corrections", "expected", "gain")
	var cut []string
	for _, c := range r.JudgeChecks {
		if n := c.Shortened.N; n > 0 {
			cut = append(cut, fmt.Sprintf(
				"%s: %s on a record that was too long to be shown whole, mean %s, pass rate %s", by(c.Rubric, c.Judge),
				Count(n, "answer rests", "answers rest"), mean(c.Shortened.Mean).Text,
				rate(c.Shortened.PassRate)))
		}
		fixes := c.Corrections
		if c.Quotes.N == 0 && len(fixes.Effects) == 0 && fixes.Known == 0 {
			continue
		}
		var effects []string
		for _, e := range fixes.Effects {
			effects = append(effects, fmt.Sprintf("%d %s", e.Count, Shorten(e.Kind, 20)))
		}
		t.Group("judge " + Shorten(c.Judge, 60))
		t.Add(c.Rubric, c.Quotes.N, rate(c.Quotes.Invented), Some(effects, 5),
			ofN(rate(fixes.MatchesExpected).Text, fixes.Known), ofN(signed(fixes.Gain).String(), fixes.N))
	}
	s := section("Quotes", "What the judge quotes and corrects", t,
		"invented = share of quotes that are not in the record; expected = share of the corrections of failed "+
			"calls that are the expected call; gain = what a correction adds to the accuracy of the call, in -1 to 1")
	for _, line := range cut {
		s.Note(line)
	}
	return s
}

// costSection counts what was judged, sent and missing, and what was odd in the logs.
func costSection(r *report.Report) Section {
	c := &r.Counts
	t := NewTable("lrl", "", "count", "")
	add := func(name string, n int64, remark string) { t.Add(name, fmt.Sprint(n), remark) }
	add("conversations", int64(c.Conversations), "")
	add("calls", int64(c.Calls), "")
	add("scores", int64(c.Scores), "")
	add("requests", int64(c.Requests), fmt.Sprintf("%d answered from what was there already", c.Cached))
	add("repaired answers", int64(c.Repaired), "asked again because the first answer could not be read")
	add("prompt tokens", c.PromptTokens, "")
	add("completion tokens", c.CompletionTokens, fmt.Sprintf("%d of them reasoning", c.ReasoningTokens))
	for i := range c.Costs {
		cost := None
		if v := c.Costs[i].Cost; v != nil {
			cost = Fixed(*v, 2)
		}
		t.Add("cost of "+Shorten(c.Costs[i].Judge, 60), cost, Cost(&c.Costs[i]))
	}
	if c.Calls > 0 {
		each := float64(c.PromptTokens+c.CompletionTokens) / float64(c.Calls)
		t.Add("tokens for each call", Fixed(each, 1))
	}
	for _, k := range c.Unscored {
		add("missing: "+k.Kind, int64(k.Count), "scores by "+k.Source)
	}
	for _, k := range c.Notes {
		add("in the logs: "+k.Kind, int64(k.Count), "")
	}
	s := Section{Name: "Counts", Title: "Counts and cost", PageOnly: true}
	s.Table(t, "Missing scores count neither as pass nor as fail.")
	var inputs []string
	for _, in := range r.Run.Inputs {
		name := strings.TrimSpace(in.Path + " " + in.Format)
		inputs = append(inputs, name+": "+Counted(in.Conversations, "conversation")+", "+Counted(in.Calls, "call"))
	}
	s.List(List{Items: Items(inputs)})
	return s
}

// instrumentSection says what made the scores.
func instrumentSection(r *report.Report) Section {
	t := NewTable("lll", "name", "kind", "what it is")
	for _, j := range r.Run.Judges {
		what := "model " + j.Model
		if j.Baseline {
			what = "built-in rules, not a language model"
		}
		if j.Prompt != "" {
			what += ", prompt " + j.Prompt
		}
		t.Add(j.Name, "judge", what)
	}
	for _, b := range r.Run.Rubrics {
		what := fmt.Sprintf("scale %v to %v", b.Min, b.Max)
		if b.Low != nil {
			what += fmt.Sprintf(", passes from %v", *b.Low)
		}
		if b.High != nil {
			what += fmt.Sprintf(" to %v", *b.High)
		}
		if b.SeesExpected {
			what += ", judges see the expected calls or answer"
		}
		if b.SHA != "" {
			what += ", sha " + Shorten(b.SHA, 16)
		}
		t.Add(b.Name, "rubric", what)
	}
	for _, sc := range r.Run.Scorers {
		what := sc.Type
		if sc.UsesReference() {
			what += ", compares with the expected calls"
		}
		t.Add(sc.Name, "scorer", what)
	}
	again := ""
	if len(r.Run.Thresholds) > 0 {
		again = "Verdicts were decided again by: " + strings.Join(r.Run.Thresholds, ", ")
	}
	s := section("Instruments", "Instruments", t,
		"What made the scores. Compare numbers of two reports only if these are the same.", again)
	s.PageOnly = true
	return s
}

// Cost returns what a judge's requests cost in words.
func Cost(c *report.Cost) string {
	if c.Cost == nil {
		return "the cost is not known: the server counts no tokens"
	}
	text := fmt.Sprintf("about %.2f by the prices configured, for %d prompt tokens (%d of them cached) and %d "+
		"completion tokens", *c.Cost, c.PromptTokens, c.CachedTokens, c.CompletionTokens)
	if c.Uncounted > 0 {
		text += "; the server counted no tokens of " + Counted(c.Uncounted, "judgement")
	}
	return text
}

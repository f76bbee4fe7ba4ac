package words_test

import (
	"fmt"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/words"
)

func comparisonCases() []written {
	c := compared()
	byConversation := compared()
	for i := range byConversation.Rows {
		byConversation.Rows[i].IsPrimary = false
	}
	byConversation.Rows[1].Reduced, byConversation.Rows[0].Decides = "mean", false
	byConversation.Changes.Worse, byConversation.Changes.Better, byConversation.Changes.By.Level = 1, 9, "conversation"
	byConversation.Changes.Items = []report.ConversationChange{{ConversationID: "c1", Worse: true}, {ConversationID: "c2"}}
	byConversation.Name, byConversation.Calls = "", report.CallPairs{Same: 1, Moved: 2, OnlyA: 2, OnlyB: 3}
	return []written{
		{"Comparison with every table", words.Comparison(c, true, "runs/b")},
		{"Comparison by conversation", words.Comparison(byConversation, true, "")},
		{"Comparison in short", words.Comparison(flipped(), false, "runs/b")},
		{"A run against an earlier one", words.SectionNamed(&report.Report{Comparisons: []*report.Comparison{c}},
			"Change 1")},
		{"What changed, in sentences", words.ComparisonSentences(c)},
		{"What changed by conversation, in sentences", words.ComparisonSentences(byConversation)},
		{"Headlines of comparisons", headlines()},
		{"Whether a change is proven", provens()},
		{"Which drop can be seen", sensitivities()},
		{"What a judge's difference means", trueEffects()},
	}
}

func change(a, b float64, noise bool, p float64) report.Change {
	return report.Change{N: 40, A: est(a), B: est(b), Delta: est(b-a, b-a-0.1, b-a+0.1), P: est(p), PHolm: est(2 * p),
		CorrectedFor: 2,
		Noise:        noise, Detectable: est(0.2)}
}

func changeRow(judge, name string, pass report.Change) report.ChangeRow {
	source := "judge"
	if judge == "" {
		source = "deterministic"
	}
	return report.ChangeRow{Instrument: report.Instrument{Source: source, Name: name, Judge: judge, Level: "call"},
		Decides:       true,
		Conversations: 40, PassRate: pass, Mean: pass}
}

// compared is a comparison with a primary endpoint that got worse, and rows of all kinds.
func compared() *report.Comparison {
	main := changeRow("judge-a", "overall", change(0.8, 0.6, false, 0.01))
	main.IsPrimary, main.Broken, main.Fixed = true, 9, 1
	main.Youden, main.ByYouden, main.Reference = new(est(0.5, 0.4, 0.8)), new(est(-0.4, -0.6, -0.2)), "human"
	other := changeRow("judge-a", "polite", change(0.8, 0.7, true, 0.2))
	other.Youden, other.ByYouden, other.Reference = new(est(0.1)), new(none("small_j")), "human"
	renamed := changeRow("judge-a", "safe", change(0.5, 0.7, false, 0.01))
	renamed.JudgeB = "judge-b"
	tool, quiet := changeRow("", "ast_equivalence", change(0.9, 0.5, false, 0.001)), changeRow("", "ast_equivalence",
		change(0.9, 0.9, true, 1))
	tool.Tool, quiet.Tool = "refund", "search"
	aside, noisy := changeRow("", "schema_check", change(0.9, 0.5, false, 0.001)), changeRow("", "args", change(0.9,
		0.9, true, 1))
	aside.Decides, noisy.Decides, noisy.Reduced = false, false, "min"
	unscored := changeRow("judge-a", "length", report.Change{})
	c := &report.Comparison{
		Name: "runs/a", A: report.Run{ID: "r1"}, B: report.Run{ID: "r2"}, Alpha: 0.05, Shared: 40,
		Rows: []report.ChangeRow{main, other, renamed, tool, quiet, aside, noisy, unscored},
		Changes: report.Changes{By: main.Instrument, Worse: 9, Better: 1, Split: new(0.02), Tools: []string{"a", "b", "c",
			"d"},
			Items: conversationChanges()},
		FailureGroups: []report.GroupChange{{Name: "refund: amount", B: 1}, {Name: "search: q", A: 2},
			{Name: "fails polite", A: 3, B: 5}},
		Parameters: []report.ParameterChange{{Tool: "refund", Parameter: "amount", NA: 9, NB: 8, A: est(0.9), B: est(0.5),
			Delta: est(-0.4)},
			{Tool: "refund", Parameter: "id", Delta: est(0)}},
		Verdicts: flipped().Verdicts,
		Warnings: []report.Warning{{Code: "a", Text: "the models differ"}}, Summary: []string{"said again"},
	}
	tone := report.Instrument{Source: "judge", Name: "tone", Judge: "judge-a", Level: "turn"}
	for i, of := range []report.Instrument{tone, tone, tone, main.Instrument, tone} {
		ch := change(0.3, 0.3+0.1*float64(i-1), i == 1, 0.03)
		if i == 4 {
			ch = report.Change{}
		}
		c.Categories = append(c.Categories, report.CategoryChange{Instrument: of, Category: fmt.Sprint("k", i), Share: ch})
	}
	return c
}

// conversationChanges has a conversation for each way to word a change.
func conversationChanges() []report.ConversationChange {
	old, now := &report.ChangedCall{Text: "scale(8)"}, &report.ChangedCall{Text: `scale("8")`}
	return []report.ConversationChange{
		{ConversationID: "c1", Worse: true, Old: old, New: now, Why: "replicas is text", Scores: []string{"a", "b", "c"}},
		{ConversationID: "c2", Old: now, New: old, Why: "replicas is text"},
		{ConversationID: "c3", Worse: true, Old: old},
		{ConversationID: "c4", New: now},
		{ConversationID: "c5", Worse: true, Old: old, New: old},
		{ConversationID: "c6", Worse: true, A: 1, B: 0.5, Scores: []string{"a"}},
	}
}

// flipped has only scores of which nothing decides: changed verdicts, some of conversations.
func flipped() *report.Comparison {
	of := report.Instrument{Source: "judge", Name: "overall", Judge: "judge-a", Level: "conversation"}
	scorer := report.Instrument{Source: "deterministic", Name: "bfcl", Metric: "ast", Level: "call"}
	c := &report.Comparison{Name: "runs/a", A: report.Run{ID: "r1"}, Shared: 1, Changes: report.Changes{By: of}}
	c.Verdicts = report.Flips{Total: 7, Items: []report.Flip{
		{Instrument: of, CaseRef: caseOf("c1", -1, "", "a.jsonl:3"), Broken: true, A: 1, B: 0, Reduced: "min"},
		{Instrument: scorer, CaseRef: caseOf("c2", 1, "refund", ""), A: 0.12345, B: 1}}}
	for range 5 {
		c.Verdicts.Items = append(c.Verdicts.Items, c.Verdicts.Items[1])
	}
	return c
}

// headlines are of comparisons whose scores changed in all directions, without a leading one.
func headlines() (out []string) {
	head := func(c *report.Comparison) { out = append(out, words.ComparisonSentences(c)[0]) }
	head(&report.Comparison{A: report.Run{ID: "r1"}})
	head(&report.Comparison{Name: "runs/a", Shared: 1})
	worse, better := change(0.8, 0.6, false, 0.01), change(0.6, 0.65, false, 0.01)
	mean := func(name string, ch report.Change) report.ChangeRow {
		r := changeRow("judge-a", name, report.Change{})
		r.Mean = ch
		return r
	}
	rows := []report.ChangeRow{mean("a", worse), mean("b", better), mean("c", change(0.8, 0.5, false, 0.01)),
		mean("d", change(0.8, 0.7, false, 0.01)), mean("e", change(0.8, 0.65, false, 0.01)), mean("f", change(0.5, 0.6,
			true, 0.5))}
	head(&report.Comparison{Name: "runs/a", Shared: 2, Rows: rows})
	head(&report.Comparison{Name: "runs/a", Shared: 2, Rows: rows[5:]})
	head(&report.Comparison{Name: "runs/a", Shared: 2, Rows: []report.ChangeRow{rows[5], rows[5]}})
	lead := changeRow("judge-a", "overall", change(0.5, 0.5, true, 1))
	lead.IsPrimary = true
	reduced := lead
	reduced.IsPrimary, reduced.Reduced = false, "min"
	head(&report.Comparison{Name: "runs/a", Shared: 2, Rows: []report.ChangeRow{lead, reduced, rows[5]}})
	head(&report.Comparison{Name: "runs/a", Shared: 2, Rows: []report.ChangeRow{lead, rows[0]}})
	lead.PassRate, lead.Mean = report.Change{}, report.Change{}
	head(&report.Comparison{Name: "runs/a", Shared: 2, Rows: []report.ChangeRow{lead}})
	return out
}

// provens word how often chance makes such a change.
func provens() (out []string) {
	for _, of := range []struct {
		worse, better int
		split         float64
		primary       bool
		ch            report.Change
	}{
		{9, 1, 0.02, true, change(0.8, 0.6, false, 0.01)}, {9, 1, 0.0004, true, change(0.8, 0.6, false, 0.0004)},
		{9, 1, 0.02, false, change(0.8, 0.6, false, 0.01)}, {1, 9, 0.02, true, change(0.8, 0.6, false, 0.01)},
		{1, 9, 0.02, true, change(0.6, 0.8, false, 0.01)}, {5, 4, 0.4, true, change(0.8, 0.7, true, 0.2)},
		{5, 4, 0.4, true, change(0.8, 0.6, false, 0.01)}, {9, 1, 0.02, true, change(0.8, 0.7, true, 0.2)},
		{1, 0, 1, true, change(0.8, 0.7, true, 0.2)}, {2, 0, 0.5, true, change(0.8, 0.7, true, 0.2)},
		{0, 3, 0.25, true, change(0.6, 0.7, true, 0.2)}, {1, 1, 1, true, change(0.6, 0.6, true, 1)},
		{0, 0, 0, true, change(0.8, 0.6, false, 0.01)}, {4, 1, 0.05, true, change(0.8, 0.7, true, 0.2)},
	} {
		row := changeRow("judge-a", "overall", of.ch)
		row.IsPrimary = of.primary
		c := &report.Comparison{Name: "a", Shared: 40, Alpha: 0.05, Rows: []report.ChangeRow{row},
			Changes: report.Changes{Worse: of.worse, Better: of.better, Split: &of.split}}
		out = append(out, words.ComparisonSentences(c)[0])
	}
	return out
}

// sensitivities say which drop the items of some rows can show.
func sensitivities() (out []string) {
	row := func(judge, name string, seen report.Estimate) report.ChangeRow {
		ch := change(0.8, 0.7, true, 0.2)
		ch.Detectable = seen
		return changeRow(judge, name, ch)
	}
	divided := row("judge-a", "overall", est(0.2))
	divided.Youden, divided.ByYouden = new(est(0.5, 0.4, 0.8)), new(est(-0.2, -0.3, -0.1))
	endpoint := row("judge-a", "overall", none("zero_variance"))
	endpoint.IsPrimary = true
	min, tool := row("judge-a", "overall", est(0.01)), row("judge-a", "overall", est(0.01))
	min.Reduced, tool.Tool = "min", "refund"
	for _, rows := range [][]report.ChangeRow{
		{row("", "ast", est(0.1))}, {row("judge-a", "overall", est(0.2))}, {divided},
		{row("", "ast", est(0.3)), row("", "args", est(0.123)), row("", "schema", est(0.2))},
		{row("", "ast", none("zero_variance"))}, {endpoint, row("", "ast", est(0.1))}, {min, tool}, {row("", "ast",
			est(0.1)), endpoint},
	} {
		c := &report.Comparison{Name: "a", Shared: 40, Rows: rows}
		out = append(append(out, words.ComparisonSentences(c)[1:]...), "brief:")
		for _, s := range words.Comparison(c, false, "").Sections {
			if s.Name == "In words" {
				for _, item := range s.Parts[0].(words.List).Items[1:] {
					out = append(out, item.Title)
				}
			}
		}
	}
	return out
}

func trueEffects() (out []string) {
	for _, of := range []struct{ youden, by *report.Estimate }{
		{}, {new(est(0.1)), new(none("small_j"))}, {new(est(0.5, 0.4, 0.6)), new(est(-0.4, -0.6, -0.2))},
	} {
		row := changeRow("judge-a", "overall", change(0.8, 0.6, false, 0.01))
		row.IsPrimary, row.Youden, row.ByYouden, row.Reference = true, of.youden, of.by, "human"
		out = append(out, words.ComparisonSentences(&report.Comparison{Name: "a", Shared: 40,
			Rows: []report.ChangeRow{row}})[1])
	}
	return out
}

package align

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/judgekit/judge/internal/labels"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/sorting"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/rubrics"
)

const (
	// maxGuidelines and maxRule limit how much longer a prompt gets.
	maxGuidelines, maxRule = 8, 300
	// maxShown limits the disagreements that a proposal is based on.
	maxShown = 12
)

// guideline is a rule with the items from which it was derived.
type guideline struct {
	rule string
	from []int
}

// rulesSchema is the schema of a proposal.
var rulesSchema = value.Pairs("type", "object",
	"properties", value.Pairs("guidelines", value.Pairs("type", "array", "maxItems", maxGuidelines, "items",
		value.Pairs("type", "object", "properties", value.Pairs(
			"rule", value.Pairs("type", "string", "maxLength", maxRule, "description", "one rule in one or two sentences"),
			"from", value.Pairs("type", "array", "items", value.Pairs("type", "integer"), "description",
				"the numbers of the disagreements that it settles")),
			"required", value.OfStrings("rule", "from"), "additionalProperties", false))),
	"required", value.OfStrings("guidelines"), "additionalProperties", false)

const rulesText = `You improve the instructions of a judge that grades the work of an assistant. People graded the same
items, and they are right. Read where the judge differs from them, find out what the judge overlooks or takes too
seriously, and write rules that would have made it decide as they did.

Write at most %d rules. Each rule says in one or two sentences what to look at and what follows from it. Rules are
general: they name no person, order number or other value of a single record, and they fit records that you have
not seen. Name for each rule the numbers of the disagreements that it settles. Do not repeat a rule that the judge
has already. Without a common cause write no rule.`

// rulesQuestion asks for rules. shown holds the disagreements, with the judge's answers.
func rulesQuestion(key string, r *rubrics.Rubric, shown []disagreement) judges.Question {
	q := judges.Question{Key: key, Name: "guidelines", Schema: rulesSchema, System: fmt.Sprintf(rulesText, maxGuidelines),
		Intro: fmt.Sprintf("What the judge is asked:\n%s\n\nThe disagreements:", r.Description)}
	for i, d := range shown {
		number := value.Member{Key: "number", Value: value.OfInt(int64(i + 1))}
		q.Records = append(q.Records, value.OfObject(append([]value.Member{number}, d.members()...)...))
	}
	return q
}

// disagreement is an item on which the judge and the labeller decide differently.
type disagreement struct {
	item   *Item
	conv   *transcript.Conversation
	result *judges.Result
}

// members returns a disagreement as the model sees it.
func (d *disagreement) members() []value.Member {
	text := value.OfString
	verdict := func(pass bool) value.Value { return text(map[bool]string{true: "right", false: "wrong"}[pass]) }
	var out value.Fields
	var before int
	if d.item.Call >= 0 {
		c := &d.conv.Calls[d.item.Call]
		before = c.Message
		out.Set("tool", text(c.Name))
		out.Set("arguments", c.Arguments)
	} else {
		var calls []value.Value
		if calls, before = d.calls(); len(calls) > 0 {
			out.Set("calls", value.OfList(calls...))
		}
	}
	for _, role := range []transcript.Role{transcript.User, transcript.ToolRole, transcript.Assistant} {
		for i := before - 1; i >= 0; i-- {
			if m := &d.conv.Messages[i]; m.Role == role && m.Content != "" {
				out.Set("last_"+string(role), text(m.Content))
				break
			}
		}
	}
	out.Set("people", verdict(d.item.Pass))
	if d.item.Note != "" {
		out.Set("note", text(d.item.Note))
	}
	out.Set("judge", verdict(!d.item.Pass))
	out.Set("judge_says", text(d.result.Explanation))
	return out
}

// calls returns the last calls of a turn or conversation, and the index after its last message.
func (d *disagreement) calls() (out []value.Value, end int) {
	scope := rubrics.ScopeConversation
	if d.item.Turn > 0 {
		scope = rubrics.ScopeTurn
	}
	from, end := judges.MessagesOf(d.conv, d.item.Target(scope))
	for i := range d.conv.Calls {
		if c := &d.conv.Calls[i]; from <= c.Message && c.Message < end {
			out = append(out, value.Pairs("tool", c.Name, "arguments", c.Arguments))
		}
	}
	return out[max(0, len(out)-keptMessages):], end
}

// rulesOf reads a proposal. of holds the items that were shown.
func rulesOf(answer *value.Value, of []int) (out []guideline) {
	if answer == nil {
		return nil
	}
	for _, e := range answer.Field("guidelines").Elements() {
		g := guideline{rule: plainRule(e.Field("rule").Text())}
		for _, n := range e.Field("from").Elements() {
			if i, ok := n.Int64(); ok && i >= 1 && int(i) <= len(of) && !slices.Contains(g.from, of[i-1]) {
				g.from = append(g.from, of[i-1])
			}
		}
		if g.rule != "" && len(out) < maxGuidelines {
			out = append(out, g)
		}
	}
	return out
}

// plainRule makes a rule one line of plain text, for a system message and a YAML file.
func plainRule(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r) || unicode.IsControl(r):
			return ' '
		case r == '<' || r == '>' || r == '`' || !unicode.IsPrint(r):
			return -1
		}
		return r
	}, text)
	text = strings.Join(strings.Fields(text), " ")
	return value.Excerpt(strings.TrimSpace(strings.TrimLeft(text, "-*0123456789.) ")), maxRule)
}

// merged joins rules. A rule that says the same as another is dropped, and its items are added to
// that one. If there are too many rules, those that resolve the most items stay.
func merged(old, more []guideline) []guideline {
	out := slices.Clone(old)
	for _, g := range more {
		at := slices.IndexFunc(out, func(o guideline) bool { return similar(o.rule, g.rule) })
		if at < 0 {
			out = append(out, g)
			continue
		}
		from := slices.Concat(out[at].from, g.from)
		slices.Sort(from)
		out[at].from = slices.Compact(from)
	}
	if len(out) > maxGuidelines {
		sorting.Stable(out, func(a, b guideline) int { return cmp.Compare(len(b.from), len(a.from)) })
		out = out[:maxGuidelines]
	}
	return out
}

// sameWords is the share of common words from which two rules are considered the same.
const sameWords = 0.6

// similar reports whether two rules have most words in common.
func similar(a, b string) bool {
	between := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	words := func(s string) map[string]bool {
		out := map[string]bool{}
		for _, w := range strings.FieldsFunc(strings.ToLower(s), between) {
			out[w] = true
		}
		return out
	}
	x, y := words(a), words(b)
	common := 0
	for w := range x {
		if y[w] {
			common++
		}
	}
	all := len(x) + len(y) - common
	return all == 0 || float64(common) >= sameWords*float64(all)
}

// reported returns the rules with the names of their items.
func (l *learner) reported(list []guideline) []report.AlignmentGuideline {
	out := []report.AlignmentGuideline{}
	for _, g := range list {
		row := report.AlignmentGuideline{Rule: g.rule, From: []string{}}
		for _, i := range g.from {
			row.From = append(row.From, l.items[i].name())
		}
		out = append(out, row)
	}
	return out
}

// name returns an item's name, as in judge show.
func (i *Item) name() string {
	out := labels.Item{Conversation: i.Conversation, Call: i.Call, Turn: i.Turn}
	if i.Turn > 0 {
		out.Scope = labels.Turn
	}
	return out.String()
}

package align

import (
	"cmp"
	"slices"

	"github.com/judgekit/judge/internal/sorting"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/rubrics"
)

const (
	// keptMessages and keptText limit how much of a conversation an example shows.
	keptMessages, keptText = 6, 400
	// poolSize limits the examples of a rubric that retrieves some of them.
	poolSize = 24
)

// usableExamples says why labels cannot become examples of a rubric; "" if they can.
func usableExamples(r *rubrics.Rubric) string {
	for _, key := range r.PropertyOrder() {
		if !slices.Contains(rubrics.Keys(), key) {
			return "its answers have the field " + value.Excerpt(key, 40) + ", which labels say nothing of"
		}
	}
	return ""
}

// pairs sorts labelled items as examples: an error of the judge, then the most similar item with the other
// label, so that every beginning has both kinds. Errors alternate by label and tool, those with a note first.
func (l *learner) pairs(learn []int, wrong func(int) bool) []int {
	type kind struct {
		pass bool
		tool string
	}
	groups := map[kind][]int{}
	var kinds []kind
	for _, i := range learn {
		if !wrong(i) {
			continue
		}
		k := kind{l.items[i].Pass, l.tool(i)}
		if groups[k] == nil {
			kinds = append(kinds, k)
		}
		groups[k] = append(groups[k], i)
	}
	sorting.Stable(kinds, func(a, b kind) int { return cmp.Compare(len(groups[b]), len(groups[a])) })
	for _, k := range kinds {
		sorting.Stable(groups[k], func(a, b int) int {
			return cmp.Compare(len(l.items[b].Note), len(l.items[a].Note))
		})
	}
	var out []int
	for round := 0; ; round++ {
		before := len(out)
		for _, k := range kinds {
			if round >= len(groups[k]) || slices.Contains(out, groups[k][round]) {
				continue
			}
			out = append(out, groups[k][round])
			if other, ok := l.contrast(learn, groups[k][round], out); ok {
				out = append(out, other)
			}
		}
		if len(out) == before {
			return out
		}
	}
}

// contrast returns the first unused item with the other label, preferably of the same tool.
func (l *learner) contrast(learn []int, i int, taken []int) (best int, ok bool) {
	for _, k := range learn {
		if l.items[k].Pass == l.items[i].Pass || slices.Contains(taken, k) || l.items[k].Task == l.items[i].Task {
			continue
		}
		if l.tool(k) == l.tool(i) {
			return k, true
		}
		if !ok {
			best, ok = k, true
		}
	}
	return best, ok
}

// tool returns the tool of an item; "" for a conversation.
func (l *learner) tool(i int) string {
	if item := &l.items[i]; item.Call >= 0 {
		return l.bench.Conversation(item.Conversation).Calls[item.Call].Name
	}
	return ""
}

// example returns a labelled item as an example of a rubric file.
func example(r *rubrics.Rubric, c *transcript.Conversation, item *Item) value.Value {
	end := len(c.Messages)
	var call value.Value
	if item.Call >= 0 {
		judged := &c.Calls[item.Call]
		end = judged.Message
		call = value.Pairs("name", judged.Name, "parameters", judged.Arguments)
		if r.Scope == rubrics.ScopeResult {
			end, call = judged.Result+1, value.Value{}
		}
	}
	if item.Turn > 0 {
		_, end = judges.MessagesOf(c, item.Target(r.Scope))
	}
	out := value.Fields{{Key: "task", Value: value.OfString(item.Task)}}
	out.Set("conversation_context", value.OfList(contextOf(c, end)...))
	if t := calledTool(c, item.Call); !t.IsNull() {
		out.Set("tools_inventory", value.OfList(t))
	}
	if !call.IsNull() {
		out.Set("tool_call", call)
	}
	out.Set("output", exampleAnswer(r, item))
	return value.OfObject(out...)
}

// contextOf returns the user's first message and the last messages before end, with long texts cut.
func contextOf(c *transcript.Conversation, end int) (out []value.Value) {
	var all []value.Value
	for i := range c.Messages[:end] {
		m := &c.Messages[i]
		switch {
		case m.Role == transcript.ToolRole && m.Result >= 0:
			made := &c.Calls[m.Result]
			all = append(all, value.Pairs("role", "tool", "name", made.Name, "parameters", made.Arguments, "output",
				cut(m.Content)))
		case m.Role == transcript.User || m.Role == transcript.Assistant && m.Content != "":
			all = append(all, value.Pairs("role", string(m.Role), "content", cut(m.Content)))
		}
	}
	if left := len(all) - keptMessages; left > 0 {
		return append(all[:1:1], all[left+1:]...)
	}
	return all
}

func cut(text string) value.Value { return value.OfString(value.Excerpt(text, keptText)) }

// calledTool returns the definition of a call's tool; null if it is unknown.
func calledTool(c *transcript.Conversation, call int) value.Value {
	if call < 0 {
		return value.Value{}
	}
	t := transcript.FindTool(c.Tools, c.Calls[call].Name)
	if t == nil {
		return value.Value{}
	}
	out := value.Pairs("name", t.Name, "description", cut(t.Description))
	if !t.Parameters.IsNull() {
		out = out.With("parameters", t.Parameters)
	}
	return out
}

// exampleAnswer returns the answer that a good judge would give about an item.
func exampleAnswer(r *rubrics.Rubric, item *Item) value.Value {
	explanation := item.Note
	if explanation == "" {
		explanation = map[bool]string{true: "A person looked at it and found it right.",
			false: "A person looked at it and found it wrong."}[item.Pass]
	}
	out := value.Fields{
		{Key: rubrics.KeyExplanation, Value: value.OfString(value.Excerpt(explanation, rubrics.MaxExplanation))},
		{Key: rubrics.KeyEvidence, Value: value.OfString("NONE: this is a person's label.")},
		{Key: rubrics.KeyOutput, Value: outputFor(r.Output, item.Pass)},
	}
	if r.Asks(rubrics.KeyConfidence) {
		out = append(out, value.Member{Key: rubrics.KeyConfidence, Value: value.OfNumber("0.9")})
	}
	if r.Asks(rubrics.KeyCorrection) {
		out = append(out, value.Member{Key: rubrics.KeyCorrection, Value: value.OfObject()})
	}
	return value.OfObject(out...)
}

// outputFor returns the clearest output that passes or fails.
func outputFor(o rubrics.Output, pass bool) value.Value {
	if o.Categories != nil {
		at := slices.IndexFunc(o.Categories, func(c string) bool { return slices.Contains(o.Pass, c) == pass })
		return value.OfString(o.Categories[max(0, at)])
	}
	best := o.Max
	if o.High < o.Max {
		best = o.High
	}
	switch {
	case pass:
		return value.OfFloat(best)
	case o.Low > o.Min:
		return value.OfFloat(o.Min)
	}
	return value.OfFloat(o.Max)
}

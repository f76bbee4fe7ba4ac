package align

import (
	"fmt"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/labels"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/rubrics"
)

// version holds what a proposal adds to the rubric. The zero version adds nothing.
type version struct {
	guidelines []guideline
	// examples holds items in the order of the prompt; retrieve is the number of them that a prompt
	// shows, 0 means all.
	examples []int
	retrieve int
}

// isParent reports whether the version adds nothing.
func (v version) isParent() bool { return len(v.guidelines) == 0 && len(v.examples) == 0 }

// record returns the rubric with the version's additions, in the published form. The rubric's own
// guidelines and examples stay, before those of the version.
func (l *learner) record(v version) value.Value {
	parent, err := value.ParseString(l.parent.Source())
	if err != nil || v.isParent() {
		return parent
	}
	rules := slices.Clone(l.parent.Guidelines)
	for _, g := range v.guidelines {
		rules = append(rules, g.rule)
	}
	out := value.Fields{{Key: "name", Value: parent.Field("name")}}
	if len(rules) > 0 {
		out.Set("guidelines", value.OfStrings(rules...))
	}
	if v.retrieve > 0 {
		out.Set("retrieve", value.OfInt(int64(v.retrieve)))
	}
	for key, member := range parent.Without("name", "guidelines", "examples", "aligned").Members() {
		if key != "retrieve" || v.retrieve == 0 {
			out = append(out, value.Member{Key: key, Value: member})
		}
	}
	examples := parent.Field("examples").Slice()
	for _, i := range v.examples {
		item := &l.items[i]
		examples = append(examples, example(l.parent, l.bench.Conversation(item.Conversation), item))
	}
	return value.OfObject(append(out, value.Member{Key: "examples", Value: value.OfList(examples...)})...)
}

// rubricOf returns the rubric of a version.
func (l *learner) rubricOf(v version) (*rubrics.Rubric, error) {
	if v.isParent() {
		return l.parent, nil
	}
	r, err := rubrics.Parse(l.record(v).JSON())
	if err != nil {
		return nil, fmt.Errorf("a proposal for %s cannot be read as a rubric: %w", l.parent.Name, err)
	}
	return r, nil
}

// marks returns the marks of the conversations whose labels shaped the final rubric or its parent.
func (l *learner) marks(f fold) string {
	var out []string
	if a := l.parent.Aligned; a != nil {
		out = strings.Fields(a.Labels)
	}
	for _, i := range slices.Concat(f.learn, f.choose) {
		out = append(out, labels.Mark(l.items[i].Conversation))
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), " ")
}

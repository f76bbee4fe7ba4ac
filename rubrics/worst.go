package rubrics

import (
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// worstOf reads the key worst_of: where an answer has its list of verdicts, such as
// parameters.verdict.
func (p *parser) worstOf() {
	if p.common.WorstOf == "" || len(p.problems) > 0 {
		return
	}
	r, at := p.r, "/worst_of"
	list, verdict, _ := strings.Cut(p.common.WorstOf, ".")
	spec := r.Schema.Field("properties").Field(list)
	enum := spec.Field("items").Field("properties").Field(verdict).Field("enum")
	switch {
	case r.Output.Categories == nil:
		p.fail(at, "the answer must be a list of categories, from the best to the worst")
	case slices.Contains(Keys(), list) || spec.Field("type").Text() != "array" || enum.Len() == 0:
		p.fail(at, "want FIELD.KEY: a field of extra that is a list of objects, and a key of theirs that has an enum")
	}
	for _, name := range enum.Elements() {
		if !slices.Contains(r.Output.Categories, name.Text()) {
			p.fail(at, "%s has the verdict %q, which is not one of the categories %s", p.common.WorstOf,
				value.Excerpt(name.Text(), 40), strings.Join(r.Output.Categories, ", "))
		}
	}
	r.list, r.verdict = list, verdict
}

// HasVerdictList reports whether the output follows from a list of verdicts in the answer.
func (r *Rubric) HasVerdictList() bool { return r.list != "" }

// listOfParameters is the name of a list of verdicts about the arguments of a call.
const listOfParameters = "parameters"

// Unjudged returns the arguments of a call that have no entry in an answer's list "parameters" of
// verdicts. An entry about a part of an argument (address.city, tags[0]) counts for the whole
// argument.
func (r *Rubric) Unjudged(answer value.Value, arguments []string) (missing []string) {
	spec, list := r.Schema.Field("properties").Field(r.list), answer.Field(r.list)
	most, bounded := spec.Field("maxItems").Int64()
	if r.list != listOfParameters || !spec.Field("items").Field("properties").Has("name") || !list.IsList() ||
		bounded && int(most) < len(arguments) {
		return nil
	}
	for _, argument := range arguments {
		found := false
		for _, e := range list.Elements() {
			rest, ok := strings.CutPrefix(e.Field("name").Text(), argument)
			found = found || ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
		}
		if !found {
			missing = append(missing, argument)
		}
	}
	return missing
}

// Worst returns the output that follows from the list of verdicts of an answer: the category of
// the worst one, the best category for an empty list. ok is false if the rubric has no worst_of,
// or the answer no such list.
func (r *Rubric) Worst(answer value.Value) (category string, ok bool) {
	list := answer.Field(r.list)
	if r.list == "" || !list.IsList() {
		return "", false
	}
	worst := 0
	for _, e := range list.Elements() {
		place := slices.Index(r.Output.Categories, e.Field(r.verdict).Text())
		if place < 0 {
			return "", false
		}
		worst = max(worst, place)
	}
	return r.Output.Categories[worst], true
}

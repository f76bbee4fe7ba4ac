package deterministic

import (
	"fmt"

	"github.com/judgekit/judge/internal/deterministic/template"
	"github.com/judgekit/judge/internal/pycall"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// Coverage checks whether the required functions were called.
var Coverage = Scorer{
	Name: "function_call_coverage",
	Facts: score.Facts{
		Meaning: score.Meaning{
			Measures: score.RequiredCalls,
			Evidence: score.Evidence{Pass: score.Weak, Fail: score.Strong},
		},
		Needs:   score.NeedsExpectedCalls,
		ToolsIn: "not_called",
	},
	rule: func() Rule { return new(coverage) },
}

// coverage implements function_call_coverage: were the required functions called, in any order or
// in the given one? The score is 1 or 0.
type coverage struct {
	required []string
	// template renders the required list if it depends on the sample.
	template           *template.Template
	sample             value.Value
	mode, multiplicity string
	// ofReference takes a conversation's required calls from its reference, each as often as it is
	// listed there, or else from its sample's function_calls.
	ofReference bool
}

func (c *coverage) settings() []Setting {
	return []Setting{
		{Name: "function_calls", Type: "array or string", Summary: "required: a list of names, or a template of one " +
			"such as `{{ sample.function_calls }}`", read: c.readRequired},
		choice("mode", &c.mode, "must the required calls be made in this order", "any_order", "in_order"),
		choice("multiplicity", &c.multiplicity, "must a name that is listed twice be called twice",
			"at_least_once", "multiset"),
		{Name: "sample", Type: "object", Summary: "the data row of templates; on logs that of the conversation",
			read: into(&c.sample, func(v value.Value) (value.Value, error) { return v, nil })},
	}
}

func (c *coverage) readRequired(v value.Value) (err error) {
	if v.Kind() == value.String {
		c.template, err = template.Compile(v.Text())
		return err
	}
	c.required, err = nameList(v)
	return err
}

func (c *coverage) validate() error {
	if c.required == nil && c.template == nil {
		return configError("function_calls", "is missing: give a list of names or a template such as %q",
			"{{ sample.function_calls }}")
	}
	return nil
}

// Score implements Rule.
func (c *coverage) Score(in Input) (Result, error) {
	required, err := c.requiredFor(in.Sample)
	if err != nil {
		return Result{}, err
	}
	trace, err := madeTrace(in)
	if err != nil {
		return Result{}, err
	}
	return c.of(required, trace), nil
}

func (c *coverage) log(v *view) []outcome {
	required, err := []string(nil), error(nil)
	byReference := *c
	switch {
	case !c.ofReference:
		required, err = c.requiredFor(v.c.Sample)
	case v.known:
		byReference.multiplicity, required = "multiset", namesOf(v.wanted)
	default:
		if required, err = nameList(v.c.Sample.Field("function_calls")); err != nil {
			return notApplicable(noReference)
		}
	}
	if err != nil {
		return whole(Result{}, err)
	}
	return whole(byReference.of(required, v.made), nil)
}

// requiredFor returns the required list for a sample.
func (c *coverage) requiredFor(sample value.Value) ([]string, error) {
	if c.template == nil {
		return c.required, nil
	}
	if !c.sample.IsNull() {
		sample = c.sample
	}
	text, err := c.template.Render(sample)
	if err != nil {
		return nil, configError("function_calls", "%v", err)
	}
	v, err := value.ParseString(text)
	if err != nil {
		if v, err = pycall.ParseLiteral(text); err != nil {
			return nil, configError("function_calls", "renders to %.80q, which is not a list of names", text)
		}
	}
	names, err := nameList(v)
	if err != nil {
		return nil, configError("function_calls", "renders to %.80q: %v", text, err)
	}
	return names, nil
}

// of scores the calls of a trace. An unreadable call is a call that was not required.
func (c *coverage) of(required []string, trace []*transcript.Call) Result {
	names := make([]string, 0, len(trace))
	for _, call := range trace {
		if call.Name != "" || !call.Malformed {
			names = append(names, call.Name)
		}
	}
	made, missing, used := c.made(required, names)
	n := len(required)
	coverage := 1.0
	if n > 0 {
		coverage = float64(made) / float64(n)
	}
	inOrder := c.mode == "any_order" ||
		subsequence(n, len(names), func(i, j int) bool { return required[i] == names[j] }) == n
	score := boolScore(made == n && inOrder)
	reason := fmt.Sprintf("%d of %d required calls made", made, n)
	if len(missing) > 0 {
		reason += ", missing " + quoted(missing)
	} else if !inOrder {
		reason += ", not in the required order"
	}
	return scored(score, reason,
		floatField("all_required_calls_made", score),
		floatField("required_calls_coverage", coverage),
		field("num_required_calls_made", made),
		field("num_required_calls_not_made", n-made),
		field("num_unrequired_calls", len(trace)-used),
		field("num_required_calls_total", n),
		notCalled(required, trace))
}

// made counts the required calls that were made, names those that were not, and counts in used the
// calls that a required name used up.
func (c *coverage) made(required, names []string) (made int, missing []string, used int) {
	left := make(map[string]int, len(names))
	for _, name := range names {
		left[name]++
	}
	for _, name := range required {
		n, called := left[name]
		if n > 0 {
			left[name]--
			used++
		} else if !called || c.multiplicity == "multiset" {
			missing = append(missing, name)
		}
	}
	return len(required) - len(missing), missing, used
}

// quoted returns names in JSON quotes, separated by commas.
func quoted(names []string) string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = string(value.AppendQuoted(nil, name))
	}
	return joined(list, ", ")
}

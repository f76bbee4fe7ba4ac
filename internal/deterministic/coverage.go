package deterministic

import (
	"fmt"
	"slices"

	"github.com/judgekit/judge/internal/deterministic/scorer"
	"github.com/judgekit/judge/internal/deterministic/template"
	"github.com/judgekit/judge/internal/pycall"
	"github.com/judgekit/judge/internal/value"
)

// coverage is function_call_coverage: were the required functions called, in any
// order or in this one? Score 1 or 0.
type coverage struct {
	required []string
	// template gives the required list where it depends on the sample.
	template *template.Template
	sample   value.Value
	inOrder  bool
	multiset bool
}

// newCoverage reads function_calls (a list of names, or a template), mode
// (any_order, in_order), multiplicity (at_least_once, multiset) and sample.
func newCoverage(config value.Value) (scorer.Scorer, error) {
	o := scorer.ReadSettings(config)
	c := &coverage{
		inOrder:  o.Word("mode", "any_order", "in_order") == "in_order",
		multiset: o.Word("multiplicity", "at_least_once", "multiset") == "multiset",
		sample:   config.Field("sample"),
	}
	calls, given := o.Get("function_calls")
	switch {
	case !given:
		o.Fail("function_calls", "is missing: give a list of names or a template such as %q", "{{ sample.function_calls }}")
	case calls.Kind() == value.String:
		t, err := template.Compile(calls.Text())
		if err != nil {
			o.Fail("function_calls", "%v", err)
		}
		c.template = t
	default:
		var err error
		if c.required, err = nameList(calls); err != nil {
			o.Fail("function_calls", "%v", err)
		}
	}
	return c, o.Err
}

// nameList reads a list of strings.
func nameList(v value.Value) ([]string, error) {
	if v.Kind() != value.List {
		return nil, fmt.Errorf("is a %s, must be a list of names", v.Kind())
	}
	names := make([]string, v.Len())
	for i, e := range v.Elements() {
		name, ok := e.Str()
		if !ok {
			return nil, fmt.Errorf("element %d is a %s, must be a name", i, e.Kind())
		}
		names[i] = name
	}
	return names, nil
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
		return nil, scorer.Config("function_calls", "%v", err)
	}
	v, err := value.ParseString(text)
	if err != nil {
		if v, err = pycall.ParseLiteral(text); err != nil {
			return nil, scorer.Config("function_calls", "renders to %.80q, which is no list of names", text)
		}
	}
	names, err := nameList(v)
	if err != nil {
		return nil, scorer.Config("function_calls", "renders to %.80q, which %v", text, err)
	}
	return names, nil
}

// Score implements scorer.Scorer.
func (c *coverage) Score(in scorer.Input) (scorer.Result, error) {
	return c.of(scorer.Trace(in.Actual).Calls, in.Sample)
}

// of scores the calls of a trace.
func (c *coverage) of(trace []scorer.Call, sample value.Value) (scorer.Result, error) {
	required, err := c.requiredFor(sample)
	if err != nil {
		return scorer.Result{}, err
	}
	made, missing := c.made(required, trace)
	n := len(required)
	coverage := 1.0
	if n > 0 {
		coverage = float64(made) / float64(n)
	}
	inOrder := !c.inOrder || subsequence(required, trace)
	score := 0.0
	if made == n && inOrder {
		score = 1
	}
	reason := fmt.Sprintf("%d of %d required calls made", made, n)
	if len(missing) > 0 {
		reason += ", missing " + quoted(missing)
	} else if !inOrder {
		reason += ", not in the required order"
	}
	return scorer.Result{Score: &score, Reason: reason, Fields: []value.Member{
		{Key: "all_required_calls_made", Value: value.OfFloat(score)},
		{Key: "required_calls_coverage", Value: value.OfFloat(coverage)},
		{Key: "num_required_calls_made", Value: value.OfInt(int64(made))},
		{Key: "num_required_calls_not_made", Value: value.OfInt(int64(n - made))},
		{Key: "num_unrequired_calls", Value: value.OfInt(int64(unrequired(required, trace)))},
		{Key: "num_required_calls_total", Value: value.OfInt(int64(n))},
		notCalled(slices.Clone(required), traceNames(trace)),
	}}, nil
}

func traceNames(trace []scorer.Call) []string {
	names := make([]string, 0, len(trace))
	for i := range trace {
		if !trace[i].Unreadable {
			names = append(names, trace[i].Name)
		}
	}
	return names
}

// made counts the required calls that were made, and names those that were not.
func (c *coverage) made(required []string, trace []scorer.Call) (made int, missing []string) {
	called := make(map[string]int, len(trace))
	for i := range trace {
		if !trace[i].Unreadable {
			called[trace[i].Name]++
		}
	}
	for _, name := range required {
		if called[name] == 0 {
			missing = append(missing, name)
			continue
		}
		made++
		if c.multiset {
			called[name]--
		}
	}
	return made, missing
}

// unrequired counts the calls beyond those required. A call that cannot be read is
// one.
func unrequired(required []string, trace []scorer.Call) int {
	allowed := make(map[string]int, len(required))
	for _, name := range required {
		allowed[name]++
	}
	n := 0
	for i := range trace {
		if trace[i].Unreadable || allowed[trace[i].Name] == 0 {
			n++
			continue
		}
		allowed[trace[i].Name]--
	}
	return n
}

// subsequence reports whether the required names occur in the trace in this order,
// with anything between them.
func subsequence(required []string, trace []scorer.Call) bool {
	at := 0
	for i := range trace {
		if at < len(required) && !trace[i].Unreadable && trace[i].Name == required[at] {
			at++
		}
	}
	return at == len(required)
}

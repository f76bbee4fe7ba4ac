package deterministic

import (
	"fmt"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// family holds the settings that the function-call scorers share.
type family struct {
	strict, ignoreExtra, inOrder bool
	// compat is "futureagi" to reproduce that program, else "".
	compat string
}

// readSettings returns the settings for reading and comparing calls.
func (f *family) readSettings(more ...Setting) []Setting {
	return append([]Setting{
		toggle("strict_type_check", &f.strict, false, "an int is not a float, a tuple not a list"),
		toggle("ignore_extra_params", &f.ignoreExtra, false, "unexpected arguments cost nothing"),
		optional("compat", &f.compat, "reproduces that program, quirks included", "futureagi"),
		toggle("order_matters", &f.inOrder, false, "calls are paired by position and not as a set"),
	}, more...)
}

// side is one side of a comparison.
type side struct {
	calls []*transcript.Call
	// single says that there is exactly one call (in compat mode: that is not in a list).
	single bool
	// opaque lists the names of arguments that equal nothing; only compat mode has any.
	opaque []string
}

// pairing holds two sides and how to compare their calls.
type pairing struct {
	family
	equality         value.Equality
	actual, expected side
	// table holds the shares of all pairs, expected call by expected call, after they were
	// requested.
	table []shares
}

func (f family) pairing(actual, expected side) *pairing {
	compat := f.compat != ""
	equality := value.Equality{StrictKinds: f.strict, IntsAsFloats: compat, TupleIsOwnKind: compat}
	return &pairing{family: f, equality: equality, actual: actual, expected: expected}
}

// pairScorer compares the made calls with the expected ones.
type pairScorer func(*pairing) (Result, error)

// scoreCase scores a case, whose reference must be present and complete.
func (f family) scoreCase(in Input, score pairScorer) (Result, error) {
	if f.compat != "" {
		return score(f.pairing(readCompat(in.Actual), readCompat(in.Expected)))
	}
	expected, err := readReference("expected", in.Expected)
	if err != nil {
		return Result{}, err
	}
	actual, err := madeCalls(in)
	if err != nil {
		return Result{}, err
	}
	return score(f.pairing(f.side(actual), f.side(expected)))
}

// pairwise is a scorer that compares calls with expected calls by one function.
type pairwise struct {
	family
	pair pairScorer
	// own returns the settings besides the family's; it may be nil.
	own func() []Setting
	// check returns an error if the settings contradict each other; it may be nil.
	check func() error
	// unfit says why a conversation cannot be scored, "" if it can; it may be nil.
	unfit func(*view) string
	// fixed says that there are no settings.
	fixed bool
}

func (s *pairwise) settings() []Setting {
	if s.fixed {
		return nil
	}
	if s.own == nil {
		return s.readSettings()
	}
	return s.readSettings(s.own()...)
}

func (s *pairwise) validate() error {
	if s.check == nil {
		return nil
	}
	return s.check()
}

// Score implements Rule.
func (s *pairwise) Score(in Input) (Result, error) { return s.scoreCase(in, s.pair) }

func (s *pairwise) log(v *view) []outcome {
	if s.unfit != nil {
		if why := s.unfit(v); why != "" {
			return notApplicable(why)
		}
	}
	if !v.known {
		return notApplicable(noReference)
	}
	p, err := s.ofLog(v)
	if err != nil {
		return whole(Result{}, err)
	}
	return whole(s.pair(p))
}

// valuesListed returns why function_call_exact_match does not apply to a conversation.
func valuesListed(v *view) string { return v.listed }

// side returns the side for calls that are already read.
func (f family) side(calls []*transcript.Call) side {
	if f.compat != "" {
		return compatCalls(calls)
	}
	return side{calls: calls, single: len(calls) == 1}
}

// ofLog pairs the calls of a conversation with the expected ones, which must be complete. Scorers
// with the same settings share the pairing. If the reference names the arguments that count, the
// others are free.
func (f family) ofLog(v *view) (*pairing, error) {
	if f.compat == "" {
		if err := v.completeReference(); err != nil {
			return nil, err
		}
	}
	f.ignoreExtra = f.ignoreExtra || v.partial
	if v.pairing == nil || v.pairing.family != f {
		v.pairing = f.pairing(f.side(v.made), f.side(v.wanted))
	}
	return v.pairing, nil
}

// all returns the shares of all pairs, or an error if there are too many to assign.
func (p *pairing) all() ([]shares, error) {
	rows, cols := len(p.expected.calls), len(p.actual.calls)
	if err := tooManyPairs(rows, cols); err != nil || p.table != nil {
		return p.table, err
	}
	p.table = make([]shares, 0, rows*cols)
	for _, expected := range p.expected.calls {
		for _, made := range p.actual.calls {
			p.table = append(p.table, p.compare(made, expected))
		}
	}
	return p.table, nil
}

// unreadable reports whether a call could not be parsed.
func (f family) unreadable(c *transcript.Call) bool { return c.Name == "" && f.compat == "" }

// equal compares two argument values.
func (p *pairing) equal(a, b value.Value) bool {
	if p.compat == "" || a.Kind() != b.Kind() {
		return p.equality.Equal(a, b)
	}
	switch a.Kind() {
	case value.Tuple:
		// Inside a tuple the program uses Python's own comparison.
		return value.Equality{BoolIsNumber: true, TupleIsOwnKind: true}.Equal(a, b)
	case value.List:
		for i := range min(a.Len(), b.Len()) {
			if !p.equal(a.At(i), b.At(i)) {
				return false
			}
		}
		return a.Len() == b.Len()
	case value.Object:
		for key, inner := range a.Members() {
			if other, ok := b.Get(key); !ok || !p.equal(inner, other) {
				return false
			}
		}
		return a.Len() == b.Len()
	}
	return p.equality.Equal(a, b)
}

// argumentEqual reports whether an argument has the expected value.
func (p *pairing) argumentEqual(key string, got, want value.Value) bool {
	return !slices.Contains(p.actual.opaque, key) && !slices.Contains(p.expected.opaque, key) && p.equal(got, want)
}

// shares are the three parts of a pair's score, each in [0, 1].
type shares struct{ name, params, values float64 }

// compare scores one actual call against one expected call.
func (p *pairing) compare(actual, expected *transcript.Call) shares {
	var s shares
	if p.unreadable(actual) {
		return s
	}
	if actual.Name == expected.Name {
		s.name = 1
	}
	if actual.Malformed {
		return s
	}
	n := expected.Arguments.Len()
	if n == 0 {
		s.values = 1
		if actual.Arguments.Len() == 0 || p.ignoreExtra {
			s.params = 1
		}
		return s
	}
	present, equal := 0, 0
	for i := range n {
		key := expected.Arguments.KeyAt(i)
		got, ok := actual.Arguments.Get(key)
		if !ok {
			continue
		}
		present++
		if p.argumentEqual(key, got, expected.Arguments.At(i)) {
			equal++
		}
	}
	s.params = float64(present) / float64(n)
	s.values = float64(equal) / float64(n)
	return s
}

// exact reports whether the shares of a pair are those of an exact match.
func (p *pairing) exact(s shares, actual, expected *transcript.Call) bool {
	return s == shares{1, 1, 1} && (p.ignoreExtra || actual.Arguments.Len() == expected.Arguments.Len())
}

// explain says how the actual call differs from the expected one; "" if it does not.
func (p *pairing) explain(actual, expected *transcript.Call) string {
	if p.unreadable(actual) {
		return "the call cannot be read"
	}
	var parts []string
	if actual.Name != expected.Name {
		parts = append(parts, "Function name mismatch: got '"+actual.Name+"', expected '"+expected.Name+"'")
	}
	if actual.Malformed {
		return strings.Join(append(parts, "the arguments cannot be read as an object"), "; ")
	}
	missing, extra, unequal := p.differences(actual.Arguments, expected.Arguments)
	var keys []string
	if len(missing) > 0 {
		keys = append(keys, "missing: "+braced(missing))
	}
	if len(extra) > 0 {
		keys = append(keys, "extra: "+braced(extra))
	}
	if len(keys) > 0 {
		parts = append(parts, "Parameter mismatch: "+strings.Join(keys, ", "))
	}
	if unequal >= 0 {
		key := expected.Arguments.KeyAt(unequal)
		parts = append(parts, fmt.Sprintf("Value mismatch for '%s': got %s, expected %s",
			key, actual.Arguments.Field(key).Shown(maxValue), expected.Arguments.Field(key).Shown(maxValue)))
	}
	return strings.Join(parts, "; ")
}

// differences returns the missing and the extra keys, and the index of the first expected argument
// with another value; -1 if all are equal.
func (p *pairing) differences(actual, expected value.Value) (missing, extra []string, unequal int) {
	unequal = -1
	for i := range expected.Len() {
		key := expected.KeyAt(i)
		got, ok := actual.Get(key)
		switch {
		case !ok:
			missing = append(missing, key)
		case unequal < 0 && !p.argumentEqual(key, got, expected.At(i)):
			unequal = i
		}
	}
	if p.ignoreExtra {
		return missing, nil, unequal
	}
	for i := range actual.Len() {
		if key := actual.KeyAt(i); !expected.Has(key) {
			extra = append(extra, key)
		}
	}
	return missing, extra, unequal
}

// braced returns names in braces, unquoted, sorted by code point.
func braced(names []string) string {
	sorted := slices.Sorted(slices.Values(names))
	return "{" + joined(sorted, ", ") + "}"
}

// callNames lists the names of the first calls for a result, and counts the others; an unreadable
// call is null.
func (p *pairing) callNames(calls []*transcript.Call, keep func(int) bool) (names []value.Value, more int) {
	for i, c := range calls {
		switch {
		case !keep(i):
		case len(names) == maxNames:
			more++
		case p.unreadable(c):
			names = append(names, value.Value{})
		default:
			names = append(names, value.OfString(c.Name))
		}
	}
	return names, more
}

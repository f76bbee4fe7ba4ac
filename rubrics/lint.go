package rubrics

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/judgekit/judge/internal/value"
)

// Severity says how much a finding matters.
type Severity string

// The severities. An error makes scores wrong or requests fail; a warning makes
// them worse than they need be.
const (
	SeverityError   Severity = "error"
	SeverityWarning Severity = "warning"
)

// Finding is one thing that the linter would change.
type Finding struct {
	Severity Severity
	// Line is the 1-based line in the rubric's file.
	Line int
	// Field is the place inside the record, as "examples[2].output.evidence".
	Field   string
	Message string
}

// Bounds of the linter: what is longer costs tokens in every single request.
const (
	maxDescription  = 6000  // characters of the schema's description
	maxExampleBytes = 16000 // bytes of one example as compact JSON
)

// Lint returns what is wrong or doubtful about a rubric that could be loaded, in
// the order of the record; nil for a clean one.
func Lint(r *Rubric) []Finding {
	l := &linter{r: r}
	l.schema()
	l.examples()
	return l.findings
}

type linter struct {
	r        *Rubric
	findings []Finding
}

func (l *linter) add(sev Severity, path []string, format string, args ...any) {
	l.findings = append(l.findings, Finding{
		Severity: sev, Line: l.r.Line + lineOf(l.r.raw, path), Field: fieldName(path),
		Message: fmt.Sprintf(format, args...),
	})
}

func (l *linter) schema() {
	root := []string{"jsonschema"}
	if n := utf8.RuneCountInString(l.r.Description); n > maxDescription {
		l.add(SeverityWarning, append(root, "description"), "%d characters are sent with every request; keep it under %d", n, maxDescription)
	}
	props := l.r.Schema.Field("properties")
	if slices.Index(l.r.keys, KeyOutput) < slices.Index(l.r.keys, KeyExplanation) {
		l.add(SeverityWarning, []string{"jsonschema", "properties", KeyOutput}, "the number stands before its explanation: a model would score first and find reasons later")
	}
	for _, name := range l.r.Schema.Field("required").Elements() {
		if !props.Has(name.Text()) {
			l.add(SeverityError, append(root, "required"), "%q is required but is no property", name.Text())
		}
	}
	if o := l.r.Output; o.Integer && (o.Min != float64(int64(o.Min)) || o.Max != float64(int64(o.Max))) {
		l.add(SeverityWarning, []string{"jsonschema", "properties", KeyOutput, "minimum"}, "an integer scale needs whole bounds; some servers refuse others")
	}
	l.keywords()
}

// keywords names what of the schema no answer is checked by. That is an error for a
// keyword of JSON Schema, because a wrong answer would be scored.
func (l *linter) keywords() {
	for _, p := range l.r.doubtful {
		severity := SeverityWarning
		if p.severity == unchecked {
			severity = SeverityError
		}
		l.add(severity, append([]string{"jsonschema"}, p.path...), "%s", p.message)
	}
}

func (l *linter) examples() {
	if len(l.r.Examples) == 0 {
		l.add(SeverityWarning, []string{"examples"}, "no examples: give at least one that passes and one that fails")
		return
	}
	passes, fails := 0, 0
	for i := range l.r.Examples {
		switch pass, ok := l.example(i); {
		case ok && pass:
			passes++
		case ok:
			fails++
		}
	}
	if passes == 0 || fails == 0 {
		l.add(SeverityWarning, []string{"examples"}, "%d examples pass and %d fail: a judge needs at least one of each", passes, fails)
	}
	l.duplicates()
}

func (l *linter) duplicates() {
	seen := map[string]int{}
	for i, e := range l.r.Examples {
		key := value.OfList(value.OfList(e.Conversation...), value.OfList(e.Tools...), e.Call).Canonical()
		if first, ok := seen[key]; ok {
			l.add(SeverityWarning, []string{"examples", strconv.Itoa(i)}, "the same record as examples[%d]", first)
			continue
		}
		seen[key] = i
	}
}

// example checks one example and reports on which side of the band it lies.
func (l *linter) example(i int) (pass, ok bool) {
	e := l.r.Examples[i]
	at := []string{"examples", strconv.Itoa(i)}
	out := append(at, "output")
	field := func(key string) []string { return append(out[:len(out):len(out)], key) }
	for _, v := range l.r.Check(e.asWritten) {
		l.add(SeverityError, append(out[:len(out):len(out)], pointerPath(v.Pointer)...), "the answer breaks the rubric's own schema: %s", v.Rule)
	}
	if !l.r.Ordered(e.asWritten) {
		l.add(SeverityWarning, out, "the keys stand in another order than in the schema (%s)", strings.Join(l.r.keys, ", "))
	}
	l.length(field(KeyExplanation), e.asWritten.Field(KeyExplanation), MaxExplanation)
	l.length(field(KeyEvidence), e.asWritten.Field(KeyEvidence), MaxEvidence)
	if n := len(exampleJSON(e)); n > maxExampleBytes {
		l.add(SeverityWarning, at, "the example has %d bytes; keep it under %d", n, maxExampleBytes)
	}
	l.record(append(at[:len(at):len(at)], e.envelope()...), e)
	l.evidence(field(KeyEvidence), e)
	l.correction(field(KeyCorrection), e)
	score, ok := e.asWritten.Field(KeyOutput).Float64()
	pass = l.r.Output.PassBand().Contains(score)
	if ok && pass {
		l.omitted(append(append(at[:len(at):len(at)], e.envelope()...), "tool_call", "parameters"), e)
	}
	return pass, ok
}

// omitted names the required parameters that a call lacks although its answer passes it.
func (l *linter) omitted(path []string, e Example) {
	i := slices.IndexFunc(e.Tools, func(t value.Value) bool { return toolName(t) == e.CallName() })
	if i < 0 {
		return
	}
	for _, name := range requiredParameters(e.Tools[i]) {
		if !e.CallParameters().Has(name) {
			l.add(SeverityWarning, path, "the call omits the required parameter %q, and the answer passes it", clipText(name, 60))
		}
	}
}

func exampleJSON(e Example) string {
	return value.OfList(value.OfList(e.Conversation...), value.OfList(e.Tools...), e.Call, e.asWritten).JSON()
}

func (l *linter) length(path []string, v value.Value, limit int) {
	s, _ := v.Str()
	if n := utf8.RuneCountInString(s); n > limit {
		l.add(SeverityWarning, path, "%d characters, more than the %d that an answer may have", n, limit)
	}
	if v.Kind() == value.String && strings.TrimSpace(s) == "" {
		l.add(SeverityWarning, path, "empty: the example teaches judges to give no reasons")
	}
}

// record checks the parts of an example that stand in for a log.
func (l *linter) record(at []string, e Example) {
	tools := map[string]bool{}
	for j, t := range e.Tools {
		path := append(at[:len(at):len(at)], "tools_inventory", strconv.Itoa(j))
		name := toolName(t)
		if name == "" {
			l.add(SeverityError, path, "the tool has no name")
		}
		if tools[name] {
			l.add(SeverityWarning, path, "the tool %q stands twice", name)
		}
		tools[name] = true
	}
	for j, m := range e.Conversation {
		path := append(at[:len(at):len(at)], "conversation_context", strconv.Itoa(j))
		switch role := m.Field("role").Text(); role {
		case "user", "assistant", "system", "developer":
		case "tool", "function":
			if m.Field("name").Text() == "" && !m.Has("tool_call_id") {
				l.add(SeverityWarning, path, "the tool message does not name its tool")
			}
		default:
			l.add(SeverityWarning, path, "the role %q is none of system, user, assistant, tool", clipText(role, 40))
		}
	}
	if len(e.Conversation) == 0 {
		l.add(SeverityWarning, append(at[:len(at):len(at)], "conversation_context"), "the example has no conversation")
	}
}

// evidence checks that every quote of the evidence stands in the example.
func (l *linter) evidence(path []string, e Example) {
	text, ok := e.asWritten.Field(KeyEvidence).Str()
	if !ok {
		return
	}
	quotes := quotedParts(text)
	if len(quotes) == 0 && !strings.HasPrefix(strings.TrimSpace(text), "NONE:") {
		l.add(SeverityWarning, path, "no quote: quote the record, or begin with \"NONE:\" and say what is absent")
	}
	var sources [][]string
	for _, s := range exampleTexts(e) {
		sources = append(sources, words(s))
	}
	for _, q := range quotes {
		found := false
		for _, s := range sources {
			found = found || containsRun(s, words(q))
		}
		if !found {
			l.add(SeverityWarning, path, "the quote %q does not occur word for word in the example", clipText(q, 80))
		}
	}
}

// correction checks that a correction is empty, a whole call, or a patch of the
// judged call's parameters.
func (l *linter) correction(path []string, e Example) {
	c := e.asWritten.Field(KeyCorrection)
	if s, ok := c.Str(); ok {
		parsed, err := value.ParseString(s)
		if err != nil {
			l.add(SeverityWarning, path, "the correction is text that holds no JSON object")
			return
		}
		c = parsed
	}
	if c.Kind() != value.Object || c.Len() == 0 {
		return
	}
	params := parameterNames(e, e.CallName())
	if isCall(c) {
		name := c.Field("name").Text()
		if !slices.ContainsFunc(e.Tools, func(t value.Value) bool { return toolName(t) == name }) {
			l.add(SeverityWarning, append(path, "name"), "the correction calls %q, which is not in the inventory", clipText(name, 60))
			return
		}
		c, params = firstOf(c, "parameters", "arguments"), parameterNames(e, name)
	}
	if params == nil {
		return
	}
	for key := range c.Members() {
		if !slices.Contains(params, key) {
			l.add(SeverityWarning, path, "%q is no parameter of the tool, and the correction is no call {name, parameters}", clipText(key, 60))
		}
	}
}

func isCall(c value.Value) bool {
	_, named := c.Field("name").Str()
	return named && c.Len() == 2 && firstOf(c, "parameters", "arguments").Kind() == value.Object
}

func toolName(t value.Value) string {
	if f := t.Field("function"); f.Kind() == value.Object {
		t = f
	}
	return t.Field("name").Text()
}

// declared returns what a tool says of its parameters: a JSON Schema, or an object of
// names and shorthand types.
func declared(tool value.Value) value.Value {
	if f := tool.Field("function"); f.Kind() == value.Object {
		tool = f
	}
	return firstOf(tool, "parameters", "input_schema", "inputSchema")
}

// parameterNames returns the parameters of a tool of the example; nil when the tool is
// not in the inventory.
func parameterNames(e Example, tool string) []string {
	for _, t := range e.Tools {
		if toolName(t) != tool {
			continue
		}
		p := declared(t)
		if props := p.Field("properties"); props.Kind() == value.Object {
			p = props
		}
		names := []string{}
		for key := range p.Members() {
			names = append(names, key)
		}
		return names
	}
	return nil
}

// requiredParameters returns the parameters that a tool demands. Those in shorthand are
// demanded unless they say that they are optional.
func requiredParameters(tool value.Value) []string {
	p := declared(tool)
	var names []string
	if t := p.Field("type").Text(); p.Field("properties").Kind() == value.Object || t == "object" || t == "dict" {
		for _, name := range p.Field("required").Elements() {
			names = append(names, name.Text())
		}
		return names
	}
	for key, def := range p.Members() {
		text := strings.ToLower(def.Text())
		required, told := def.Field("required").BoolVal()
		if strings.Contains(text, "optional") || strings.HasSuffix(text, "?") || strings.Contains(text, "=") ||
			def.Has("default") || told && !required {
			continue
		}
		names = append(names, key)
	}
	return names
}

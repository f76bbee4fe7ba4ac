package rubrics

import (
	"cmp"
	"errors"
	"regexp"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/settings"
	"github.com/judgekit/judge/internal/value"
)

// common holds the keys that both forms have beside the schema.
type common struct {
	Scope         Scope   `json:"scope,omitempty" jsonschema:"enum=call,enum=result,enum=turn,enum=conversation"`
	Combine       Combine `json:"combine,omitempty" jsonschema:"enum=any,enum=all,enum=mean,enum=last"`
	When          string  `json:"when,omitempty"`
	Language      string  `json:"language,omitempty"`
	Sees          string  `json:"sees,omitempty" jsonschema:"enum=expected"`
	NotApplicable yesNo   `json:"not_applicable,omitempty"`
	Confidence    yesNo   `json:"confidence,omitempty"`
	Correction    yesNo   `json:"correction,omitempty"`
	WorstOf       string  `json:"worst_of,omitempty"`

	Guidelines []string `json:"guidelines,omitempty"`
	Retrieve   int      `json:"retrieve,omitempty" jsonschema:"minimum=1,maximum=20"`
	Aligned    *Aligned `json:"aligned,omitempty"`
}

// ReadNode reads the common keys and ignores all others.
func (c *common) ReadNode(n *settings.Node) {
	type fields common
	n.StructAnd((*fields)(c))
}

func (c *common) scope() Scope { return cmp.Or(c.Scope, ScopeCall) }

// needs reports whether an answer must have this property, which is one of the five.
func (c *common) needs(key string) bool {
	switch key {
	case KeyConfidence:
		return !c.Confidence.off()
	case KeyCorrection:
		return !c.Correction.off() && c.scope().OfCalls()
	}
	return true
}

// yesNo is a truth value, which a file may write as yes or no.
type yesNo struct{ given, yes bool }

func (y yesNo) off() bool { return y.given && !y.yes }

// ReadNode reads true, false, yes or no.
func (y *yesNo) ReadNode(n *settings.Node) {
	text := strings.ToLower(n.Text())
	if b, ok := n.BoolVal(); ok {
		*y = yesNo{true, b}
	} else if text == "yes" || text == "no" {
		*y = yesNo{true, text == "yes"}
	} else {
		n.Failf("", "want yes or no, got %s", value.Excerpt(n.JSON(), 40))
	}
}

// settings reads keys of the record into a tagged struct.
func (p *parser) settings(v value.Value, dst any) {
	problems, _ := errors.AsType[settings.Problems](settings.Decode(v, dst))
	for _, x := range problems {
		p.fail("/"+strings.NewReplacer("[", "/", "]", "", ".", "/").Replace(x.Path), "%s", x.Message)
	}
}

// languageText matches the name or the code of a language: de, pt-BR, German.
var languageText = regexp.MustCompile(`^\p{L}[\p{L} -]{1,30}$`)

// readCommon reads the common keys of the published form.
func (p *parser) readCommon(record value.Value) {
	c, r := &p.common, p.r
	p.settings(record, c)
	r.Scope, r.Combine, r.Language, r.SeesExpected = c.scope(), c.Combine, c.Language, c.Sees != ""
	r.Output.MayNotApply = c.NotApplicable.yes
	r.Guidelines, r.Retrieve, r.Aligned = c.Guidelines, c.Retrieve, c.Aligned
	for i, rule := range r.Guidelines {
		if strings.TrimSpace(rule) == "" || strings.ContainsAny(rule, "\n\r") {
			p.fail("/guidelines/"+strconv.Itoa(i), "a guideline is a text on one line")
		}
	}
	if !record.Field("when").IsNull() {
		when, err := parseWhen(c.When)
		if err != nil {
			p.fail("/when", "%v", err)
		}
		r.When = when
	}
	if r.SeesExpected && !strings.Contains(strings.ToLower(r.Name), "expected") {
		p.fail("/sees", "the judge is shown the expected calls or answer, and the name must say so wherever a score "+
			"stands: call it %s_expected", value.Excerpt(r.Name, 60))
	}
	if c.Language != "" && !languageText.MatchString(c.Language) {
		p.fail("/language", "want a language such as de or German, not %q", value.Excerpt(c.Language, 40))
	}
}

// combine checks the given way to combine segments, or chooses one by the kind of answer.
func (p *parser) combine() {
	r := p.r
	numbers := r.Output.Categories == nil
	switch c := r.Combine; {
	case r.Scope.OfCalls() && c != "":
		p.fail("/combine", "only turns and conversations are judged in segments; set scope, or remove combine")
	case r.Scope.OfCalls():
	case c == CombineMean && !numbers:
		p.fail("/combine", "categories have no mean; choose any, all or last")
	case (c == CombineAny || c == CombineAll) && r.Output.NoPass:
		p.fail("/combine", "%s needs pass: it says which answers pass", c)
	case c == "" && numbers:
		r.Combine = CombineMean
	case c == "" && r.Output.NoPass:
		r.Combine = CombineLast
	case c == "":
		r.Combine = CombineAll
	}
}

// English reports whether the rubric asks for explanations in English, or names no language.
func (r *Rubric) English() bool {
	low := strings.ToLower(r.Language)
	return low == "" || low == "en" || low == "english" || strings.HasPrefix(low, "en-")
}

// sameName reports whether two categories differ only in case and in signs between words.
func sameName(a, b string) bool { return plainName(a) == plainName(b) }

func plainName(s string) string {
	return strings.ToLower(strings.NewReplacer(" ", "", "_", "", "-", "", "/", "", ".", "").Replace(s))
}

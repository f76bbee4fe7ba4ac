package config

import (
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/settings"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges"
)

// This file has the types that have a form of their own in a file.

func (d *Duration) ReadNode(n *settings.Node) { n.Fill((*time.Duration)(d)) }

func (d Duration) MarshalJSON() ([]byte, error) { return json.Marshal(time.Duration(d).String()) }

// Retest says how judges are asked a second time; "" means not at all.
type Retest string

// The kinds of retest: the same again, or with together and alone exchanged: a judge that asks by
// one rubric at a time asks by all rubrics of a scope in one request, and the other way round.
const (
	RetestAgain    Retest = "true"
	RetestTogether Retest = "together"
)

func (r *Retest) ReadNode(n *settings.Node) {
	text := n.Text()
	if b, ok := n.BoolVal(); ok {
		text = strconv.FormatBool(b)
	}
	if err := r.Set(text); err != nil {
		n.Failf("", "%v", err)
	}
}

// Set parses true, false or together, as a flag.
func (r *Retest) Set(text string) error {
	switch text {
	case "false":
		text = ""
	case string(RetestAgain), string(RetestTogether):
	default:
		return errors.New("want true or together")
	}
	*r = Retest(text)
	return nil
}

func (r *Retest) String() string { return string(*r) }

// Type returns the name of the flag's value in help.
func (*Retest) Type() string { return "bool" }

func (r Retest) MarshalJSON() ([]byte, error) {
	if r == RetestTogether {
		return json.Marshal(string(r))
	}
	return json.Marshal(r == RetestAgain)
}

// refused is the type of a key that must not be given.
type refused struct{}

func (*refused) ReadNode(n *settings.Node) {
	n.Failf("", "keys do not belong in a file; put the name of an environment variable under api_key_env")
}

// Param is one header or query parameter, as written.
type Param struct{ Name, Value string }

// Params are headers, or the parameters of a query.
type Params []Param

var (
	wholeVariable = regexp.MustCompile(`^[A-Z_][A-Z0-9_]*$`)
	oneVariable   = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)
)

// Expand returns the value with its environment variables replaced, and their names in order.
func (p Param) Expand(getenv func(string) string) (text string, names []string) {
	if wholeVariable.MatchString(p.Value) {
		return getenv(p.Value), []string{p.Value}
	}
	text = oneVariable.ReplaceAllStringFunc(p.Value, func(ref string) string {
		name := ref[len("${") : len(ref)-1]
		names = append(names, name)
		return getenv(name)
	})
	return text, names
}

// secretWords are words in the names of headers and parameters that hold a key.
var secretWords = []string{
	"key", "apikey", "token", "secret", "auth", "authorization", "password", "cookie", "sig", "signature",
	"credential", "credentials",
}

// secret reports whether the name is usual for a key.
func (p Param) secret() bool {
	words := strings.FieldsFunc(strings.ToLower(p.Name), func(c rune) bool { return strings.ContainsRune("-_.", c) })
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(secretWords, w) })
}

func (list *Params) ReadNode(n *settings.Node) {
	n.Each(func(name string, n *settings.Node) {
		p := Param{Name: name, Value: n.Text()}
		_, variables := p.Expand(func(string) string { return "" })
		switch {
		case p.Value == "":
			n.Failf("", "want text, with ${NAME} for an environment variable")
		case p.secret() && len(variables) == 0:
			n.Failf("", "keys do not belong in a file; put one into an environment variable and write ${NAME} here")
		}
		*list = append(*list, p)
	})
}

func (list Params) MarshalJSON() ([]byte, error) {
	return mapping(list, func(p Param) (name, text string) { return p.Name, p.Value })
}

// mapping returns a list as an object in the list's order.
func mapping[T any](list []T, member func(T) (name, text string)) ([]byte, error) {
	members := make([]value.Member, len(list))
	for i, item := range list {
		name, text := member(item)
		members[i] = value.Member{Key: name, Value: value.OfString(text)}
	}
	return value.OfObject(members...).MarshalJSON()
}

// Thresholds are low or low..high by rubric, in the order of the file.
type Thresholds []report.Threshold

func (list *Thresholds) ReadNode(n *settings.Node) {
	n.Each(func(name string, n *settings.Node) {
		t, err := report.ParseThreshold(name + "=" + n.Text())
		if err != nil {
			n.Failf("", "%v", err)
		}
		*list = append(*list, t)
	})
}

func (list Thresholds) MarshalJSON() ([]byte, error) {
	return mapping(list, func(t report.Threshold) (name, text string) { return t.Name, t.String()[len(t.Name)+1:] })
}

func (w *Weights) ReadNode(n *settings.Node) {
	if text, ok := n.Str(); ok {
		w.File = text
		return
	}
	w.ByJudge = map[string]float64{}
	n.Each(func(judge string, n *settings.Node) {
		weight, ok := n.Float64()
		if !ok || weight < 0 || weight > 1 {
			n.Failf("", "want a number from 0 to 1")
		}
		w.ByJudge[judge] = weight
	})
}

func (w Weights) MarshalJSON() ([]byte, error) {
	if w.File != "" {
		return json.Marshal(w.File)
	}
	return json.Marshal(w.ByJudge)
}

func (s *Scorer) ReadNode(n *settings.Node) {
	s.Purpose, s.Config = "score", value.OfObject()
	if text, ok := n.Str(); ok {
		s.Type = text
		return
	}
	// A scorer's settings are under config or beside type; its constructor checks them.
	s.Config = n.StructAnd(s)
	if block := n.Get("config"); block != nil {
		block.Each(func(name string, n *settings.Node) { s.Config = s.Config.With(name, n.Value) })
	}
}

func (s Scorer) MarshalJSON() ([]byte, error) {
	type plain Scorer
	if s.Purpose == "score" {
		s.Purpose = ""
	}
	if s.Config.Len() == 0 {
		s.Config = value.Value{}
	}
	return json.Marshal(plain(s))
}

func (j *Judge) ReadNode(n *settings.Node) {
	if text, ok := n.Str(); ok {
		j.Model = text
		return
	}
	n.Struct(j)
	if at := n.Get("examples"); at != nil {
		j.Examples = examples(at)
	}
	if at := n.Get("datamarking"); at != nil {
		j.Datamarking = marker(at)
	}
	if at := n.Get("together"); at != nil && j.Together && j.Layout != "" {
		at.Failf("", "together has an order of its own; remove layout")
	}
	if at := n.Get("samples"); at != nil && j.ScoreMethod != "self_consistency" {
		at.Failf("", "goes with score_method: self_consistency only")
	}
	if at := n.Get("extra"); at != nil {
		at.Each(func(name string, n *settings.Node) { j.Extra = j.Extra.With(name, n.Value) })
	}
	// Settings without a field are stored with the extra fields: top_p, and sampling settings that
	// are null and therefore not sent.
	if j.TopP != nil {
		j.Extra, j.TopP = j.Extra.With("top_p", value.OfFloat(*j.TopP)), nil
	}
	for _, name := range [...]string{"temperature", "top_p", "seed", "max_tokens"} {
		if n.Has(name) && n.Field(name).IsNull() {
			j.Extra = j.Extra.With(name, value.Value{})
		}
	}
}

// examples reads the setting for a rubric's examples: where to put them, or how many.
func examples(n *settings.Node) string {
	text := n.Text()
	if count, err := strconv.Atoi(text); err == nil && count >= 0 {
		return strconv.Itoa(count)
	}
	n.OneOf(text, []string{"messages", "prompt", "none"})
	return text
}

// marker reads true, false, or the sign.
func marker(n *settings.Node) string {
	on, isBool := n.BoolVal()
	sign, isText := n.Str()
	switch {
	case isBool && on:
		return judges.DefaultMarker
	case isBool:
		return ""
	case !isText || sign == "":
		n.Failf("", "want true, false or one symbol to stand between words")
		return ""
	}
	if err := judges.CheckMarker(sign); err != nil {
		n.Failf("", "%v", err)
	}
	return sign
}

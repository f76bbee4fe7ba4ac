package planted

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// site is a base call, with methods for what operators ask about it.
type site struct {
	*Base
	cfg    *Config
	c      *transcript.Conversation
	call   *transcript.Call
	tool   *transcript.Tool // nil if it is not in the inventory
	record []string         // the texts before the call, in lower case
	// refused says why the last mutant was discarded.
	refused string
}

func newSite(b *Base, cfg *Config) *site {
	s := &site{Base: b, cfg: cfg, c: b.Conversation}
	s.call = &s.c.Calls[b.Call]
	s.tool = transcript.FindTool(s.c.Tools, s.call.Name)
	s.record = texts(s.c, s.c.Messages[:s.call.Message])
	return s
}

// texts returns the texts of messages and the arguments of their calls.
func texts(c *transcript.Conversation, messages []transcript.Message) (out []string) {
	for i := range messages {
		m := &messages[i]
		out = append(out, strings.ToLower(m.Content))
		for _, k := range m.Calls {
			out = append(out, strings.ToLower(c.Calls[k].RawArguments))
		}
	}
	return out
}

// occurs reports whether some text contains a value as a separate word.
func occurs(list []string, text string) bool {
	text = strings.ToLower(text)
	return text != "" && slices.ContainsFunc(list, func(in string) bool {
		for from := 0; ; {
			at := strings.Index(in[from:], text)
			if at < 0 {
				return false
			}
			at += from
			if !wordAt(in[:at], true) && !wordAt(in[at+len(text):], false) {
				return true
			}
			from = at + 1
		}
	})
}

// wordAt reports whether a text ends, or begins, with a letter or digit.
func wordAt(s string, end bool) bool {
	at, _ := utf8.DecodeRuneInString(s)
	if end {
		at, _ = utf8.DecodeLastRuneInString(s)
	}
	return unicode.IsLetter(at) || unicode.IsDigit(at)
}

// choose returns a number below n that depends on the seed, the base and a purpose.
func (s *site) choose(purpose string, n int) int {
	return int(hash(s.cfg.Seed, s.c.ID, fmt.Sprint(s.Call), purpose) % uint64(n))
}

// shuffled returns a list in an order that depends on the seed, the base and a purpose.
func shuffled[T any](s *site, purpose string, list []T) []T {
	out := slices.Clone(list)
	for i := len(out) - 1; i > 0; i-- {
		k := s.choose(fmt.Sprint(purpose, i), i+1)
		out[i], out[k] = out[k], out[i]
	}
	return out
}

// spot is a text or number in the arguments: an argument, or an element of one that is a list.
type spot struct {
	key string
	at  int // -1 for the argument itself
	v   value.Value
}

func (p spot) text() string { return plainText(p.v) }

// plainText returns a text unchanged, and any other value as JSON.
func plainText(v value.Value) string {
	if text, ok := v.Str(); ok {
		return text
	}
	return v.JSON()
}

// spots returns the texts and numbers in the arguments.
func (s *site) spots() (out []spot) {
	simple := func(v value.Value) bool { return v.IsNumber() || v.Kind() == value.String && v.Text() != "" }
	for key, v := range s.call.Arguments.Members() {
		if simple(v) {
			out = append(out, spot{key, -1, v})
		}
		if v.IsList() {
			for i, e := range v.Elements() {
				if simple(e) {
					out = append(out, spot{key, i, e})
				}
			}
		}
	}
	return out
}

// grounded returns the spots whose value occurs in the record before the call.
func (s *site) grounded(purpose string) []spot {
	return slices.DeleteFunc(shuffled(s, purpose, s.spots()), func(p spot) bool {
		return !occurs(s.record, p.text()) || p.v.Kind() == value.String && len(p.text()) < 2
	})
}

// with returns the arguments with another value at a spot.
func (s *site) with(p spot, v value.Value) value.Value {
	if p.at < 0 {
		return s.call.Arguments.With(p.key, v)
	}
	n := -1
	return s.call.Arguments.With(p.key, s.call.Arguments.Field(p.key).Each(func(_ string, e value.Value) value.Value {
		if n++; n == p.at {
			return v
		}
		return e
	}))
}

// refuse records why there is no mutant. It returns nil.
func (s *site) refuse(why string) []Variant {
	s.refused = why
	return nil
}

// changed returns the mutant with another name or other arguments; nothing if it may be right.
// keeps says that the arguments must match the tool's schema; otherwise they must break it.
func (s *site) changed(plan Plan, name string, args value.Value, keeps bool) []Variant {
	tool := transcript.FindTool(s.c.Tools, name)
	if tool == nil {
		return s.refuse("the tool has no definition")
	}
	if broken := s.cfg.SchemaError(tool, args) != ""; broken == keeps {
		return s.refuse(map[bool]string{true: "it breaks the schema", false: "the schema allows it"}[keeps])
	}
	if why := s.right(tool, args); why != "" {
		return s.refuse(why)
	}
	plan.Right = value.Pairs("name", s.call.Name, "parameters", s.call.Arguments)
	return []Variant{s.calling(plan, name, args)}
}

// right says why a changed call may be right; "" if it is not.
func (s *site) right(tool *transcript.Tool, args value.Value) string {
	full, original := withDefaults(tool, args), withDefaults(tool, s.call.Arguments)
	if tool.Name == s.call.Name && similar(full, original) {
		if value.Equal(args, s.call.Arguments) || !value.Equal(full, original) {
			return "it is equivalent to the original"
		}
		return "it is a default of the schema"
	}
	for i := range s.c.Calls {
		if o := &s.c.Calls[i]; o.Name == tool.Name && similar(withDefaults(tool, o.Arguments), full) {
			return "the conversation makes this call too"
		}
	}
	if s.c.Expected != nil {
		for i := range s.c.Expected.Calls {
			if allows(&s.c.Expected.Calls[i], tool, full) {
				return "it is another expected call"
			}
		}
	}
	return ""
}

// withDefaults adds the defaults of a schema to arguments that lack them.
func withDefaults(tool *transcript.Tool, args value.Value) value.Value {
	for key, p := range tool.Parameters.Field("properties").Members() {
		if d, ok := p.Get("default"); ok && !args.Has(key) && args.Kind() == value.Object {
			args = args.With(key, d)
		}
	}
	return args
}

// similar reports whether two values differ only in the case, blanks and punctuation of texts.
func similar(a, b value.Value) bool { return value.Equal(normal(a), normal(b)) }

func normal(v value.Value) value.Value {
	switch {
	case v.Kind() == value.String:
		return value.OfString(strings.Map(func(r rune) rune {
			if !unicode.IsLetter(r) && !unicode.IsDigit(r) && strings.ContainsRune(" ,./-_*^", r) {
				return -1
			}
			return unicode.ToLower(r)
		}, v.Text()))
	case v.IsList() || v.Kind() == value.Object:
		return v.Each(func(_ string, e value.Value) value.Value { return normal(e) })
	}
	return v
}

// allows reports whether an expected call allows arguments.
func allows(e *transcript.ExpectedCall, tool *transcript.Tool, args value.Value) bool {
	if e.Name != tool.Name {
		return false
	}
	if e.Allowed.IsNull() {
		wanted := withDefaults(tool, e.Arguments)
		for _, key := range e.Compare {
			if !similar(args.Field(key), wanted.Field(key)) {
				return false
			}
		}
		return e.Compare != nil || similar(args, wanted)
	}
	for key, v := range args.Members() {
		list, declared := e.Allowed.Get(key)
		if !declared || !contains(list, v) {
			return false
		}
	}
	for key, list := range e.Allowed.Members() {
		if !args.Has(key) && !contains(list, value.OfString("")) {
			return false
		}
	}
	return true
}

func contains(list, v value.Value) bool {
	for _, e := range list.Elements() {
		if similar(e, v) {
			return true
		}
	}
	return false
}

package format

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pb33f/jsonpath/pkg/jsonpath"
	"github.com/pb33f/jsonpath/pkg/jsonpath/config"
	"go.yaml.in/yaml/v4"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// Mapped is the name of the format that a Mapping describes. If it is given as Options.Format with
// a mapping, a suspicious reading is accepted.
const Mapped = "mapped"

// Mapping says where the records of a log in an unknown format keep the parts of a conversation: a
// JSONPath (RFC 9535) for each target. Paths of records and of targets without a dot start at the
// record; those of message.… start at the message, those of call.… at the call.
type Mapping struct {
	// names lists the targets, sorted.
	names []string
	paths map[string]*query
	// roles adds words for roles to the usual ones.
	roles map[string]transcript.Role
}

// query is a compiled JSONPath.
type query struct {
	text string
	*jsonpath.JSONPath
}

// mapTargets returns the targets of a Mapping with their meanings. A name that ends in a dot is the
// beginning of targets: labels.human, role.shopbot.
func mapTargets() [][2]string {
	return [][2]string{
		{"messages", "the messages of a conversation, or the list of them (needed without group)"},
		{"records", "the conversations, if they are neither lines nor the elements of the log's list"},
		{"group", "which conversation a record belongs to: records with the same value are one conversation"},
		{"id", "the id of the conversation"},
		{"tools", "the inventory"},
		{"system", "a system prompt outside the messages"},
		{"expected", "the calls that should have been made"},
		{"labels.", "an outcome known from elsewhere"},
		{"sample.", "a field for templates"},
		{"role.", "system, user, assistant or tool: what a word for a role means"},
		{"message.role", "who wrote a message"},
		{"message.content", "its text or parts"},
		{"message.calls", "its calls"},
		{"message.user", "what the user said first, if an element is a whole turn"},
		{"message.reply", "what the agent answered at last, if an element is a whole turn"},
		{"message.call_id", "the id of the call that it answers"},
		{"call.id", "the id of a call"},
		{"call.name", "the name of its tool"},
		{"call.arguments", "its arguments"},
		{"call.result", "its result"},
	}
}

// ParseMapping parses targets and their paths. A path without a "$" is the name of a key. Errors
// name the wrong target.
func ParseMapping(targets map[string]string) (*Mapping, error) {
	m := &Mapping{names: slices.Sorted(maps.Keys(targets)), paths: map[string]*query{},
		roles: map[string]transcript.Role{}}
	for _, name := range m.names {
		if err := m.add(name, targets[name]); err != nil {
			return nil, err
		}
	}
	if m.paths["messages"] == nil && m.paths["group"] == nil {
		return nil, fmt.Errorf("messages: a mapping must say where the messages are, or with group that each record is one")
	}
	return m, nil
}

func (m *Mapping) add(name, text string) error {
	known := false
	var all []string
	for _, t := range mapTargets() {
		family := strings.HasSuffix(t[0], ".")
		known = known || t[0] == name && !family || family && strings.HasPrefix(name, t[0]) && name != t[0]
		all = append(all, t[0]+map[bool]string{true: "NAME"}[family])
	}
	if !known {
		return fmt.Errorf("%s: no such target; the targets are %s", name, strings.Join(all, ", "))
	}
	if word, ok := strings.CutPrefix(name, "role."); ok {
		role := transcript.Role(text)
		switch role {
		case transcript.System, transcript.User, transcript.Assistant, transcript.ToolRole:
		default:
			return fmt.Errorf("%s: a role is system, user, assistant or tool, not %s", name, value.Quote(text))
		}
		m.roles[word] = role
		return nil
	}
	full := text
	if !strings.HasPrefix(text, "$") {
		full = "$." + text
	}
	compiled, err := jsonpath.NewPath(full, config.WithStrictRFC9535())
	if err != nil {
		return fmt.Errorf("%s: %s is no JSONPath: %w", name, value.Quote(text), firstLine(err))
	}
	m.paths[name] = &query{text, compiled}
	return nil
}

// firstLine returns an error without the picture that the library draws below the message.
func firstLine(err error) error {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return fmt.Errorf("%s", line)
}

// format returns the format that the mapping describes.
func (m *Mapping) format() *format {
	f := &format{name: Mapped, mark: "--map", read: m.read}
	records, group := m.paths["records"], m.paths["group"]
	if messages := m.paths["messages"]; messages != nil && strings.HasPrefix(messages.text, "$[") && records == nil {
		f.bare = func(value.Value) bool { return true }
	}
	if records == nil && group == nil {
		return f
	}
	f.bare = func(value.Value) bool { return records != nil && strings.HasPrefix(records.text, "$[") }
	f.parts = func(v value.Value, add func(part)) {
		found := []value.Value{v}
		if records != nil {
			found = records.all(v)
		}
		for _, r := range found {
			add(part{alone: group == nil, conversation: m.one("group", r).Text(), text: r.JSON()})
		}
	}
	f.read = func(d *draft, list value.Value) error { return m.readAll(d, list.Slice()) }
	return f
}

// read reads one record.
func (m *Mapping) read(d *draft, v value.Value) error { return m.readAll(d, []value.Value{v}) }

// readAll reads the records of one conversation.
func (m *Mapping) readAll(d *draft, records []value.Value) error {
	first := records[0]
	var messages []value.Value
	for _, v := range records {
		found := []value.Value{v}
		if m.paths["messages"] != nil {
			found = m.list("messages", v)
		}
		for _, e := range found {
			messages = append(messages, m.messages(e)...)
		}
	}
	if len(messages) == 0 {
		return wrong("", "messages=%s finds nothing in this record (%s)", m.paths["messages"].text, outline(first))
	}
	d.say(transcript.System, m.one("system", first).Text(), "system")
	return d.readChat(m.record(first).With("messages", value.OfList(messages...)))
}

// record returns, in the native form, what a record contains besides messages.
func (m *Mapping) record(v value.Value) value.Value {
	var o, labels, sample value.Fields
	o.Text("id", cmp.Or(m.one("id", v).Text(), m.one("group", v).Text()))
	if tools := m.list("tools", v); len(tools) > 0 {
		o.Set("tools", value.OfList(tools...))
	}
	if m.paths["expected"] != nil {
		o.Set("expected_calls", value.OfList(m.list("expected", v)...))
	}
	for _, name := range m.names {
		if label, ok := strings.CutPrefix(name, "labels."); ok {
			labels.Set(label, plainScalar(m.one(name, v)))
		}
		if field, ok := strings.CutPrefix(name, "sample."); ok {
			sample = append(sample, value.Member{Key: field, Value: m.one(name, v)})
		}
	}
	o.Set("labels", labels.Object())
	o.Set("sample", sample.Object())
	return value.OfObject(o...)
}

// plainScalar returns the number or bool in a text, because cells of tables are texts.
func plainScalar(v value.Value) value.Value {
	if s, ok := v.Str(); ok {
		if inner, err := value.ParseString(s); err == nil && (inner.IsNumber() || inner.Kind() == value.Bool) {
			return inner
		}
	}
	return v
}

// messages returns the messages of an element: the element itself, or those of the turn that it is.
func (m *Mapping) messages(v value.Value) (out []value.Value) {
	say := func(role transcript.Role, target string) {
		if text := m.one(target, v); !text.IsNull() {
			out = append(out, value.Pairs("role", string(role)).With("content", text))
		}
	}
	turn := m.paths["message.user"] != nil || m.paths["message.reply"] != nil
	say(transcript.User, "message.user")
	if e := m.message(v); !turn {
		out = append(out, e)
	} else if calls := e.Field("tool_calls"); calls.Len() > 0 {
		out = append(out, value.Pairs("role", string(transcript.Assistant)).With("tool_calls", calls))
	}
	say(transcript.Assistant, "message.reply")
	return out
}

// message converts a message to the usual keys.
func (m *Mapping) message(v value.Value) value.Value {
	out := v.Without(m.plain("message.role", "message.content", "message.calls", "message.call_id")...)
	set := func(key string, found value.Value) {
		if !found.IsNull() {
			out = out.With(key, found)
		}
	}
	role, known := m.role(m.one("message.role", v).Text())
	if !known {
		role, known = m.role(roleWord(v, v))
	}
	switch listed := m.paths["message.calls"] != nil && m.paths["message.role"] == nil; {
	case known:
		set("role", value.OfString(string(role)))
	case listed && roleWord(v, v) == "": // only the agent's messages list calls
		set("role", value.OfString(string(transcript.Assistant)))
	default:
		set("role", m.one("message.role", v))
	}
	if m.paths["message.content"] != nil {
		out = out.Without(contentKeys...)
		set("content", m.one("message.content", v))
	}
	set("tool_call_id", m.one("message.call_id", v))
	switch {
	case m.paths["message.calls"] != nil:
		out = out.Without(callListKeys...)
		set("tool_calls", value.OfList(m.calls(m.list("message.calls", v))...))
	case known && role == transcript.ToolRole:
		if !out.HasAny(contentKeys...) {
			set("content", m.one("call.result", v))
		}
	case m.one("call.name", v).Text() != "": // the element is a call itself
		out = value.Pairs("role", string(transcript.Assistant)).With("content", out.Field("content")).
			With("tool_calls", value.OfList(m.calls([]value.Value{v})...))
	}
	return out
}

// role returns the role for a word: from the mapping, or else by its usual meaning.
func (m *Mapping) role(word string) (transcript.Role, bool) {
	if role, ok := m.roles[word]; ok {
		return role, true
	}
	if role, ok := roleOf(word); ok {
		return role, true
	}
	kind := kindOfWord(word)
	return roleOfEvent(kind), kind != otherEvent
}

// plain returns the targets' paths as keys, without the "$." before them.
func (m *Mapping) plain(targets ...string) []string {
	var keys []string
	for _, target := range targets {
		if q := m.paths[target]; q != nil {
			keys = append(keys, strings.TrimPrefix(q.text, "$."))
		}
	}
	return keys
}

// calls converts calls to the usual keys.
func (m *Mapping) calls(list []value.Value) []value.Value {
	known := [][]string{callIDKeys, callNameKeys, argumentKeys, bothResultKeys}
	for i, c := range list {
		out := c
		for k, target := range []string{"id", "name", "arguments", "result"} {
			if m.paths["call."+target] != nil {
				out = out.Without(known[k]...)
			}
		}
		for _, target := range []string{"id", "name", "arguments", "result"} {
			if found := m.one("call."+target, c); !found.IsNull() {
				out = out.With(target, found)
			}
		}
		list[i] = out
	}
	return list
}

// list returns what a target finds: several values, or the elements of one list, which may be JSON in a text.
func (m *Mapping) list(target string, v value.Value) []value.Value {
	found := m.paths[target].all(v)
	if len(found) == 1 {
		one := found[0].Decoded()
		if !one.IsList() {
			return []value.Value{one}
		}
		found = nil
		for _, e := range one.Elements() {
			found = append(found, e.Decoded())
		}
	}
	return found
}

// one returns the first value that a target finds; null if none.
func (m *Mapping) one(target string, v value.Value) value.Value {
	return value.OfList(m.paths[target].all(v)...).Head().Decoded()
}

// all returns the values that the path finds, in the order of the record, with their digits; none
// without a path.
func (p *query) all(v value.Value) []value.Value {
	if p == nil {
		return nil
	}
	of := map[*yaml.Node]value.Value{}
	var out []value.Value
	for _, n := range p.Query(nodeOf(v, of)) {
		out = append(out, of[n])
	}
	return out
}

var nodeTags = map[value.Kind]string{
	value.Null: "!!null", value.Bool: "!!bool", value.Int: "!!int", value.Float: "!!float", value.String: "!!str",
	value.Object: "!!map", value.List: "!!seq", value.Tuple: "!!seq",
}

// nodeOf converts a value to the form in which paths are evaluated, and remembers the value of each node.
func nodeOf(v value.Value, of map[*yaml.Node]value.Value) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Value: v.Text()}
	of[n] = v
	n.Tag = nodeTags[v.Kind()]
	switch v.Kind() {
	case value.Null:
		n.Value = "null"
	case value.Bool, value.Int, value.Float, value.String:
	case value.Object:
		n.Kind, n.Value = yaml.MappingNode, ""
		for key, val := range v.Members() {
			n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key}, nodeOf(val, of))
		}
	default:
		n.Kind, n.Value = yaml.SequenceNode, ""
		for _, e := range v.Elements() {
			n.Content = append(n.Content, nodeOf(e, of))
		}
	}
	return n
}

// outline describes a record in a few words.
func outline(v value.Value) string {
	if v.Kind() == value.Object {
		return "its keys are " + v.KeyList()
	}
	return "it is " + v.Kind().WithArticle()
}

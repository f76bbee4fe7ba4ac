package format

import (
	"slices"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// inventory is a parsed list of tools. It is kept to avoid parsing the same list again, because
// logs repeat it on every line.
type inventory struct {
	raw   string
	tools []transcript.Tool
	names map[string]bool
	notes []transcript.Note
}

func newInventory(raw string, tools []transcript.Tool, notes []transcript.Note) *inventory {
	names := make(map[string]bool, len(tools))
	for _, t := range tools {
		names[t.Name] = true
	}
	return &inventory{raw, tools, names, notes}
}

func (in *inventory) has(name string) bool { return in != nil && in.names[name] }

// useTools sets the inventory. If the list is the same as in the previous record, it is not parsed again.
func (d *draft) useTools(v value.Value) {
	if v.IsNull() {
		return
	}
	if raw := v.Raw(); d.inventory == nil || d.inventory.raw != raw {
		tools, notes := parseTools(v)
		d.inventory = newInventory(raw, tools, notes)
	}
	d.Tools = d.inventory.tools
	for _, n := range d.inventory.notes {
		d.note(n.Kind, n.Place, n.Detail)
	}
}

// moreTools adds tools that appear later in the conversation.
func (d *draft) moreTools(v value.Value) {
	more, notes := parseTools(v)
	for _, n := range notes {
		d.note(n.Kind, n.Place, n.Detail)
	}
	d.addTools(more)
}

// addTools adds the tools with new names.
func (d *draft) addTools(more []transcript.Tool) {
	tools := slices.Clone(d.Tools)
	for _, t := range more {
		if len(d.Tools) == 0 || !d.inventory.has(t.Name) {
			tools = append(tools, t)
		}
	}
	if len(tools) > len(d.Tools) {
		d.Tools, d.inventory = tools, newInventory("", tools, nil)
	}
}

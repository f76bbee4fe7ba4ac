package planted

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// changesOf returns the names of a site's harmless changes.
func changesOf(s *site) (names []string) {
	for _, v := range s.equivalents() {
		names = append(names, v.Operator)
	}
	return names
}

// TestChangesFit: a change is made only if it changes something and the call still keeps its schema. An id is renamed
// if it has at least five letters and digits of ASCII, with hyphens and underscores.
func TestChangesFit(t *testing.T) {
	plain := []string{"tool_order", "longer_record"}
	renamed := append(plain[:2:2], "renamed_ids")
	for _, tt := range []struct {
		harbour string // the only argument of the call
		want    []string
	}{
		{"Visby", plain}, {"VB-10", renamed}, {"VB_104", renamed}, {"VB104", renamed}, {"VB-1", plain},
		{"VB/104", plain},
		{"VÅ-104", plain}, {"10423", plain}, {"VB104\u007f", plain},
	} {
		p := planter(1, 0)
		base := Base{Conversation: parse(t, strings.ReplaceAll(booking, "Visby", tt.harbour)), Call: 0}
		if d := cmp.Diff(tt.want, changesOf(newSite(&base, &p.cfg))); d != "" {
			t.Errorf("%s: %s", tt.harbour, d)
		}
	}
	refuses := func(*transcript.Tool, value.Value) string { return "no" }
	for _, tt := range []struct {
		name   string
		change func(s *site)
		want   []string
	}{
		{"as it is", func(*site) {}, []string{"argument_order", "tool_order", "number_form", "explicit_default",
			"longer_record", "renamed_ids"}},
		{"another form breaks the schema", func(s *site) { s.cfg.SchemaError = refuses },
			[]string{"argument_order", "tool_order", "longer_record", "renamed_ids"}},
		{"no definition", func(s *site) { s.tool = nil },
			[]string{"argument_order", "tool_order", "longer_record", "renamed_ids"}},
		{"nothing but two whole numbers", func(s *site) { s.call.Arguments = value.Pairs("length", 9, "power", 1) },
			[]string{"argument_order", "tool_order", "number_form", "longer_record"}},
		{"a fraction", func(s *site) { s.call.Arguments = value.Pairs("length", 9.5, "power", true) },
			[]string{"argument_order", "tool_order", "longer_record"}},
		{"two tools", func(s *site) { s.c.Tools = s.c.Tools[:2] },
			[]string{"argument_order", "tool_order", "number_form", "explicit_default", "longer_record",
				"renamed_ids"}},
		{"one tool", func(s *site) { s.c.Tools = s.c.Tools[1:2] },
			[]string{"argument_order", "number_form", "explicit_default", "longer_record", "renamed_ids"}},
	} {
		s := siteOf(t, 1, "", "")
		if tt.name != "another form breaks the schema" {
			s.cfg.SchemaError = func(*transcript.Tool, value.Value) string { return "" }
		}
		tt.change(s)
		if d := cmp.Diff(tt.want, changesOf(s)); d != "" {
			t.Errorf("%s: %s", tt.name, d)
		}
	}
}

// TestLongerRecord: the greeting stands before the user's first message, after instructions; first of all if there is
// no user.
func TestLongerRecord(t *testing.T) {
	const greeting = `user "Hello, is anybody there?" true []`
	for name, tt := range map[string]struct {
		from, to string
		at       int
	}{
		"a user first": {"", "", 0},
		"instructions": {`"messages":[`, `"messages":[{"role":"system","content":"Be kind."},`, 1},
		"no user":      {`{"role":"user","content":"A berth`, `{"role":"system","content":"A berth`, 0},
	} {
		for _, v := range siteOf(t, 0, tt.from, tt.to).equivalents() {
			if got := messagesOf(v.conversation); v.Operator == "longer_record" && got[tt.at] != greeting {
				t.Errorf("%s: %q", name, got)
			}
		}
	}
}

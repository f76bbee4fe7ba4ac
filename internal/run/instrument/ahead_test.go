package instrument

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/llm/llmtest"
)

// TestDiscoverAhead: what is found out meanwhile is what Discover finds out, with its notes and its
// error, and an end in the middle leaves no request under way.
func TestDiscoverAhead(t *testing.T) {
	s := llmtest.Start(toolsOnly)
	defer s.Close()
	team := Team{Judges: []Judge{judgeAt(s.URL)}}
	list, want := team.Clone().Judges, team.Clone().Judges
	var notes []string
	if err := Discover(t.Context(), want, nil, nil, nil, func(line string) { notes = append(notes, line) }); err != nil {
		t.Fatal(err)
	}
	ahead := DiscoverAhead(t.Context(), &team, nil)
	defer ahead.End()
	err := ahead.Discover(list, nil, func(line string) {
		if len(notes) == 0 || notes[0] != line {
			t.Errorf("says %q, want %q", line, notes)
			return
		}
		notes = notes[1:]
	})
	if err != nil || len(notes) > 0 || team.Judges[0].Profile != nil {
		t.Errorf("%v, lacks %q", err, notes)
	}
	if d := cmp.Diff(want[0].Profile, list[0].Profile); d != "" || list[0].Config.Transport != want[0].Config.Transport {
		t.Errorf("asked by %s: %s", list[0].Config.Transport, d)
	}

	gone := Team{Judges: []Judge{judgeAt("http://127.0.0.1:1/v1")}}
	none := DiscoverAhead(t.Context(), &gone, nil)
	defer none.End()
	if err := none.Discover(list, nil, func(string) {}); err == nil || !strings.Contains(err.Error(), "127.0.0.1:1") {
		t.Errorf("a server that is not there: %v", err)
	}

	hang := llmtest.Start(llmtest.Always(llmtest.Text("yes").After(1 << 40)))
	defer hang.Close()
	slow := Team{Judges: []Judge{judgeAt(hang.URL)}}
	DiscoverAhead(t.Context(), &slow, nil).End()
	(*Ahead)(nil).End()
}

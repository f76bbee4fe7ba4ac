package run

import (
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/deterministic"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges"
)

// The facts do not depend on the scorers that the run reports, nor on their names.
func TestFactsWithoutTheirScorers(t *testing.T) {
	const log = `{"id":"c","tools":[{"name":"get","description":"d","parameters":{"type":"object","properties":{"id":{"type":"integer"}},"required":["id"]}}],` +
		`"messages":[{"role":"user","content":"get 7"},{"role":"assistant","content":"","tool_calls":[{"id":"1","type":"function","function":{"name":"get","arguments":"{\"id\":\"x\"}"}}]}],` +
		`"expected_calls":[{"name":"get","arguments":{"id":7}}]}` + "\n"
	base, _ := scriptedServer(t, func(a ask) says { return says{output: "5", correction: `{"id":9}`} })
	for name, scorers := range map[string][]deterministic.Config{
		"the default ones": nil,
		"others":           {{Type: "error_recovery"}},
		"renamed ones":     {{Type: "schema_check", Key: "shape"}, {Type: "expected_call_match", Key: "right"}},
		"names taken":      {{Type: "error_recovery", Key: "schema_check", Config: value.OfObject()}},
	} {
		p := teamPlan(t, base, "m")
		p.Scorers = scorers
		p.Logs = []input.Log{{Name: "l.jsonl", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(log)), nil }}}
		dir := filepath.Join(t.TempDir(), "run")
		if _, err := execute(t, p, dir, false); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		s := readScores(t, dir)[0]
		codes := ""
		for _, f := range s.Flags {
			codes += f.Code + " "
		}
		if !strings.Contains(codes, judges.FlagIgnoresSchema) || !strings.Contains(s.Details.JSON(), `"correction_matches_expected":false`) {
			t.Errorf("%s: flags %s, details %s", name, codes, s.Details.JSON())
		}
	}
}

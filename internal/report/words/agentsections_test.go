package words_test

import (
	"slices"
	"testing"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/reporttest"
	"github.com/judgekit/judge/internal/report/words"
)

// TestProbeSaysNothingOfTheAgent checks that a report's sections about the agent have the names by which a
// probe leaves them out.
func TestProbeSaysNothingOfTheAgent(t *testing.T) {
	names := func(r *report.Report) (out []string) {
		for _, s := range words.Page(r).Sections {
			out = append(out, s.Name)
		}
		return out
	}
	full, err := reporttest.Full()
	if err != nil {
		t.Fatal(err)
	}
	run := names(full)
	full.Probe = &report.Probe{}
	probe := names(full)
	for _, name := range words.AgentSections {
		if name == "Why calls fail" {
			continue // the page has it above its sections
		}
		if !slices.Contains(run, name) || slices.Contains(probe, name) {
			t.Errorf("section %q: in a run %t, in a probe %t; want it in the run only", name,
				slices.Contains(run, name), slices.Contains(probe, name))
		}
	}
	for _, name := range []string{words.ProbeName, "Confidence", "Flags", "Counts"} {
		if !slices.Contains(probe, name) {
			t.Errorf("a probe has no section %q", name)
		}
	}
}

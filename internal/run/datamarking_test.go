package run

import (
	"testing"

	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/judges"
)

// Datamarking is another instrument: in the run's identity, in the fingerprints of
// its requests, and in what the report calls the prompt, also of a panel.
func TestDatamarkingIsInTheIdentity(t *testing.T) {
	plain := setup{Task: Task{Team: instrument.Team{Judges: []instrument.Judge{{Config: judges.Config{Model: "a"}}, {Config: judges.Config{Model: "b"}}}}}}
	marked := setup{Task: Task{Team: instrument.Team{Judges: []instrument.Judge{
		{Config: judges.Config{Model: "a", Prompt: judges.Options{Marker: "^"}}}, {Config: judges.Config{Model: "b"}},
	}}}}
	before, parts := plain.identify(nil)
	after, changed := marked.identify(nil)
	if before == after || parts["judges"] == changed["judges"] || parts["prompt"] != changed["prompt"] {
		t.Errorf("%s %v, with datamarking %s %v", before, parts, after, changed)
	}
	if plain.PromptVersion(0) != judges.PromptVersion || marked.PromptVersion(0) == judges.PromptVersion || marked.PromptVersion(1) != judges.PromptVersion {
		t.Errorf("instruments %q %q", marked.PromptVersion(0), marked.PromptVersion(1))
	}
	team := instrument.Team{Judges: marked.Judges, Panels: []judges.Panel{{Name: "p", Members: []string{"a", "b"}}}}
	if got, want := team.Instruments()[2].Prompt, "panel, median: (a: "+judges.PromptVersion+" datamarking ^) (b: "+judges.PromptVersion+")"; got != want {
		t.Errorf("the panel's prompt is %q, want %q", got, want)
	}
}

// Trajectories of SWE-agent.
// Written by: SWE-agent (*.traj): {trajectory: [{action, observation, thought}], history: [message], info}.
// Read: 0.6 to 1.1 (2024 to 2026). A message of the history that holds an action and no call is a call of
// command, whose result is the next message: such agents write their commands into their texts.
// Lost: states, patches, messages of demonstrations.

package format

import (
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

var sweAgent = format{
	name: "swe-agent",
	mark: "a trajectory of actions with their observations, and a history",
	detect: of(func(f value.Value) bool {
		first := f.Field("trajectory").Head()
		return first.HasAll("action", "observation") &&
			(f.Has("environment") || first.HasAll("response", "state") || f.Field("history").Head().Has("role"))
	}),
	read: (*draft).readSWEAgent,
}

func (d *draft) readSWEAgent(v value.Value) error {
	if !v.Field("history").IsList() {
		return d.actionRecord(v)
	}
	d.Extra = foreign(v, "trajectory", "history", "replay_config")
	t := turns{draft: d}
	defer t.flush()
	ran := false // the previous message was a command
	err := d.objects(v.Field("history"), "history", "message", func(m value.Value, at string) error {
		if demo, _ := m.Field("is_demo").BoolVal(); demo {
			d.drop("message of a demonstration")
			return nil
		}
		action := m.Field("action").Text()
		isResult := ran && m.Field("role").Text() == "user"
		ran = action != "" && m.Field("tool_calls").Len() == 0
		said := members(m, "role", "content", "tool_calls").Object()
		switch {
		case isResult:
			return t.message(resultItem("", m.Field("content"), false), at)
		case ran:
			t.begin(transcript.Assistant, at)
			text, _ := m.First("thought", "content")
			t.text(text, at)
			t.part(callItem("", "command", value.Pairs("command", action)), at)
			return nil
		case m.Field("role").Text() == "tool":
			said = said.With("tool_call_id", m.Field("tool_call_ids").Head())
		}
		return t.message(said, at)
	})
	if steps := v.Field("trajectory"); ran && err == nil && steps.Len() > 0 {
		at := place("trajectory", steps.Len()-1)
		err = t.message(resultItem("", steps.At(steps.Len()-1).Field("observation"), false), at)
	}
	return err
}

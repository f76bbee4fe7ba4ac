// ATIF, the Agent Trajectory Interchange Format.
// Written by: Harbor and tools that export to it, one trajectory a file.
// Read: ATIF-v1.0 to v1.7 by the RFC of April 2026, and v1.8 as it is met; newer minor versions with a note,
// other major versions not at all.
// Lost: steps that were copied from an earlier trajectory; the trajectories of subagents are conversations of
// their own, references to other files are kept as they are.

package format

import (
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

var atif = format{
	name:   "atif",
	mark:   "schema_version ATIF-v…",
	detect: starts("schema_version", "ATIF-v"),
	read:   (*draft).readATIF,
	parts:  atifParts,
}

// atifParts separates a trajectory from those of its subagents.
func atifParts(v value.Value, add func(part)) {
	add(part{alone: true, text: v.Without("subagent_trajectories").JSON()})
	for _, sub := range v.Field("subagent_trajectories").Elements() {
		if !sub.Has("schema_version") {
			sub = sub.With("schema_version", v.Field("schema_version"))
		}
		atifParts(sub, add)
	}
}

func (d *draft) readATIF(list value.Value) error {
	v := list.Head()
	version := v.Field("schema_version").Text()
	minor, ok := strings.CutPrefix(version, "ATIF-v1.")
	if n, err := strconv.Atoi(minor); !ok || err != nil {
		return wrong("schema_version", "%s cannot be read: ATIF-v1 can", value.Quote(version))
	} else if n > 8 {
		d.note("newer_version", "schema_version", value.Quote(version)+" is newer than ATIF-v1.8, the newest that is known")
	}
	d.ID = v.FirstText("trajectory_id", "session_id")
	d.useTools(v.Field("agent").Field("tool_definitions"))
	d.Extra = foreign(v, "steps", "schema_version")
	t := turns{draft: d}
	defer t.flush()
	return d.objects(v.Field("steps"), "steps", "step", t.atifStep)
}

// atifStep reads a step: a message, its calls, and their results.
func (t *turns) atifStep(v value.Value, at string) error {
	if copied, _ := v.Field("is_copied_context").BoolVal(); copied {
		t.drop("copied step")
		return nil
	}
	m := v.Without("step_id", "source", "observation").With("role", v.Field("source"))
	if err := t.message(m, at); err != nil {
		return err
	}
	for i, r := range v.Field("observation").Field("results").Elements() {
		m := t.readResult(r, at+".observation."+place("results", i))
		m.Extra = messageExtra(r, transcript.ToolRole)
		t.answer(m, false)
	}
	return nil
}

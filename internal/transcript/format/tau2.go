// Results of τ²-bench.
// Written by: tau2's results.json: {info, tasks, simulations}, and files of one simulation.
// Read: tau2 up to 1.0 (2026), with calls of the user, rewards and checked actions.
// Lost: timings and costs.

package format

import (
	"cmp"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/transcript/container"
	"github.com/judgekit/judge/internal/value"
)

var tau2Results = format{
	name:   "tau2-results",
	mark:   "info of an environment, with tasks and simulations",
	detect: of(isTau2),
	read:   (*draft).readTau2,
	in:     container.Layout{List: "simulations", Shared: []string{"info", "tasks"}},
}

var tau2DirMeta = format{
	name:   "tau2-dir-meta",
	mark:   "info, tasks and simulation_index",
	detect: has("info", "tasks", "simulation_index"),
	advice: "it is the index of a directory, whose simulations are files beside it: give the directory",
}

var tau2Simulation = format{
	name: "tau2-simulation",
	mark: "task_id, termination_reason and messages or ticks",
	detect: of(func(f value.Value) bool {
		return f.HasAll("task_id", "termination_reason") && f.HasAny("messages", "ticks")
	}),
	read: (*draft).readTau2,
}

func isTau2(f value.Value) bool {
	info := f.Field("info")
	if info.Kind() == value.Object && f.Field("tasks").IsList() && f.Field("simulations").IsList() {
		return true
	}
	return !f.HasAll("info", "tasks", "simulation_index") &&
		(info.Has("environment_info") && f.HasAny("tasks", "simulations") || info.HasAll("user_info", "agent_info"))
}

// readTau2 reads one simulation of a result file {timestamp, info, tasks, simulations}. The policy, which the
// messages do not hold, becomes a first system message. Calls of the simulated user have the executor "user".
func (d *draft) readTau2(v value.Value) error {
	if s, ok := v.Str(); ok && d.shared.Has("info") {
		return wrong("", "%s", s) // tau2dir.go could not read it
	}
	if v.Kind() != value.Object {
		return wrong("", "a simulation must be an object and is %s", v.Kind().WithArticle())
	}
	d.task(v, "termination_reason")
	if id := v.Field("id").Text(); id != "" || v.Field("task_id").Text() == "" {
		d.ID = id
	}
	switch reason := v.Field("termination_reason").Text(); reason {
	case "infrastructure_error", "agent_error", "user_error", "unexpected_error":
		d.note("run_error", "termination_reason", reason)
	}
	d.Extra = foreign(v, "id", "task_id", "trial", "termination_reason", "messages")
	reward := v.Field("reward_info")
	if err := d.tau2Task(v.Field("task_id").Text(), reward); err != nil {
		return err
	}
	d.labelGiven("reward", reward.Field("reward"), "reward_info.reward")
	d.labelGiven("db_match", reward.Field("db_check").Field("db_match"), "reward_info.db_check.db_match")
	environment := d.shared.Field("info").Field("environment_info")
	d.useTools(environment.Field("tool_defs"))
	policy := cmp.Or(v.Field("policy").Text(), environment.Field("policy").Text())
	d.say(transcript.System, policy, "info.environment_info.policy")
	if v.Field("messages").IsNull() {
		for range v.Field("ticks").Elements() {
			d.drop("tick of a voice call")
		}
		return nil
	}
	t := turns{draft: d}
	defer t.flush()
	return d.objects(v.Field("messages"), "messages", "message", func(m value.Value, at string) error {
		if several := m.Field("tool_messages"); several.IsList() {
			return d.objects(several, at+".tool_messages", "message", t.tau2Message)
		}
		return t.tau2Message(m, at)
	})
}

// tau2Task sets the reference: the simulation's own, by which it was rewarded, or else its task's.
// If they differ, the file numbers its tasks in another way, and nothing of the task is used.
// Otherwise the whole task is in Extra.
func (d *draft) tau2Task(id string, reward value.Value) error {
	own, outputs := checked(reward, "action_checks", "action"), checked(reward, "communicate_checks", "info")
	var task value.Value
	for _, t := range d.shared.Field("tasks").Elements() {
		if t.Field("id").Text() == id {
			task = t
		}
	}
	criteria := task.Field("evaluation_criteria")
	actions, from := criteria.Field("actions"), "tasks."+id+".actions"
	switch {
	case task.IsNull() && own.Len() == 0 && d.shared.IsNull():
		return nil // a single simulation
	case task.IsNull() && own.Len() == 0:
		d.note("task_missing", "task_id", "the file has no task "+value.Quote(id)+": nothing is expected")
		return nil
	case task.IsNull():
	case own.Len() > 0 && !sameActions(own, actions):
		d.note(transcript.ReferenceConflict, "reward_info.action_checks", "the task "+value.Quote(id)+
			" of the file has other actions than those by which this simulation was rewarded, which are used")
	default:
		d.Extra = d.Extra.With("task", task)
		if outputs.Len() == 0 {
			outputs = criteria.Field("communicate_info")
		}
	}
	if own.Len() > 0 {
		actions, from = own, "reward_info.action_checks"
	}
	if !actions.IsList() {
		return nil
	}
	if err := d.actions(actions, from); err != nil {
		return err
	}
	d.outputs(outputs, "communicate_info")
	return nil
}

// checked returns what a reward's checks looked at.
func checked(reward value.Value, list, key string) value.Value {
	var out []value.Value
	for _, c := range reward.Field(list).Elements() {
		if v := c.Field(key); !v.IsNull() {
			out = append(out, v)
		}
	}
	return value.OfList(out...)
}

// sameActions compares the relevant parts of two lists of actions.
func sameActions(a, b value.Value) bool {
	if a.Len() != b.Len() {
		return false
	}
	for i := range a.Len() {
		for _, key := range []string{"name", "arguments", "requestor", "compare_args"} {
			if !value.Equal(a.At(i).Field(key), b.At(i).Field(key)) {
				return false
			}
		}
	}
	return true
}

// tau2Message reads one message. It is like chat, but a tool message's id is its call's id.
func (t *turns) tau2Message(v value.Value, at string) error {
	if v.Field("role").Text() == string(transcript.ToolRole) {
		v = v.With("tool_call_id", v.Field("id")).With("is_error", v.Field("error")).Without("id", "error")
	}
	return t.message(v, at)
}

package transcript

import (
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// readTau reads one element of a τ-bench result file: {task_id, trial, reward,
// info, traj}. The expected calls are info.task.actions, the texts that the user
// must have been told info.task.outputs. A run that crashed has no messages.
func (d *draft) readTau(v value.Value) error {
	if v.Kind() != value.Object {
		return wrong("", "a trajectory must be an object and is %s", article(v.Kind()))
	}
	traj, ok := v.Get("traj")
	if !ok {
		return wrong("traj", "the trajectory has no messages")
	}
	task, trial := v.Field("task_id"), v.Field("trial")
	d.ID = baseName(d.Source.File)
	if t := task.Text(); t != "" {
		d.ID += "/task-" + t
	}
	if t := trial.Text(); t != "" {
		d.ID += "/trial-" + t
	}
	d.Sample = value.OfObject(value.Member{Key: "task_id", Value: task}, value.Member{Key: "trial", Value: trial})
	if reward, given := v.Get("reward"); given {
		d.label("reward", reward, -1, "reward")
	}
	if err := d.tauInfo(v.Field("info")); err != nil {
		return err
	}
	d.Extra = foreign(v, "traj", "reward", "task_id", "trial")
	return d.chatMessages(traj, "traj")
}

// tauInfo reads the reference and the end of the run.
func (d *draft) tauInfo(info value.Value) error {
	if failure, ok := info.Get("error"); ok {
		d.note("run_error", "info.error", quote(failure.Python()))
	}
	task := info.Field("task")
	actions, ok := task.Get("actions")
	if !ok || actions.IsNull() {
		return nil
	}
	if !actions.IsList() {
		return wrong("info.task.actions", "this must be a list of calls and is %s", article(actions.Kind()))
	}
	if err := d.actions(actions, "info.task.actions"); err != nil {
		return err
	}
	d.outputs(task.Field("outputs"), "info.task.outputs")
	return nil
}

// actions sets the expected calls of τ-bench and τ². There an empty list says that the
// state must not change, not that no call is right: reading is allowed. The calls stay
// unknown.
func (d *draft) actions(list value.Value, at string) error {
	expected := d.expected()
	expected.Raw = list
	if list.Len() == 0 {
		d.note("expected_no_change", "actions", "the reference names no call: nothing may change, which calls are right is not known")
		return nil
	}
	expected.Calls = make([]ExpectedCall, 0, list.Len())
	for i, a := range list.Elements() {
		c, err := expectedCall(a, place(at, i))
		if err != nil {
			return err
		}
		expected.Calls = append(expected.Calls, c)
	}
	return nil
}

// tauEnded reports whether the run ended by itself: the user said that it stops, or the
// agent transferred it to a human.
func (d *draft) tauEnded() bool {
	for i := range d.Calls {
		if c := &d.Calls[i]; c.Name == "transfer_to_human_agents" && c.Result >= 0 && !c.Refused {
			return true
		}
	}
	if n := len(d.Messages); n > 0 {
		last := &d.Messages[n-1]
		return last.Role == User && strings.Contains(last.Content, "###STOP###")
	}
	return false
}

// Terminated says whether the run of the conversation ended by itself, where the log
// tells: by "terminated" among its keys (τ-bench logs get it from their last message),
// or by the termination_reason of τ².
func (c *Conversation) Terminated() (ended, known bool) {
	for _, keys := range []value.Value{c.Extra, c.Sample} {
		if ended, known = keys.Field("terminated").BoolVal(); known {
			return ended, true
		}
	}
	switch reason := c.Sample.Field("termination_reason").Text(); reason {
	case "":
		return false, false
	default:
		return reason == "user_stop" || reason == "agent_stop", true
	}
}

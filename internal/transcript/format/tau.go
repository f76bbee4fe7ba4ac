// Results of τ-bench.
// Written by: tau-bench's run.py: a list of {task_id, reward, info, traj}.
// Read: the published historical trajectories (2024), with the reward as a label and the task's actions as the
// reference.
// Lost: nothing of the messages; cost figures.

package format

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/transcript/container"
	"github.com/judgekit/judge/internal/value"
)

var tauBench = format{
	name:   "tau-bench-v1",
	mark:   "task_id and reward with traj or info",
	detect: of(isTau),
	read:   (*draft).readTau,
	bare:   func(value.Value) bool { return false },
	end:    func(d *draft) { d.Sample = d.Sample.With("terminated", value.OfBool(d.tauEnded())) },
}

func isTau(f value.Value) bool {
	return f.HasAll("task_id", "reward") && (f.Field("traj").IsList() || f.Field("info").Kind() == value.Object)
}

// readTau reads one element of a τ-bench result file: {task_id, trial, reward,
// info, traj}. The expected calls are info.task.actions, the texts that the user
// must give the user info.task.outputs. A run that crashed has no messages.
func (d *draft) readTau(v value.Value) error {
	traj, ok := v.Get("traj")
	if !ok {
		return wrong("traj", "the trajectory has no messages")
	}
	d.task(v)
	if reward, given := v.Get("reward"); given {
		d.label("reward", reward, -1, "reward")
	}
	info := v.Field("info")
	if failure, ok := info.Get("error"); ok {
		d.note("run_error", "info.error", value.Quote(failure.Python()))
	}
	if actions := info.Field("task").Field("actions"); !actions.IsNull() {
		if err := d.actions(actions, "info.task.actions"); err != nil {
			return err
		}
		d.outputs(info.Field("task").Field("outputs"), "info.task.outputs")
	}
	d.Extra = foreign(v, "traj", "reward", "task_id", "trial")
	return d.messageList(traj, "traj")
}

// task sets the id, and the sample: the task, the trial and the values of further keys.
func (d *draft) task(v value.Value, more ...string) {
	d.ID = baseName(d.Source.File)
	var sample []value.Member
	for _, key := range append([]string{"task_id", "trial"}, more...) {
		sample = append(sample, value.Member{Key: key, Value: v.Field(key)})
	}
	if t := v.Field("task_id").Text(); t != "" {
		d.ID += "/task-" + t
	}
	if t := v.Field("trial").Text(); t != "" {
		d.ID += "/trial-" + t
	}
	d.Sample = value.OfObject(sample...)
}

// actions sets the expected calls of τ-bench and τ². There, an empty list means that the state must not change,
// but not that no call is right, because reading is allowed: the expected calls stay unknown.
func (d *draft) actions(list value.Value, at string) error {
	if !list.IsList() || list.Len() > 0 {
		return d.reference(list, at)
	}
	d.expected().Raw = list
	d.note("expected_no_change", "actions",
		"the reference names no call: nothing may change, which calls are right is not known")
	return nil
}

// tauEnded reports whether the run ended by itself: the user ended it, or the agent transferred to a human.
func (d *draft) tauEnded() bool {
	for i := range d.Calls {
		if c := &d.Calls[i]; c.Name == "transfer_to_human_agents" && c.Result >= 0 && !c.Refused {
			return true
		}
	}
	if n := len(d.Messages); n > 0 {
		last := &d.Messages[n-1]
		return last.Role == transcript.User && strings.Contains(last.Content, "###STOP###")
	}
	return false
}

// tauGold reads the file with replayed outcomes beside a τ-bench file: line k belongs to element k. It adds the
// labels gold_reward (the replayed reward) and state_match (whether the final state is the expected one).
type tauGold struct {
	file string
	in   io.Reader
	rows *container.Records
	// row is the index of the next row, bad the last problem.
	row  int
	bad  string
	done bool
}

// add adds labels to the conversation. Unreadable records use up their row too.
func (g *tauGold) add(c *transcript.Conversation) {
	var row value.Value
	for !g.done && g.row <= c.Source.Index {
		row = g.next()
	}
	d := &draft{Conversation: c}
	task, ok := row.Get("task_id")
	switch {
	case row.Kind() != value.Object:
		d.note("gold_missing", "", "the gold file has no row for this trajectory"+g.bad)
		return
	case ok && !value.Equal(task, c.Sample.Field("task_id")):
		d.note("gold_mismatch", "", fmt.Sprintf("row %d of the gold file is of task %s: its labels are left out",
			c.Source.Index+1, task.JSON()))
		return
	}
	for _, pair := range [][2]string{{"gold_reward", "reward"}, {"state_match", "state_match"}} {
		if v := row.Field(pair[1]); v.IsNumber() || v.Kind() == value.Bool {
			d.label(pair[0], v, -1, "gold")
		}
	}
}

// next reads one row; null at the end and for an unreadable row.
func (g *tauGold) next() value.Value {
	err := error(nil)
	if g.rows == nil {
		var log *container.Log
		if log, err = container.Open(g.in, containerOptions(0)); err == nil {
			g.rows = log.Records(".jsonl", container.Layout{Whole: true})
		}
	}
	var it container.Record
	if err == nil {
		it, err = g.rows.Next()
	}
	if err != nil {
		g.done = true
		if !errors.Is(err, io.EOF) {
			g.bad = ": " + err.Error()
		}
		return value.Value{}
	}
	g.row++
	v, err := value.ParseString(it.Text)
	if err != nil {
		g.bad = fmt.Sprintf(": line %d: %v", it.Line, err)
	}
	return v
}

// left returns a problem if rows belong to no trajectory; else nil.
func (g *tauGold) left() *transcript.Problem {
	if g.done || g.next().IsNull() {
		return nil
	}
	source := transcript.Source{File: g.file, Format: tauBench.name, Index: g.row - 1}
	return &transcript.Problem{Source: source, Message: "the gold file has more rows than the log has trajectories: " +
		"do they belong together?"}
}

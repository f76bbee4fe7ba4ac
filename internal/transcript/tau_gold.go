package transcript

import (
	"errors"
	"fmt"
	"io"

	"github.com/judgekit/judge/internal/value"
)

// tauGold reads the replayed outcomes of a τ-bench file beside it: line k belongs
// to element k. It adds the labels gold_reward (the replayed reward) and
// state_match (whether the final state is the expected one).
type tauGold struct {
	file  string
	in    io.Reader
	split *splitter
	// row is the index of the row that is next, bad what was wrong last.
	row  int
	bad  string
	done bool
}

// add gives the conversation its labels. Records that could not be read use up
// their row too.
func (g *tauGold) add(c *Conversation) {
	var row value.Value
	for !g.done && g.row <= c.Source.Index {
		row = g.next()
	}
	note := func(kind, detail string) {
		c.Notes = append(c.Notes, Note{Kind: kind, Place: c.Source.String(), Detail: detail})
	}
	task, ok := row.Get("task_id")
	switch {
	case row.Kind() != value.Object:
		note("gold_missing", "the gold file has no row for this trajectory"+g.bad)
		return
	case ok && !value.Equal(task, c.Sample.Field("task_id")):
		note("gold_mismatch", fmt.Sprintf("row %d of the gold file is of task %s: its labels are left out",
			c.Source.Index+1, task.JSON()))
		return
	}
	d := &draft{Conversation: c}
	for _, pair := range [][2]string{{"gold_reward", "reward"}, {"state_match", "state_match"}} {
		if v := row.Field(pair[1]); v.IsNumber() || v.Kind() == value.Bool {
			d.label(pair[0], v, -1, "gold")
		}
	}
}

// next reads one row; null at the end and where a row cannot be read.
func (g *tauGold) next() value.Value {
	if g.split == nil {
		in, err := (&unpacker{}).unpack(g.file, g.in, defaultMaxConversationBytes)
		if err != nil {
			g.bad, g.done = ": "+err.Error(), true
			return value.Value{}
		}
		g.split = newSplitter(in, defaultMaxConversationBytes)
	}
	it, err := g.split.nextLine()
	if err != nil {
		g.done = true
		if !errors.Is(err, io.EOF) {
			g.bad = ": " + err.Error()
		}
		return value.Value{}
	}
	g.row++
	v, err := value.ParseString(it.text)
	if err != nil {
		g.bad = fmt.Sprintf(": line %d: %v", it.line, err)
	}
	return v
}

// left returns the problem of rows that belong to no trajectory; nil where there are none.
func (g *tauGold) left() *Problem {
	if g.done || g.next().IsNull() {
		return nil
	}
	source := Source{File: g.file, Format: tauBench, Index: g.row - 1}
	return &Problem{Source: source, Message: "the gold file has more rows than the log has trajectories: " +
		"do they belong together?"}
}

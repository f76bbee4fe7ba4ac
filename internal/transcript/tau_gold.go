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
	file   string
	reader io.Reader
	split  *splitter
	// row is the index of the row that is next.
	row  int
	bad  string
	done bool
}

func newTauGold(file string, r io.Reader) *tauGold { return &tauGold{file: file, reader: r} }

// add gives the conversation its labels. Records that could not be read use up
// their row too.
func (g *tauGold) add(c *Conversation) {
	var row value.Value
	for !g.done && g.row <= c.Source.Index {
		row = g.next()
	}
	if row.Kind() != value.Object {
		c.gold("gold_missing", "the gold file has no row for this trajectory"+g.bad)
		return
	}
	task, ok := row.Get("task_id")
	if ok && !value.Equal(task, c.Sample.Field("task_id")) {
		c.gold("gold_mismatch", fmt.Sprintf("row %d of the gold file is of task %s: its labels are left out", c.Source.Index+1, task.JSON()))
		return
	}
	for _, pair := range [][2]string{{"gold_reward", "reward"}, {"state_match", "state_match"}} {
		v := row.Field(pair[1])
		if b, ok := v.BoolVal(); ok {
			v = value.OfInt(int64(b2i(b)))
		}
		if f, ok := v.Float64(); ok {
			c.Labels = append(c.Labels, Label{Name: pair[0], CallIndex: -1, Value: f})
		}
	}
}

func (c *Conversation) gold(kind, detail string) {
	c.Notes = append(c.Notes, Note{Kind: kind, Place: c.Source.String(), Detail: detail})
}

// next reads one row; null at the end and where a row cannot be read.
func (g *tauGold) next() value.Value {
	if g.split == nil {
		in, err := unwrap(g.file, g.reader)
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
	v, err := value.Parse(it.data)
	if err != nil {
		g.bad = fmt.Sprintf(": line %d: %v", it.line, err)
		return value.Value{}
	}
	return v
}

// left returns the problem of rows that belong to no trajectory.
func (g *tauGold) left() *Problem {
	if g.done {
		return nil
	}
	if v := g.next(); v.IsNull() {
		return nil
	}
	return &Problem{Source: Source{File: g.file, Format: TauBench, Index: g.row - 1}, Message: "the gold file has more rows than the log has trajectories: do they belong together?"}
}

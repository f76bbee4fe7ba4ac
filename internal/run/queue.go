package run

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges"
)

// queueSchema is the version of queue files.
const queueSchema = "judge.queue/v1"

// queueFile is the file of what a cascade leaves to people, in log order.
type queueFile struct {
	Cascade
	path string
	file *directory.Buffered
	enc  *json.Encoder
	// onError says that the cascade passes on what has no score.
	onError bool
	lines   []queueRow
}

// queueRow is a line of a queue file: that of its score, and whether it is kept whatever
// happens to the answers that it rests on.
type queueRow struct {
	line int
	open bool
}

// queueLine is one line of a queue file.
type queueLine struct {
	ConversationID string      `json:"conversation_id"`
	Place          string      `json:"place"`
	CallIndex      int         `json:"call_index"`
	CallID         string      `json:"call_id,omitempty"`
	Call           value.Value `json:"call"`
	Rubric         string      `json:"rubric"`
	Cascade        string      `json:"cascade"`
	// Tiers are the answers that there are, each with why it was not enough.
	Tiers []value.Value `json:"tiers"`
}

func createQueue(dir, runID string, c Cascade) (*queueFile, error) {
	q := &queueFile{Cascade: c, path: filepath.Join(dir, c.Queue)}
	q.onError = c.EscalateOn == nil || slices.Contains(c.EscalateOn, judges.OnError)
	var err error
	if q.file, err = directory.Create(q.path + directory.PartEnding); err != nil {
		return nil, err
	}
	q.enc = q.file.Lines()
	return q, q.enc.Encode(map[string]string{"schema": queueSchema, "run_id": runID, "cascade": c.Name})
}

// add writes a judgement whose score waits in line, and that is left open, or will be when
// its answers turn out to be void.
func (q *queueFile) add(c *transcript.Conversation, r *judges.Result, line int) error {
	call := &c.Calls[r.CallIndex]
	args := call.Arguments
	if call.Malformed {
		args = value.OfString(call.RawArguments)
	}
	l := queueLine{
		ConversationID: r.ConversationID, Place: c.Source.String(), CallIndex: r.CallIndex, CallID: r.CallID,
		Call:   value.OfObject().With("name", value.OfString(call.Name)).With("arguments", args),
		Rubric: r.Rubric, Cascade: q.Name,
	}
	for i := range r.Climb.Tiers {
		l.Tiers = append(l.Tiers, r.Climb.Tiers[i].Value())
	}
	if err := q.enc.Encode(l); err != nil {
		return fmt.Errorf("write %s: %w", q.path, err)
	}
	q.lines = append(q.lines, queueRow{line, r.Climb.Unresolved})
	return nil
}

// finish settles the file and gives it its name.
func (q *queueFile) finish(void map[int]voiding) error {
	if err := q.file.Close(); err != nil {
		return err
	}
	if err := q.settle(void); err != nil {
		return err
	}
	return os.Rename(q.path+directory.PartEnding, q.path)
}

// settle rewrites the file where lines of it rest on doubtful answers.
func (q *queueFile) settle(void map[int]voiding) error {
	settled := !slices.ContainsFunc(q.lines, func(l queueRow) bool {
		_, amended := void[l.line]
		return amended || !l.open
	})
	if settled {
		return nil
	}
	return rewrite(q.path+directory.PartEnding, func(n int, line []byte) ([]byte, error) {
		v, amended := void[q.lines[n].line]
		switch {
		case !q.lines[n].open && (!amended || v.counts):
			return nil, nil // the last answer is not doubtful
		case !amended:
			return line, nil
		}
		l, err := value.ParseString(string(line))
		return []byte(v.voidTiers(l).JSON() + "\n"), err
	})
}

package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/rubrics"
)

// queueSchema is the version of queue files.
const queueSchema = "judge.queue/v1"

// queueFile lists the judgements that a cascade leaves to people, in log order.
type queueFile struct {
	instrument.Cascade
	path string
	file *directory.Buffered
	enc  *json.Encoder
}

// queueLine is one line of a queue file.
type queueLine struct {
	ConversationID string      `json:"conversation_id"`
	Place          string      `json:"place"`
	CallIndex      *int        `json:"call_index"`
	Turn           int         `json:"turn,omitempty"`
	Scope          string      `json:"scope,omitempty"`
	CallID         string      `json:"call_id,omitempty"`
	Call           value.Value `json:"call"`
	Rubric         string      `json:"rubric"`
	Cascade        string      `json:"cascade"`
	// Tiers are the answers so far, each with the reason why it was not enough.
	Tiers []value.Value `json:"tiers"`
}

// createQueues creates the queue files of a run directory, one per cascade.
func createQueues(dir, runID string, cascades []instrument.Cascade) (out []*queueFile, err error) {
	for _, c := range cascades {
		q := &queueFile{Cascade: c, path: filepath.Join(dir, c.Queue)}
		if q.file, err = directory.Create(q.path + directory.PartEnding); err != nil {
			return nil, errors.Join(err, closeQueues(out, false))
		}
		q.enc = q.file.Lines()
		out = append(out, q)
		if err := q.enc.Encode(map[string]string{"schema": queueSchema, "run_id": runID, "cascade": c.Name}); err != nil {
			return nil, errors.Join(err, closeQueues(out, false))
		}
	}
	return out, nil
}

// closeQueues closes the queue files. Complete ones get their real names; those of an unfinished
// run keep PartEnding.
func closeQueues(list []*queueFile, whole bool) (err error) {
	for _, q := range list {
		err = errors.Join(err, q.file.Close())
	}
	for _, q := range list {
		if whole && err == nil {
			err = os.Rename(q.path+directory.PartEnding, q.path)
		}
	}
	return err
}

// addUnresolved writes a judgement that its cascade could not resolve to the cascade's queue.
func addUnresolved(list []*queueFile, c *transcript.Conversation, r *judges.Result) error {
	if r.Climb == nil || !r.Climb.Unresolved {
		return nil
	}
	i := slices.IndexFunc(list, func(q *queueFile) bool { return q.Name == r.Judge })
	if i < 0 {
		return nil
	}
	q := list[i]
	l := queueLine{
		ConversationID: r.ConversationID, Place: c.Source.String(), Turn: r.Turn, CallID: r.CallID,
		Rubric: r.Rubric, Cascade: q.Name,
	}
	if r.Scope != rubrics.ScopeCall {
		l.Scope = string(r.Scope)
	}
	if r.CallIndex >= 0 {
		l.CallIndex = new(r.CallIndex)
		call := &c.Calls[r.CallIndex]
		args := call.Arguments
		if call.Malformed {
			args = value.OfString(call.RawArguments)
		}
		l.Call = value.OfObject().With("name", value.OfString(call.Name)).With("arguments", args)
	}
	for i := range r.Climb.Tiers {
		l.Tiers = append(l.Tiers, r.Climb.Tiers[i].Value())
	}
	if err := q.enc.Encode(l); err != nil {
		return fmt.Errorf("write %s: %w", q.path, err)
	}
	return nil
}

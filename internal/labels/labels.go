// Package labels owns labels.jsonl of a run directory: what people said of calls, a line
// for each key press, and what holds of it now.
//
// It promises that a label whose Append returned is on the disk and survives kill -9; that
// several people, tabs and processes can append to one file; that a line which was cut off,
// changed, doubled or lost is named and never taken for a label; and that nothing is ever
// rewritten: an undo is a line of its own.
package labels

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/judgekit/judge/internal/sealed"
)

// FileName is the name of the file in a run directory.
const FileName = "labels.jsonl"

// schema is the version of a line.
const schema = "judge.label/v1"

// The actions of an event.
const (
	// Give labels an item; Note adds a note to it; Undo takes an earlier event back.
	Give = "label"
	Note = "note"
	Undo = "undo"
	// Reveal says that from here on the person has seen what judge and scorers said of the
	// conversation.
	Reveal = "reveal"
)

// The labels. A deferred item was looked at and is left undecided.
const (
	Pass  = "pass"
	Fail  = "fail"
	Defer = "defer"
)

// What the person had seen of the verdicts on the conversation when an event was made.
const (
	Blind    = "blind"
	Revealed = "revealed"
)

// The sampling frames: how the item came before the person. Only Random is a sample.
const (
	Random        = "random"
	Disagreements = "disagreements"
	LowConfidence = "low_confidence"
	Flags         = "flags"
)

// Item holds what is labelled: a call, or with Call -1 the conversation; as a whole, or where
// Rubric is not empty by that rubric alone.
type Item struct {
	Conversation string
	Call         int
	Rubric       string
}

// Event is one line of the file: one key press.
type Event struct {
	Schema string `json:"schema"`
	RunID  string `json:"run_id"`
	// Writer names the process and N counts its events from 1, so that a line that is lost
	// or doubled is noticed.
	Writer         string    `json:"writer"`
	N              int       `json:"n"`
	Who            string    `json:"who"`
	When           time.Time `json:"when"`
	Action         string    `json:"action"`
	ConversationID string    `json:"conversation_id"`
	// CallIndex is nil for the conversation as a whole.
	CallIndex *int   `json:"call_index"`
	Rubric    string `json:"rubric,omitempty"`
	Label     string `json:"label,omitempty"`
	Text      string `json:"note,omitempty"`
	// Undoes is the ID of the event that an Undo takes back.
	Undoes string `json:"undoes,omitempty"`
	Seen   string `json:"seen"`
	Frame  string `json:"frame"`
	// Probability is the chance with which the item's conversation was drawn, in (0,1], and
	// Rank its place from 1 on in the random order of Seed; 0 in the other frames.
	Probability float64 `json:"probability"`
	Rank        int     `json:"rank,omitempty"`
	Seed        uint64  `json:"seed"`
}

// ID names the event in its file.
func (e *Event) ID() string { return fmt.Sprintf("%s:%d", e.Writer, e.N) }

// Item returns what the event is about.
func (e *Event) Item() Item {
	call := -1
	if e.CallIndex != nil {
		call = *e.CallIndex
	}
	return Item{e.ConversationID, call, e.Rubric}
}

// maxNote is the longest note, in characters.
const maxNote = 10_000

// check reports what makes e no event.
func (e *Event) check() error {
	oneOf := func(field, value string, allowed ...string) error {
		if slices.Contains(allowed, value) {
			return nil
		}
		return fmt.Errorf("%s: %.40q is none of %q", field, value, allowed)
	}
	switch {
	case e.Schema != schema:
		return fmt.Errorf("schema: %.40q; this version reads %s", e.Schema, schema)
	case e.Who == "":
		return errors.New("who: must not be empty")
	case e.Writer == "" || e.N < 1:
		return errors.New("writer, n: must not be empty")
	case e.ConversationID == "":
		return errors.New("conversation_id: must not be empty")
	case e.CallIndex != nil && (*e.CallIndex < 0 || *e.CallIndex > math.MaxInt32):
		return errors.New("call_index: must be 0 or more, or null")
	case !(e.Probability >= 0 && e.Probability <= 1):
		return errors.New("probability: must be from 0 to 1")
	case e.Action == Undo && e.Undoes == "":
		return errors.New("undoes: must not be empty")
	case utf8.RuneCountInString(e.Text) > maxNote:
		return fmt.Errorf("note: has more than %d characters", maxNote)
	}
	err := oneOf("action", e.Action, Give, Note, Undo, Reveal)
	if err == nil && e.Action == Give {
		err = oneOf("label", e.Label, Pass, Fail, Defer)
	}
	return errors.Join(err, oneOf("seen", e.Seen, Blind, Revealed),
		oneOf("frame", e.Frame, Random, Disagreements, LowConfidence, Flags))
}

// encode returns the line of an event, with its line feed.
func encode(e *Event) ([]byte, error) {
	if err := e.check(); err != nil {
		return nil, fmt.Errorf("write label: %w", err)
	}
	line, err := sealed.Line(e)
	if err != nil {
		return nil, fmt.Errorf("write label: %w", err)
	}
	return line, nil
}

// parse reads one line without its line feed.
func parse(line []byte) (*Event, error) {
	line = bytes.TrimSuffix(bytes.TrimPrefix(line, []byte("\ufeff")), []byte("\r"))
	err := sealed.Check(line)
	var e Event
	if err == nil && json.Unmarshal(line, &e) != nil {
		err = sealed.ErrCut
	}
	if err != nil {
		return nil, fmt.Errorf("%w: it is not used", err)
	}
	return &e, e.check()
}

// Package labels manages labels.jsonl in a run directory: what people said about calls, one line per key press,
// and which labels are current.
//
// It promises that a label is on the disk, and survives kill -9, once Append has returned; that several people,
// tabs and processes can append to one file; that a cut, changed, repeated or lost line is reported and never
// read as a label; and that nothing is ever rewritten: an undo is a line too.
package labels

import (
	"bytes"
	"cmp"
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
	// Give labels an item, Note adds a note to it, Undo takes back an earlier event.
	Give = "label"
	Note = "note"
	Undo = "undo"
	// Reveal says that the person has now seen what judge and scorers said about the conversation.
	Reveal = "reveal"
)

// The labels. A deferred item was looked at and left undecided. NotApplicable says that the question does not
// apply to the item, Named that the answer is a category that neither passes nor fails.
const (
	Pass          = "pass"
	Fail          = "fail"
	Defer         = "defer"
	NotApplicable = "not_applicable"
	Named         = "category"
)

// The scopes of items other than calls before they happen and conversations.
const (
	Result = "result"
	Turn   = "turn"
)

// Answer is a person's answer about an item; the zero value means that there is no label.
type Answer struct {
	Label string `json:"label,omitempty"`
	// Category is the answer to a rubric with categories; "" if only its verdict is known.
	Category string `json:"category,omitempty"`
}

// Given reports whether there is an answer that does not just defer the decision.
func (a Answer) Given() bool { return a.Label != "" && a.Label != Defer }

// Verdict returns whether the item passes; nil if the answer does not say so.
func (a Answer) Verdict() *bool {
	if a.Label != Pass && a.Label != Fail {
		return nil
	}
	return new(a.Label == Pass)
}

// Text returns the category, or else the label.
func (a Answer) Text() string { return cmp.Or(a.Category, a.Label) }

// VerdictAnswer returns an answer that only says whether an item passes.
func VerdictAnswer(passed bool) Answer {
	if passed {
		return Answer{Label: Pass}
	}
	return Answer{Label: Fail}
}

// What the person had seen of the conversation's verdicts at the time of the event.
const (
	Blind    = "blind"
	Revealed = "revealed"
)

// The sampling frames say why the person saw the item. Only Random is a sample.
const (
	Random        = "random"
	Disagreements = "disagreements"
	LowConfidence = "low_confidence"
	Flags         = "flags"
)

// Item names the subject of a label: a call, with its result if Scope is Result; a turn, from 1, if
// Scope is Turn; or the conversation. Call is -1 for the last two. It is labelled as a whole or, if
// Rubric is set, by one rubric.
type Item struct {
	Conversation string
	Call, Turn   int
	Scope        string
	Rubric       string
}

// String returns the item's name as in judge show: c1, c1:3, c1:3:result or c1:turn2.
func (i Item) String() string {
	switch {
	case i.Scope == Turn:
		return fmt.Sprintf("%s:turn%d", i.Conversation, i.Turn)
	case i.Call < 0:
		return i.Conversation
	case i.Scope == Result:
		return fmt.Sprintf("%s:%d:result", i.Conversation, i.Call)
	}
	return fmt.Sprintf("%s:%d", i.Conversation, i.Call)
}

// Event is one line of the file: one key press.
type Event struct {
	Schema string `json:"schema"`
	RunID  string `json:"run_id"`
	// Writer identifies the process, and N counts its events from 1, so that a lost or repeated
	// line is noticed.
	Writer         string    `json:"writer"`
	N              int       `json:"n"`
	Who            string    `json:"who"`
	When           time.Time `json:"when"`
	Action         string    `json:"action"`
	ConversationID string    `json:"conversation_id"`
	// CallIndex is nil for a turn, and for the conversation as a whole.
	CallIndex *int   `json:"call_index"`
	Turn      int    `json:"turn,omitempty"`
	Scope     string `json:"scope,omitempty"`
	Rubric    string `json:"rubric,omitempty"`
	Answer
	Text string `json:"note,omitempty"`
	// Undoes is the ID of the event that an Undo takes back.
	Undoes string `json:"undoes,omitempty"`
	Seen   string `json:"seen"`
	Frame  string `json:"frame"`
	// Probability is the probability, in (0,1], with which the call was drawn. Rank is the place of
	// its conversation (from 1) in the random order of Seed. PerConversation is the number of calls
	// drawn per conversation, 0 means all. They are 0 in the other frames.
	Probability float64 `json:"probability"`
	Rank        int     `json:"rank,omitempty"`
	Seed        uint64  `json:"seed"`

	PerConversation int `json:"calls_per_conversation,omitempty"`
}

// ID identifies the event in its file.
func (e *Event) ID() string { return fmt.Sprintf("%s:%d", e.Writer, e.N) }

// Item returns the item that the event is about.
func (e *Event) Item() Item {
	call := -1
	if e.CallIndex != nil {
		call = *e.CallIndex
	}
	return Item{e.ConversationID, call, e.Turn, e.Scope, e.Rubric}
}

// maxNote is the longest note, in characters.
const maxNote = 10_000

// oneOf returns an error if the value of a field is not allowed.
func oneOf(field, value string, allowed ...string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	return fmt.Errorf("%s: %.40q: want one of %q", field, value, allowed)
}

// check returns an error if a is not a valid label by the rubric; "" means the item as a whole.
func (a Answer) check(rubric string) error {
	switch {
	case rubric == "" && (a.Label == NotApplicable || a.Category != ""):
		return errors.New("rubric: must be named for a category, and for what is not applicable")
	case a.Label == Named && a.Category == "":
		return errors.New("category: must not be empty")
	case a.Category != "" && (a.Label == Defer || a.Label == NotApplicable):
		return fmt.Errorf("category: must be empty for %s", a.Label)
	}
	return oneOf("label", a.Label, Pass, Fail, Defer, NotApplicable, Named)
}

// check returns an error if e is not a valid event.
func (e *Event) check() error {
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
	case e.Turn < 0 || e.Turn > math.MaxInt32 || (e.Turn > 0) != (e.Scope == Turn):
		return errors.New("turn: must be 1 or more for scope turn, and absent for others")
	case e.Scope == Result && e.CallIndex == nil, e.Scope == Turn && e.CallIndex != nil:
		return errors.New("call_index: must name the call of scope result, and be null for scope turn")
	case e.PerConversation < 0:
		return errors.New("calls_per_conversation: must be 0 or more")
	case !(e.Probability >= 0 && e.Probability <= 1):
		return errors.New("probability: must be from 0 to 1")
	case e.Action == Undo && e.Undoes == "":
		return errors.New("undoes: must not be empty")
	case utf8.RuneCountInString(e.Text) > maxNote:
		return fmt.Errorf("note: has more than %d characters", maxNote)
	}
	err := oneOf("action", e.Action, Give, Note, Undo, Reveal)
	if e.Action == Give {
		err = e.Answer.check(e.Rubric)
	}
	return errors.Join(err, oneOf("scope", e.Scope, "", Result, Turn), oneOf("seen", e.Seen, Blind, Revealed),
		oneOf("frame", e.Frame, Random, Disagreements, LowConfidence, Flags))
}

// encode returns the line of an event, including its line feed.
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

package run

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges"
)

// QueueSchema is the version of queue files.
const QueueSchema = "judge.queue/v1"

// queueWriter writes what a cascade leaves to people, in log order.
type queueWriter struct {
	cascade, path string
	file          *os.File
	out           *bufio.Writer
	enc           *json.Encoder
	// lines counts the lines behind the header. Those of doubts rest on answers that
	// only the end of the run can judge: they may have to be written anew, or to go.
	lines  int
	doubts []doubt
}

// doubt is a queue line that rests on suspects; tiers are theirs, by tier. open says
// that the line stands whatever becomes of them.
type doubt struct {
	line  int
	open  bool
	tiers [][]int
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

func createQueues(dir, runID string, list []Cascade) ([]*queueWriter, error) {
	var out []*queueWriter
	for _, c := range list {
		w := &queueWriter{cascade: c.Name, path: filepath.Join(dir, c.Queue)}
		var err error
		if w.file, err = os.OpenFile(w.path+".partial", os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600); err != nil {
			return nil, errors.Join(err, closeQueues(out, nil))
		}
		w.out = bufio.NewWriter(w.file)
		w.enc = json.NewEncoder(w.out)
		w.enc.SetEscapeHTML(false)
		out = append(out, w)
		if err := w.enc.Encode(map[string]string{"schema": QueueSchema, "run_id": runID, "cascade": c.Name}); err != nil {
			return nil, errors.Join(err, closeQueues(out, nil))
		}
	}
	return out, nil
}

// add writes a judgement that is left open, or will be when its answers turn out to be
// void; tiers are the suspects behind each tier, nil for none.
func (w *queueWriter) add(c *transcript.Conversation, r *judges.Result, tiers [][]int) error {
	call := &c.Calls[r.CallIndex]
	args := call.Arguments
	if call.Malformed {
		args = value.OfString(call.RawArguments)
	}
	line := queueLine{
		ConversationID: r.ConversationID, Place: c.Source.String(), CallIndex: r.CallIndex, CallID: r.CallID,
		Call:   value.OfObject(value.Member{Key: "name", Value: value.OfString(call.Name)}, value.Member{Key: "arguments", Value: args}),
		Rubric: r.Rubric, Cascade: w.cascade,
	}
	for i := range r.Climb.Tiers {
		line.Tiers = append(line.Tiers, r.Climb.Tiers[i].Value())
	}
	if err := w.enc.Encode(line); err != nil {
		return fmt.Errorf("write %s: %w", w.path, err)
	}
	if tiers != nil {
		w.doubts = append(w.doubts, doubt{w.lines, r.Climb.Unresolved, tiers})
	}
	w.lines++
	return nil
}

// closeQueues ends the files and gives them their names. void says of a suspect that
// its answer does not count; without it, for a run that did not come to its end, the
// files stay without their names.
func closeQueues(list []*queueWriter, void func(suspect int) bool) error {
	var err error
	for _, w := range list {
		err = errors.Join(err, w.out.Flush(), w.file.Close())
		if void != nil {
			err = errors.Join(err, w.settle(void), os.Rename(w.path+".partial", w.path))
		}
	}
	return err
}

// settle writes the file anew where lines of it rest on suspects.
func (w *queueWriter) settle(void func(int) bool) error {
	if len(w.doubts) == 0 {
		return nil
	}
	doubts := w.doubts
	err := rewrite(w.path+".partial", func(n int, line []byte) ([]byte, error) {
		if len(doubts) == 0 || doubts[0].line != n {
			return line, nil
		}
		d := doubts[0]
		doubts = doubts[1:]
		tiers := d.void(void)
		switch {
		case tiers == nil && d.open:
			return line, nil
		case tiers == nil, !d.open && !slices.Contains(tiers, len(d.tiers)-1):
			return nil, nil // what stands at the end is beyond doubt
		}
		v, err := value.ParseString(string(line))
		if err != nil {
			return nil, err
		}
		return []byte(v.With("tiers", voidTiers(v.Field("tiers"), tiers)).JSON() + "\n"), nil
	})
	if err != nil {
		return fmt.Errorf("write %s: %w", w.path, err)
	}
	return nil
}

// void returns the tiers whose answers are void, nil for none.
func (d *doubt) void(void func(int) bool) []int {
	var out []int
	for i, list := range d.tiers {
		if slices.ContainsFunc(list, void) {
			out = append(out, i)
		}
	}
	return out
}

// voidTiers turns the tiers at the given places into those of an error, in a list as
// score details and queue lines hold it.
func voidTiers(tiers value.Value, at []int) value.Value {
	for i, t := range tiers.Elements() {
		if !slices.Contains(at, i) {
			continue
		}
		t = t.With("output", value.Value{}).With("verdict", value.OfString(judges.NoVerdict)).With("confidence", value.Value{})
		tiers = tiers.WithAt(i, t.With("escalated", value.OfList(value.OfString(string(judges.OnError)))))
	}
	return tiers
}

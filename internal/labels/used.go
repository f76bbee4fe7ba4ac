package labels

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/judgekit/judge/internal/sealed"
)

// UsedName is the name of the file beside labels.jsonl that records which labels were used to align a rubric.
const UsedName = "labels-used.jsonl"

// usedSchema is the version of its lines.
const usedSchema = "judge.labels_used/v1"

// The uses of a label.
const (
	// Learned labels shaped the rubric; Tested labels showed whether it is better. With
	// cross-fitting a label is both.
	Learned = "learned"
	Tested  = "tested"
	Both    = "learned and tested"
)

// Use is one line of the file: an alignment that used its held-out labels.
type Use struct {
	Schema string    `json:"schema"`
	Align  string    `json:"align"` // the id of the alignment
	Rubric string    `json:"rubric"`
	When   time.Time `json:"when"`
	Items  []UsedFor `json:"items"`
}

// UsedFor says for which purpose a label was used.
type UsedFor struct {
	ConversationID string `json:"conversation_id"`
	CallIndex      int    `json:"call_index"` // -1 for a turn, and for the conversation
	Turn           int    `json:"turn,omitempty"`
	For            string `json:"for"`
}

// Uses reads the file at path, which may be missing. A damaged line is an error, because a use must
// not be forgotten. A last line that was cut off counts as not written.
func Uses(path string) ([]Use, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []Use
	n := 0
	for line := range bytes.Lines(data) {
		n++
		if !bytes.HasSuffix(line, []byte("\n")) {
			break
		}
		line = bytes.TrimRight(line, "\r\n")
		err := sealed.Check(line)
		var u Use
		if err == nil && (json.Unmarshal(line, &u) != nil || u.Schema != usedSchema) {
			err = errors.New("not a line of " + usedSchema)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, n, err)
		}
		out = append(out, u)
	}
	return out, nil
}

// AddUse appends a use to the file at path, unless it has one for the same alignment.
func AddUse(path string, u Use) error {
	known, err := Uses(path)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(known, func(k Use) bool { return k.Align == u.Align }) {
		return nil
	}
	u.Schema, u.When = usedSchema, u.When.UTC()
	line, err := sealed.Line(u)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(path)
	if err == nil { // a line that was cut off is overwritten
		whole := bytes.LastIndexByte(data, '\n') + 1
		_, err = f.WriteAt(line, int64(whole))
	}
	return errors.Join(err, f.Sync(), f.Close())
}

// Mark returns the mark for a conversation in a rubric that was made from its labels.
func Mark(conversation string) string {
	sum := sha256.Sum256([]byte(conversation))
	return hex.EncodeToString(sum[:4])
}

// Marks holds marks of conversations, separated by blanks.
type Marks string

// Set returns the marks as a set; nil if there are none.
func (m Marks) Set() map[string]bool {
	var out map[string]bool
	for mark := range strings.FieldsSeq(string(m)) {
		if out == nil {
			out = map[string]bool{}
		}
		out[mark] = true
	}
	return out
}

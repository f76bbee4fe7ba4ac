package directory

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// ItemsFile is the file that identifies the conversations and calls of a run by their content, and lists what
// was odd about each. With it two runs can be paired although their ids differ. It has a header, then one
// conversation per line in log order. Hashes are the first 64 bits of the content's SHA-256.
const ItemsFile = "items.jsonl"

// itemsSchema is the version of items.jsonl.
const itemsSchema = "judge.items/v1"

// hashDigits limits how much of a hash is kept: among a million calls, two have the same 64-bit
// hash with a probability of about 3 in 100 million.
const hashDigits = 16

// itemLine is one line of items.jsonl.
type itemLine struct {
	ConversationID string `json:"conversation_id"`
	// Content is the hash of the whole conversation. Calls holds, for each call, the hash of what its
	// judge may see.
	Content string   `json:"content"`
	Calls   []string `json:"calls"`
	// Bare is the hash of each call's tool and arguments, without what precedes the call.
	Bare []string `json:"bare,omitempty"`
	taskKey
	// Span is the recorded span of the conversation, Spans those of the calls; empty if the log has none.
	Span  *transcript.SpanRef  `json:"span,omitempty"`
	Spans []transcript.SpanRef `json:"spans,omitempty"`
	// Notes are the oddities of the conversation, each with its place in the log.
	Notes []transcript.Note `json:"notes,omitempty"`
}

// taskKey says which task a conversation attempts, so that the attempts of two agents can be paired
// although neither their ids nor their texts are equal.
type taskKey struct {
	// Task is "id:" and a hash of the log's own task id; "" if none.
	Task string `json:"task,omitempty"`
	// Trial distinguishes a run's attempts at one task, if the log does.
	Trial string `json:"trial,omitempty"`
	// Reference is a hash of the expected calls; "" if none.
	Reference string `json:"reference,omitempty"`
}

type header struct {
	Schema string `json:"schema"`
	RunID  string `json:"run_id"`
}

// ItemsWriter writes items.jsonl.
type ItemsWriter struct {
	*Buffered
	enc *json.Encoder
}

// CreateItems creates the file in a run directory, with PartEnding after its name.
func CreateItems(dir, runID string) (*ItemsWriter, error) {
	f, err := Create(filepath.Join(dir, ItemsFile) + PartEnding)
	if err != nil {
		return nil, err
	}
	w := &ItemsWriter{f, f.Lines()}
	return w, w.enc.Encode(header{itemsSchema, runID})
}

// Add writes a conversation.
func (w *ItemsWriter) Add(c *transcript.Conversation) error {
	content, calls := c.Hashes()
	line := itemLine{
		ConversationID: c.ID, Content: content[:hashDigits], Calls: calls,
		Bare: make([]string, len(c.Calls)), taskKey: taskOf(c), Notes: c.Notes,
	}
	for i := range c.Calls {
		line.Calls[i] = line.Calls[i][:hashDigits]
		line.Bare[i] = bareHash(&c.Calls[i])
	}
	line.spansOf(c)
	return w.enc.Encode(line)
}

// spansOf adds the recorded spans of a conversation and its calls.
func (l *itemLine) spansOf(c *transcript.Conversation) {
	if at := c.SpanOf(-1); at != (transcript.SpanRef{}) {
		l.Span = &at
	}
	spans, known := make([]transcript.SpanRef, len(c.Calls)), false
	for i := range c.Calls {
		spans[i] = c.SpanOf(i)
		known = known || spans[i] != transcript.SpanRef{}
	}
	if known {
		l.Spans = spans
	}
}

// Spans returns a function that returns the recorded span of a run's call, or, for call -1, of a
// conversation. Without items.jsonl it returns nothing.
func Spans(dir, runID string) (func(conversation string, call int) transcript.SpanRef, error) {
	lines, _, err := readItems(dir, runID)
	if err != nil {
		return nil, err
	}
	known := map[string]*itemLine{}
	for i := range lines {
		if lines[i].Span != nil || lines[i].Spans != nil {
			known[lines[i].ConversationID] = &lines[i]
		}
	}
	return func(conversation string, call int) transcript.SpanRef {
		line := known[conversation]
		switch {
		case line == nil:
		case call >= 0 && call < len(line.Spans):
			return line.Spans[call]
		case call < 0 && line.Span != nil:
			return *line.Span
		}
		return transcript.SpanRef{}
	}, nil
}

// bareHash hashes a call's tool and arguments.
func bareHash(call *transcript.Call) string {
	arguments := call.RawArguments
	if !call.Malformed {
		arguments = call.Arguments.Canonical()
	}
	return shortHash(call.Executor + "\x00" + call.Name + "\x00" + arguments)
}

// taskOf finds the task of a conversation: task_id and trial as τ-bench, τ² and native logs have
// them, in the sample, at the top of the record or in its metadata.
func taskOf(c *transcript.Conversation) taskKey {
	k := taskKey{Reference: referenceHash(c)}
	for _, v := range []value.Value{c.Sample, c.Extra, c.Extra.Field("metadata")} {
		id := v.Field("task_id")
		if id.Kind() != value.String && !id.IsNumber() || id.Text() == "" {
			continue
		}
		// If one log writes a task as 7 and another as "7", it is the same task.
		k.Task = ownTask + shortHash(id.Text())
		if trial := v.Field("trial"); trial.Kind() == value.String || trial.IsNumber() {
			k.Trial = trial.Text()
		}
		if len(k.Trial) > hashDigits {
			k.Trial = shortHash(k.Trial)
		}
		return k
	}
	return k
}

// ownTask marks a task id; older versions stored other things in Task.
const ownTask = "id:"

// referenceHash hashes the expected calls of a conversation.
func referenceHash(c *transcript.Conversation) string {
	if c.Expected == nil || c.Expected.Calls == nil {
		return ""
	}
	text := ""
	for i := range c.Expected.Calls {
		e := &c.Expected.Calls[i]
		text += e.Name + "\x00" + e.Arguments.Canonical() + "\n"
	}
	return shortHash(text)
}

func shortHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:hashDigits]
}

// ConversationIDs returns the ids of a run's conversations in log order; none without items.jsonl.
func ConversationIDs(dir, runID string) ([]string, error) {
	lines, _, err := readItems(dir, runID)
	ids := make([]string, len(lines))
	for i := range lines {
		ids[i] = lines[i].ConversationID
	}
	return ids, err
}

// readItems reads items.jsonl from a run directory. known is false if the file does not exist,
// because an older version wrote the run.
func readItems(dir, runID string) (out []itemLine, known bool, err error) {
	path := filepath.Join(dir, ItemsFile)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	dec := json.NewDecoder(bufio.NewReaderSize(f, 1<<16))
	var head header
	if err := dec.Decode(&head); err != nil || head.Schema != itemsSchema {
		return nil, false, fmt.Errorf("%s: damaged, or of another version: the first line must name the schema %s",
			path, itemsSchema)
	}
	if head.RunID != runID {
		return nil, false, fmt.Errorf("%s: belongs to run %s, the directory holds %s", path, head.RunID, runID)
	}
	for n := 2; ; n++ {
		var line itemLine
		err := dec.Decode(&line)
		switch {
		case errors.Is(err, io.EOF):
			return out, true, nil
		case err != nil:
			return nil, false, fmt.Errorf("%s:%d: damaged: %w", path, n, err)
		case line.ConversationID == "" || len(line.Content) != hashDigits:
			return nil, false, fmt.Errorf("%s:%d: damaged: an id or a hash is missing", path, n)
		}
		out = append(out, line)
	}
}

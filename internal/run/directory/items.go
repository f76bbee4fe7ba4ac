package directory

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/judgekit/judge/internal/transcript"
)

// itemsSchema is the version of items.jsonl.
const itemsSchema = "judge.items/v1"

// ItemsFile stands in a run directory and says what its conversations and calls are by their
// content, so that two runs can be paired whose ids differ, and what was odd about each:
// a header, then one conversation a line in log order. Hashes are the first 64 bits of
// the content's SHA-256.
const ItemsFile = "items.jsonl"

// hashDigits is how much of a hash is kept: 64 bits tell a million calls apart with
// a chance of a mistake of about 3 in 100 million.
const hashDigits = 16

// itemLine is one line of items.jsonl.
type itemLine struct {
	ConversationID string `json:"conversation_id"`
	// Content is the conversation as a whole, Calls what a judge of each call may
	// see.
	Content string   `json:"content"`
	Calls   []string `json:"calls"`
	// Bare is what each call is by itself: its tool and arguments.
	Bare []string `json:"bare,omitempty"`
	taskKey
	// Notes are the oddities of the conversation, each with its place in the log.
	Notes []noteLine `json:"notes,omitempty"`
}

type noteLine struct {
	Kind   string `json:"kind"`
	Place  string `json:"place"`
	Detail string `json:"detail,omitempty"`
}

type header struct {
	Schema string `json:"schema"`
	RunID  string `json:"run_id"`
}

// ItemsWriter writes items.jsonl. A nil writer writes nothing.
type ItemsWriter struct {
	path string
	file *os.File
	out  *bufio.Writer
	enc  *json.Encoder
}

// CreateItems starts the file of a run directory, with directory.PartEnding behind its name.
func CreateItems(dir, runID string) (*ItemsWriter, error) {
	w := &ItemsWriter{path: filepath.Join(dir, ItemsFile)}
	var err error
	if w.file, err = os.OpenFile(w.path+".partial", os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600); err != nil {
		return nil, err
	}
	w.out = bufio.NewWriterSize(w.file, 1<<16)
	w.enc = json.NewEncoder(w.out)
	w.enc.SetEscapeHTML(false)
	return w, w.enc.Encode(header{itemsSchema, runID})
}

// Add writes a conversation.
func (w *ItemsWriter) Add(c *transcript.Conversation) error {
	if w == nil {
		return nil
	}
	line := itemLine{ConversationID: c.ID, Content: c.ContentHash()[:hashDigits], Calls: c.CallHashes(), Bare: bareHashes(c), taskKey: taskOf(c)}
	for i := range line.Calls {
		line.Calls[i] = line.Calls[i][:hashDigits]
	}
	for _, n := range c.Notes {
		line.Notes = append(line.Notes, noteLine{n.Kind, n.Place, n.Detail})
	}
	return w.enc.Encode(line)
}

// Close ends the file.
func (w *ItemsWriter) Close() error { return errors.Join(w.out.Flush(), w.file.Close()) }

// errNoItems says that a run directory has no items.jsonl: an older version wrote it.
var errNoItems = errors.New("the run has no " + ItemsFile)

// readItems reads items.jsonl of a run directory.
func readItems(dir, runID string) ([]itemLine, error) {
	path := filepath.Join(dir, ItemsFile)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errNoItems
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	dec := json.NewDecoder(bufio.NewReaderSize(f, 1<<16))
	var head header
	if err := dec.Decode(&head); err != nil || head.Schema != itemsSchema {
		return nil, fmt.Errorf("%s: damaged, or of another version: the first line must name the schema %s", path, itemsSchema)
	}
	if head.RunID != runID {
		return nil, fmt.Errorf("%s: belongs to run %s, the directory holds %s", path, head.RunID, runID)
	}
	var out []itemLine
	for n := 2; ; n++ {
		var line itemLine
		err := dec.Decode(&line)
		switch {
		case errors.Is(err, io.EOF):
			return out, nil
		case err != nil:
			return nil, fmt.Errorf("%s:%d: damaged: %w", path, n, err)
		case line.ConversationID == "" || len(line.Content) != hashDigits:
			return nil, fmt.Errorf("%s:%d: damaged: an id or a hash is missing", path, n)
		}
		out = append(out, line)
	}
}

package directory

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/journal"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
)

// Item holds everything that a run directory and its logs know about one conversation.
type Item struct {
	Manifest *Manifest
	// Conversation is nil if the logs are missing or changed; LogProblem says why.
	Conversation *transcript.Conversation
	LogProblem   string
	// Scores are all scores of the conversation, in the order of the stream.
	Scores []score.Score
}

// ErrNoItem says that a run does not have the conversation.
var ErrNoItem = errors.New("no such conversation")

// Find collects what is known about a conversation of a run. logs are the run's own logs, as its
// configuration names them. It decodes only the scores of this conversation and, from a log with
// lines, only its record; other logs are read until the conversation is found.
func Find(ctx context.Context, dir, id string, logs *input.Source) (*Item, error) {
	m, err := ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	item := &Item{Manifest: m}
	for s, err := range ScoresOf(dir, id) {
		if err != nil {
			return nil, err
		}
		if s.ConversationID == id {
			item.Scores = append(item.Scores, s)
		}
	}
	if len(item.Scores) == 0 {
		return nil, fmt.Errorf("%s: %w: %q", dir, ErrNoItem, id)
	}
	if item.Conversation = m.record(ctx, dir, item.Scores[0].Place, id, logs); item.Conversation != nil {
		return item, nil
	}
	for c, err := range m.Again(ctx, logs) {
		if err != nil {
			item.LogProblem = err.Error()
		} else if c.ID == id {
			item.Conversation = c
			break
		}
	}
	if item.Conversation == nil && item.LogProblem == "" {
		item.LogProblem = "the logs hold no such conversation any more"
	}
	return item, nil
}

// record reads the line of a log with a conversation. It returns nil if the log does not consist of
// lines, or if the line changed since it was judged.
func (m *Manifest) record(
	ctx context.Context, dir, place, id string, logs *input.Source,
) *transcript.Conversation {

	end := strings.LastIndexByte(place, ':')
	if end < 0 {
		return nil
	}
	name := place[:end]
	number, err := strconv.Atoi(place[end+1:])
	at := slices.IndexFunc(logs.Logs, func(l input.Log) bool { return l.Name == name })
	content := contentOf(dir, id)
	if err != nil || at < 0 || content == "" {
		return nil
	}
	line, err := logs.Logs[at].Line(number)
	if err != nil {
		return nil
	}
	one := &input.Source{Options: logs.Options, Logs: []input.Log{{
		Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(line)), nil },
	}}}
	was := func(in report.Input) bool { return in.Path == name }
	if i := slices.IndexFunc(m.Inputs, was); i >= 0 && one.Options.Format == "" && one.Options.Map == nil {
		one.Options.Format = m.Inputs[i].Format
	}
	for c, err := range one.Conversations(ctx, &input.Reading{}) {
		if err != nil {
			return nil
		}
		if hash, _ := c.Hashes(); hash[:hashDigits] == content {
			c.ID, c.Source.Line = id, number
			return c
		}
	}
	return nil
}

// contentOf returns the hash of a conversation in items.jsonl; "" if unknown.
func contentOf(dir, id string) string {
	f, err := os.Open(filepath.Join(dir, ItemsFile))
	if err != nil {
		return ""
	}
	defer f.Close()
	part := keyed("conversation_id", id)
	in := bufio.NewReaderSize(f, 1<<16)
	for {
		line, err := in.ReadBytes('\n')
		var i itemLine
		if bytes.Contains(line, part) && json.Unmarshal(line, &i) == nil && i.ConversationID == id &&
			len(i.Content) == hashDigits {
			return i.Content
		}
		if err != nil {
			return ""
		}
	}
}

// keyed returns an object's member as this program writes it.
func keyed(key, text string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text) // encoding a string cannot fail
	return []byte(`"` + key + `":` + strings.TrimSpace(b.String()))
}

// Exchanges returns the journal's records of a conversation's judgements, by their keys.
func Exchanges(dir, id string) (map[string][]*journal.Entry, error) {
	part := bytes.TrimSuffix(keyed("key", id+"#"), []byte(`"`))
	return entries(dir, part, func(e *journal.Entry) bool { return strings.HasPrefix(e.Key, id+"#") })
}

// Refusals returns the exchanges in which an endpoint refused a prompt for its length, by the keys
// of their judgements.
func Refusals(dir string) (map[string][]*journal.Entry, error) {
	return entries(dir, keyed("kind", string(llm.KindOverflow)), func(e *journal.Entry) bool {
		return e.Error != nil && e.Error.Kind == llm.KindOverflow
	})
}

// entries returns the wanted entries of the journal by their keys. It looks only at lines that
// contain part, and skips damaged ones.
func entries(dir string, part []byte, wanted func(*journal.Entry) bool) (map[string][]*journal.Entry, error) {
	out := map[string][]*journal.Entry{}
	for entry, err := range journal.Containing(filepath.Join(dir, ExchangesFile), part) {
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, err
		case wanted(entry):
			out[entry.Key] = append(out[entry.Key], entry)
		}
	}
	return out, nil
}

// Conversations is a sequence that reads the conversations of logs anew each time.
type Conversations = iter.Seq2[*transcript.Conversation, error]

// Again returns the conversations of a run's logs. It yields an error only if the logs cannot be
// read or changed since they were judged.
func (m *Manifest) Again(ctx context.Context, logs *input.Source) Conversations {
	return func(yield func(*transcript.Conversation, error) bool) {
		m.bound(logs.Logs)
		hashes, err := input.Hash(logs.Logs)
		if err != nil {
			yield(nil, fmt.Errorf("the logs cannot be read: %w", err))
			return
		}
		for i := range m.Inputs {
			if i >= len(hashes) {
				yield(nil, fmt.Errorf("%s is not there any more", m.Inputs[i].Path))
				return
			}
			if m.Inputs[i].SHA != hashes[i] {
				yield(nil, fmt.Errorf("%s is not the file that was judged: it changed since", m.Inputs[i].Path))
				return
			}
		}
		logs.Conversations(ctx, &input.Reading{})(yield)
	}
}

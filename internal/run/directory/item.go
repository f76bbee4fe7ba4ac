package directory

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/judgekit/judge/internal/llm/journal"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
)

// Item is everything that a run directory and its logs know about one
// conversation.
type Item struct {
	Manifest *Manifest
	// Conversation is nil where the logs are gone or changed; LogProblem says why.
	Conversation *transcript.Conversation
	LogProblem   string
	// Scores are all scores of the conversation, in the order of the stream.
	Scores []score.Score
	// Exchanges are the recorded requests of one judgement, by its key.
	Exchanges map[string][]*journal.Entry
}

// ErrNoItem says that a run has no such conversation.
var ErrNoItem = errors.New("no such conversation")

// Find collects what is known about a conversation of a run. logs are the
// run's own, as its configuration gives them, to be read again.
func Find(ctx context.Context, dir, id string, logs *input.Source) (*Item, error) {
	m, err := ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	item := &Item{Manifest: m, Exchanges: map[string][]*journal.Entry{}}
	for s, err := range Scores(dir) {
		if err != nil {
			return nil, err
		}
		if s.ConversationID == id {
			item.Scores = append(item.Scores, s)
		} else if len(item.Scores) > 0 {
			break
		}
	}
	if len(item.Scores) == 0 {
		return nil, fmt.Errorf("%s: %w: %q", dir, ErrNoItem, id)
	}
	if err := item.exchanges(dir, id); err != nil {
		return nil, err
	}
	item.Conversation, item.LogProblem = readBack(ctx, m, id, logs)
	return item, nil
}

// exchanges collects the journal's records of the conversation's judgements.
func (item *Item) exchanges(dir, id string) error {
	path := filepath.Join(dir, ExchangesFile)
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	journal, err := journal.Read(path)
	if err != nil {
		return err
	}
	defer journal.Close()
	prefix := id + "#"
	for entry, err := range journal.Entries() {
		if err != nil {
			continue // a damaged line; the others are shown
		}
		if len(entry.Key) > len(prefix) && entry.Key[:len(prefix)] == prefix {
			item.Exchanges[entry.Key] = append(item.Exchanges[entry.Key], entry)
		}
	}
	return nil
}

// readBack finds the conversation in the logs again.
func readBack(ctx context.Context, m *Manifest, id string, logs *input.Source) (*transcript.Conversation, string) {
	if problem := changed(m, logs); problem != "" {
		return nil, problem
	}
	for c, err := range logs.Conversations(ctx, &input.Reading{}) {
		if err != nil {
			return nil, err.Error()
		}
		if c.ID == id {
			return c, ""
		}
	}
	return nil, "the logs hold no such conversation any more"
}

// changed says why the logs are not those of a run any more, "" where they
// are.
func changed(m *Manifest, logs *input.Source) string {
	if len(m.Logs) == len(logs.Logs) {
		for i := range logs.Logs {
			logs.Logs[i].Bytes = &m.Logs[i].Bytes
		}
	}
	hashes, err := input.Hash(logs.Logs)
	if err != nil {
		return fmt.Sprintf("the logs cannot be read: %v", err)
	}
	for i := range m.Inputs {
		if i >= len(hashes) || m.Inputs[i].SHA != hashes[i] {
			return fmt.Sprintf("%s is not the file that was judged: it changed since", m.Inputs[i].Path)
		}
	}
	return ""
}

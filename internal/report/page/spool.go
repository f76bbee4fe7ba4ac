package page

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
)

// Spool holds what a report and its page may show of a run in a file, while the run is judged: of
// each conversation in it the form that the page has, and the lines of its scores. In memory are
// the places only.
type Spool struct {
	file File
	out  *bufio.Writer
	size int64
	at   map[string]span
}

// File holds a spool. It is empty at first.
type File interface {
	io.Writer
	io.ReaderAt
}

// span locates a conversation in the file.
type span struct {
	at     int64
	length int
}

// NewSpool returns an empty spool.
func NewSpool(f File) *Spool {
	return &Spool{file: f, out: bufio.NewWriterSize(f, 1<<16), at: map[string]span{}}
}

// add writes a conversation, from which judges quote in their evidence.
func (s *Spool) add(c *transcript.Conversation, evidence []string, scores []byte) error {
	var quoted []string
	for _, text := range evidence {
		quoted = append(quoted, quotes(text)...)
	}
	text, err := fitted(c, quoted)
	if err != nil {
		return err
	}
	data := append(append(text, '\n'), scores...)
	s.at[strings.Clone(c.ID)] = span{s.size, len(data)}
	s.size += int64(len(data))
	_, err = s.out.Write(data)
	return err
}

// Scores reads the scores of some conversations, in log order.
func (s *Spool) Scores(conversations ...string) iter.Seq2[score.Score, error] {
	return func(yield func(score.Score, error) bool) {
		slices.SortFunc(conversations, func(x, y string) int { return cmp.Compare(s.at[x].at, s.at[y].at) })
		for _, id := range slices.Compact(conversations) {
			_, lines, err := s.read(id)
			if err != nil {
				yield(score.Score{}, err)
				return
			}
			for line := range bytes.Lines(lines) {
				read, err := score.Parse(line)
				if !yield(read, err) || err != nil {
					return
				}
			}
		}
	}
}

// conversations returns those with these ids.
func (s *Spool) conversations(_ context.Context, quotes map[string][]string) (map[string]json.RawMessage, error) {
	found := map[string]json.RawMessage{}
	for id := range quotes {
		text, _, err := s.read(id)
		if err != nil {
			return nil, err
		}
		if len(text) > 0 {
			found[id] = text
		}
	}
	return found, nil
}

// read returns what the spool has of a conversation.
func (s *Spool) read(id string) (conversation, scores []byte, err error) {
	at := s.at[id]
	data := make([]byte, at.length)
	if err = s.out.Flush(); err == nil {
		_, err = s.file.ReadAt(data, at.at)
	}
	conversation, scores, _ = bytes.Cut(data, []byte("\n"))
	return conversation, scores, err
}

package page

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"hash/maphash"
	"io"
	"iter"
	"slices"

	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
)

// Spool holds in a file what a report and its page may show of a run, while the run is judged. For
// each conversation the file has a line with the page's form of it, the lines of its scores, and an
// empty line. Only the positions are in memory.
type Spool struct {
	file File
	out  *bufio.Writer
	size int64
	// at holds the positions by the hash of the id, which takes a quarter of the memory of ids.
	at   map[uint64]int64
	seed maphash.Seed
}

// File is the file of a spool. It is empty at first.
type File interface {
	io.Writer
	io.ReaderAt
}

// NewSpool returns an empty spool.
func NewSpool(f File) *Spool {
	return &Spool{file: f, out: bufio.NewWriterSize(f, 1<<16), at: map[uint64]int64{},
		seed: maphash.MakeSeed()}
}

// add writes a conversation; evidence is what judges quote from it.
func (s *Spool) add(c *transcript.Conversation, evidence []string, scores []byte) error {
	var quoted []string
	for _, text := range evidence {
		quoted = append(quoted, quotes(text)...)
	}
	text, err := fitted(c, quoted)
	if err != nil {
		return err
	}
	data := append(append(append(text, '\n'), scores...), '\n')
	s.at[s.hash(c.ID)] = s.size
	s.size += int64(len(data))
	_, err = s.out.Write(data)
	return err
}

// Scores reads the scores of some conversations, in log order.
func (s *Spool) Scores(conversations ...string) iter.Seq2[score.Score, error] {
	return func(yield func(score.Score, error) bool) {
		slices.SortFunc(conversations, func(x, y string) int {
			return cmp.Compare(s.at[s.hash(x)], s.at[s.hash(y)])
		})
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

// conversations returns the conversations with these ids.
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

func (s *Spool) hash(id string) uint64 { return maphash.String(s.seed, id) }

// read reads a conversation and its scores from the spool.
func (s *Spool) read(id string) (conversation, scores []byte, err error) {
	at, ok := s.at[s.hash(id)]
	if !ok {
		return nil, nil, nil
	}
	if err := s.out.Flush(); err != nil {
		return nil, nil, err
	}
	in := bufio.NewReader(io.NewSectionReader(s.file, at, s.size-at))
	if conversation, err = in.ReadBytes('\n'); err != nil {
		return nil, nil, err
	}
	for {
		line, err := in.ReadBytes('\n')
		if err != nil || len(line) == 1 {
			return bytes.TrimSpace(conversation), scores, err
		}
		scores = append(scores, line...)
	}
}

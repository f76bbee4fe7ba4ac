package deterministic

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/judgekit/judge/internal/jsregex"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/value"
)

// maxLine limits a line of a case file, in bytes.
const maxLine = 64 << 20

// batchSize is the number of bytes of lines that a worker gets at a time.
const batchSize = 256 << 10

// batch holds consecutive lines with their results.
type batch struct {
	// first is the number of the first line, from 1.
	first int
	// lines holds the lines without their line feeds; nil means that the line was too long.
	lines      [][]byte
	out        []byte
	unreadable int
}

// ScoreCases scores the case lines of r with at most parallel workers (at least 1) and writes an
// answer for each to w, in order. It skips blank lines. For a line that is not a case it writes
// {"id":null,"error":{"kind":"line",…}} with the line's number, and counts it. Memory does not grow
// with the number of lines. The error is r's or w's.
func ScoreCases(r io.Reader, w io.Writer, parallel int) (unreadable int, err error) {
	var c cases
	parsers := make([]value.Parser, max(parallel, 1))
	in := bufio.NewReaderSize(r, 64<<10)
	if mark := "\ufeff"; startsWith(in, mark) {
		in.Discard(len(mark))
	}
	number := 1
	var readErr error
	for readErr == nil {
		// A round: each worker scores one batch, then all are written.
		var batches []*batch
		var wg sync.WaitGroup
		for i := 0; i < len(parsers) && readErr == nil; i++ {
			b := &batch{first: number}
			readErr = b.read(in)
			number += len(b.lines)
			batches = append(batches, b)
			wg.Go(func() { b.score(&c, &parsers[i]) })
		}
		wg.Wait()
		for _, b := range batches {
			unreadable += b.unreadable
			if _, err := w.Write(b.out); err != nil {
				return unreadable, err
			}
		}
	}
	if errors.Is(readErr, io.EOF) {
		return unreadable, nil
	}
	return unreadable, fmt.Errorf("line %d: %w", number, readErr)
}

func startsWith(in *bufio.Reader, text string) bool {
	head, _ := in.Peek(len(text))
	return string(head) == text
}

// read reads lines until they fill a batch. It returns the reader's error, io.EOF at the end; the
// lines before it are kept.
func (b *batch) read(in *bufio.Reader) error {
	for size := 0; size < batchSize; {
		line, err := score.ReadLine(in, nil, maxLine)
		size += len(line)
		switch {
		case errors.Is(err, score.ErrTooLong):
			line = nil
		case err != nil:
			return err
		}
		b.lines = append(b.lines, bytes.TrimSuffix(line, []byte("\n")))
	}
	return nil
}

// score writes the answers for the lines of a batch.
func (b *batch) score(c *cases, p *value.Parser) {
	for i, line := range b.lines {
		if line != nil && len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		at := len(b.out)
		err := fmt.Errorf("is longer than %d bytes", maxLine)
		if line != nil {
			b.out, err = c.score(b.out, p, line)
		}
		if err != nil {
			b.unreadable++
			b.out = appendError(append(b.out[:at], `{"id":null`...), "line", fmt.Sprintf("line %d: %v", b.first+i, err))
		}
		b.out = append(b.out, '\n')
	}
	b.lines = nil
}

// cases scores case lines and caches the scorers. The zero cases is usable; it is safe for
// concurrent use.
type cases struct {
	scorers cache[Rule]
	// patterns limits the time for the patterns in all schemas.
	patterns jsregex.Budget
}

// score appends the answer to a case line, {"id", "scorer", "config", "actual", "expected",
// "tools", "sample"}: {"id","result":{…}} or {"id","error":{"kind","message"}}, without a line
// feed. It returns an error if the line is not a case.
func (c *cases) score(dst []byte, p *value.Parser, line []byte) ([]byte, error) {
	v, err := p.Parse(line)
	if err != nil {
		return dst, err
	}
	if v.Kind() != value.Object {
		return dst, fmt.Errorf("is %s, not an object", v.Kind().WithArticle())
	}
	name, ok := v.Field("scorer").Str()
	if !ok {
		return dst, errors.New("scorer: is missing, must be the name of a scorer")
	}
	dst = append(dst, `{"id":`...)
	dst = value.AppendJSON(dst, v.Field("id"), value.Format{})
	result, err := c.run(name, v)
	if err != nil {
		failure := failureOf(err)
		return appendError(dst, failure.Kind, failure.Message), nil
	}
	dst = append(dst, `,"result":`...)
	dst = value.AppendJSON(dst, result.bounded().object(), value.Format{})
	return append(dst, '}'), nil
}

func appendError(dst []byte, kind, message string) []byte {
	dst = append(dst, `,"error":{"kind":`...)
	dst = value.AppendQuoted(dst, kind)
	dst = append(dst, `,"message":`...)
	dst = value.AppendQuoted(dst, message)
	return append(dst, "}}"...)
}

// caseKeys are the keys of a case, including those that other programs add.
var caseKeys = []string{"id", "scorer", "config", "actual", "expected", "tools", "sample", "want", "source", "note"}

func (c *cases) run(name string, v value.Value) (Result, error) {
	for key := range v.Members() {
		if !slices.Contains(caseKeys, key) {
			return Result{}, configError(key, "is not a key of a case%s", hint(key, caseKeys))
		}
	}
	config := v.Field("config")
	// Each combination of name and configuration is set up once.
	scorer, err := c.scorers.get(name+"\n"+config.Raw(), func(key string) (Rule, error) {
		if copied, err := value.ParseString(key[len(name)+1:]); err == nil {
			config = copied
		}
		s, err := New(key[:len(name)], config)
		if err == nil {
			shareBudget(s, &c.patterns)
		}
		return s, err
	})
	if err != nil {
		return Result{}, err
	}
	return scorer.Score(Input{
		Actual: v.Field("actual"), Expected: v.Field("expected"),
		Tools: v.Field("tools"), Sample: v.Field("sample"),
	})
}

// cache caches what is computed from texts, so that a tool or a configuration is parsed once and
// not for every call. Its size is limited: when it is full it is emptied. The zero cache is usable
// and safe for concurrent use.
type cache[V any] struct {
	mu      sync.RWMutex
	entries map[string]cached[V]
	bytes   int
}

type cached[V any] struct {
	made V
	err  error
}

// The limits of a cache.
const (
	maxCached      = 2048
	maxCachedBytes = 32 << 20
)

// get returns the value that read computes for a key. read gets a copy of the key, so that the
// cache never keeps the line of a log in memory.
func (c *cache[V]) get(key string, read func(key string) (V, error)) (V, error) {
	c.mu.RLock()
	found, ok := c.entries[key]
	c.mu.RUnlock()
	if ok {
		return found.made, found.err
	}
	key = strings.Clone(key)
	found.made, found.err = read(key)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries == nil || len(c.entries) >= maxCached || c.bytes+len(key) > maxCachedBytes {
		c.entries, c.bytes = map[string]cached[V]{}, 0
	}
	c.entries[key] = found
	c.bytes += len(key)
	return found.made, found.err
}

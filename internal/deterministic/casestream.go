package deterministic

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/judgekit/judge/internal/value"
)

// maxLine bounds one line of a case file, in bytes.
const maxLine = 64 << 20

// batchSize is how many bytes of lines one worker gets at a time.
const batchSize = 256 << 10

// batch is a run of lines with their results.
type batch struct {
	// first is the number of the first line, from 1.
	first int
	// lines are the lines without their line feeds; nil is one that was too long.
	lines      [][]byte
	out        []byte
	unreadable int
}

// ScoreCases scores the case lines of r with at most parallel workers (1 where it
// is less) and writes an answer for each to w, in order. Blank lines are skipped. A
// line that is no case is answered by {"id":null,"error":{"kind":"line",…}} with
// its number, and counted. Memory does not grow with the number of lines. The error
// is that of r or w.
func ScoreCases(r io.Reader, w io.Writer, parallel int) (unreadable int, err error) {
	var c cases
	parsers := make([]value.Parser, max(parallel, 1))
	in := bufio.NewReaderSize(r, 64<<10)
	number := 1
	var readErr error
	for readErr == nil {
		// A round: each worker scores one batch, then all are written.
		var batches []*batch
		var wg sync.WaitGroup
		for i := range parsers {
			b := &batch{first: number}
			readErr = b.read(in)
			number += len(b.lines)
			batches = append(batches, b)
			wg.Go(func() { b.score(&c, &parsers[i]) })
			if readErr != nil {
				break
			}
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

// score answers the lines of a batch.
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
			b.out = append(b.out[:at], `{"id":null,"error":{"kind":"line","message":`...)
			b.out = value.AppendQuoted(b.out, fmt.Sprintf("line %d: %v", b.first+i, err))
			b.out = append(b.out, "}}"...)
		}
		b.out = append(b.out, '\n')
	}
	b.lines = nil
}

// read reads lines until they make a batch. The error is that of the reader, io.EOF at
// the end; the lines before it are kept.
func (b *batch) read(in *bufio.Reader) error {
	for size := 0; size < batchSize; {
		line := []byte{}
		for {
			part, err := in.ReadSlice('\n')
			size += len(part)
			if line != nil {
				line = append(line, part...)
			}
			if len(line) > maxLine {
				line = nil
			}
			if errors.Is(err, bufio.ErrBufferFull) {
				continue
			}
			if line == nil || len(line) > 0 {
				b.lines = append(b.lines, bytes.TrimSuffix(line, []byte("\n")))
			}
			if err != nil {
				return err
			}
			break
		}
	}
	return nil
}

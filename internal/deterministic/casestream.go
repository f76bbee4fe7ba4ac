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

// batch is a run of lines, and what became of them.
type batch struct {
	// first is the number of the first line, from 1.
	first int
	lines []byte
	// ends are the ends of the lines in lines; a line that was too long is empty
	// and named in long.
	ends       []int
	long       map[int]bool
	out        []byte
	unreadable int
	done       chan struct{}
}

// ScoreCases scores the case lines of r with at most parallel workers (1 where it
// is less) and writes an answer for each to w, in order. Blank lines are skipped. A
// line that is no case is answered by {"id":null,"error":{"kind":"line",…}} with
// its number, and counted. Memory does not grow with the number of lines. The error
// is that of r or w.
func ScoreCases(r io.Reader, w io.Writer, parallel int) (unreadable int, err error) {
	parallel = max(parallel, 1)
	var cases Cases
	work := make(chan *batch, parallel)
	ordered := make(chan *batch, 2*parallel)
	stop := make(chan struct{})
	var readErr error
	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(work)
		defer close(ordered)
		readErr = readBatches(r, func(b *batch) bool {
			select {
			case <-stop:
				return false
			case ordered <- b:
			}
			work <- b
			return true
		})
	})
	for range parallel {
		wg.Go(func() {
			var p value.Parser
			for b := range work {
				b.score(&cases, &p)
				close(b.done)
			}
		})
	}
	for b := range ordered {
		<-b.done
		if err != nil {
			continue
		}
		unreadable += b.unreadable
		if _, err = w.Write(b.out); err != nil {
			close(stop)
		}
	}
	wg.Wait()
	if err == nil {
		err = readErr
	}
	return unreadable, err
}

// score answers the lines of a batch.
func (b *batch) score(cases *Cases, p *value.Parser) {
	start := 0
	b.out = make([]byte, 0, len(b.lines)/2)
	for i, end := range b.ends {
		line := b.lines[start:end]
		start = end
		if len(bytes.TrimSpace(line)) == 0 && !b.long[i] {
			continue
		}
		at := len(b.out)
		var err error
		if b.long[i] {
			err = fmt.Errorf("is longer than %d bytes", maxLine)
		} else {
			b.out, err = cases.score(b.out, p, line)
		}
		if err != nil {
			b.unreadable++
			b.out = append(b.out[:at], `{"id":null,"error":{"kind":"line","message":`...)
			b.out = value.AppendQuoted(b.out, fmt.Sprintf("line %d: %v", b.first+i, err))
			b.out = append(b.out, "}}"...)
		}
		b.out = append(b.out, '\n')
	}
	b.lines, b.ends = nil, nil
}

// readBatches cuts r into batches of whole lines and hands each to give, until it
// says no.
func readBatches(r io.Reader, give func(*batch) bool) error {
	in := bufio.NewReaderSize(r, 64<<10)
	b := &batch{first: 1, done: make(chan struct{})}
	number := 1
	for {
		more, err := b.readLine(in)
		if err != nil && !errors.Is(err, io.EOF) {
			give(b)
			return fmt.Errorf("line %d: %w", number, err)
		}
		if more {
			number++
		}
		if len(b.lines) >= batchSize || err != nil {
			if len(b.ends) > 0 && !give(b) {
				return nil
			}
			b = &batch{first: number, done: make(chan struct{})}
		}
		if err != nil {
			return nil
		}
	}
}

// readLine appends the next line, without its line feed. It reports whether there
// was one.
func (b *batch) readLine(in *bufio.Reader) (bool, error) {
	start, tooLong := len(b.lines), false
	for {
		part, err := in.ReadSlice('\n')
		if len(b.lines)-start+len(part) > maxLine {
			tooLong = true
			b.lines = b.lines[:start]
		}
		if !tooLong {
			b.lines = append(b.lines, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil && len(b.lines) == start && !tooLong {
			return false, err
		}
		if n := len(b.lines); n > start && b.lines[n-1] == '\n' {
			b.lines = b.lines[:n-1]
		}
		if tooLong {
			if b.long == nil {
				b.long = map[int]bool{}
			}
			b.long[len(b.ends)] = true
		}
		b.ends = append(b.ends, len(b.lines))
		return true, err
	}
}

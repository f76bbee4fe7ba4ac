package journal

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
)

// place packs an offset (40 bits, 1 TiB) and a length (24 bits). A length that
// does not fit is stored as longLine, and the line is then read to its end.
type place uint64

const (
	longLine = 1<<24 - 1
	maxSize  = 1<<40 - 1
	maxLine  = 256 << 20
)

func newPlace(offset int64, length int) place {
	return place(offset)<<24 | place(min(length, longLine))
}

// scanLines calls f with each line, its offset, and whether a newline ended it.
// The line is valid during the call only.
func scanLines(r io.Reader, f func(offset int64, line []byte, whole bool) error) error {
	br := bufio.NewReaderSize(r, 256<<10)
	var (
		offset int64
		long   []byte
	)
	for {
		part, err := br.ReadSlice('\n')
		if err == bufio.ErrBufferFull {
			if long = append(long, part...); len(long) > maxLine {
				return fmt.Errorf("line at byte %d is longer than %d bytes", offset, maxLine)
			}
			continue
		}
		line := part
		if len(long) > 0 {
			long = append(long, part...)
			line = long
		}
		switch {
		case err == nil:
			if ferr := f(offset, line[:len(line)-1], true); ferr != nil {
				return ferr
			}
		case err != io.EOF:
			return err
		case len(line) > 0:
			return f(offset, line, false)
		default:
			return nil
		}
		offset += int64(len(line))
		long = long[:0]
	}
}

func (j *Journal) lineAt(at place) ([]byte, error) {
	offset, length := int64(at>>24), int(at&longLine)
	if length < longLine {
		line := make([]byte, length)
		_, err := j.file.ReadAt(line, offset)
		return line, err
	}
	var line []byte
	stop := errors.New("one line is enough")
	err := scanLines(io.NewSectionReader(j.file, offset, 1<<62-offset), func(_ int64, l []byte, _ bool) error {
		line = append(line, l...)
		return stop
	})
	if err != stop {
		return nil, err
	}
	return line, nil
}

// Entries yields the records in file order, reading one line at a time. A
// damaged line yields an error and the reading goes on; an I/O error ends it.
// Records appended while it runs may or may not be seen.
func (j *Journal) Entries() iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		stop, number := errors.New("stopped"), 0
		err := scanLines(io.NewSectionReader(j.file, 0, 1<<62), func(_ int64, line []byte, whole bool) error {
			number++
			if !whole {
				return nil
			}
			e, err := parseEntry(line)
			if err != nil {
				err = fmt.Errorf("journal %s:%d: %w", j.path, number, err)
			}
			if !yield(e, err) {
				return stop
			}
			return nil
		})
		if err != nil && err != stop {
			yield(nil, fmt.Errorf("journal %s: %w", j.path, err))
		}
	}
}

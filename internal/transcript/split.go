package transcript

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// item is one record of a log before it is read.
type item struct {
	data []byte
	// line is the 1-based line the record starts in.
	line int
	// index is the 0-based position of the record in its file.
	index int
	// problem says why there is no record here, "" where there is one.
	problem string
}

// splitter cuts a log into records without reading what is in them. It holds one
// record at a time; a record over the limit is passed over.
type splitter struct {
	in    *bufio.Reader
	limit int
	line  int
	index int
	buf   []byte
}

func newSplitter(in *bufio.Reader, limit int) *splitter {
	return &splitter{in: in, limit: limit, line: 1}
}

// tooLong is the problem of a record over the limit.
const tooLong = "the record is longer than the limit of %d bytes and was passed over: raise the limit to read it"

// nextLine returns the next line that is not blank; its data is valid until the
// next call. At the end of the input it returns io.EOF.
func (s *splitter) nextLine() (item, error) {
	for {
		line := s.line
		data, over, err := s.readLine()
		if err != nil && !errors.Is(err, io.EOF) {
			return item{line: line, index: s.index}, err
		}
		over = over || len(data) > s.limit
		data = bytes.TrimSpace(data)
		if len(data) > 0 || over {
			it := item{data: data, line: line, index: s.index}
			if over {
				it.data, it.problem = nil, tooLong
			}
			s.index++
			return it, nil
		}
		if err != nil {
			return item{line: line, index: s.index}, err
		}
	}
}

// readLine reads up to and with the next line feed.
func (s *splitter) readLine() (data []byte, over bool, err error) {
	s.line++
	data, err = s.in.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return data, false, err
	}
	s.reset()
	s.buf = append(s.buf, data...)
	for errors.Is(err, bufio.ErrBufferFull) {
		data, err = s.in.ReadSlice('\n')
		if len(s.buf)+len(data) > s.limit {
			over, s.buf = true, s.buf[:0]
		}
		if !over {
			s.buf = append(s.buf, data...)
		}
	}
	return s.buf, over, err
}

// reset empties the buffer, and lets go of a huge one.
func (s *splitter) reset() {
	if cap(s.buf) > 4<<20 {
		s.buf = nil
	}
	s.buf = s.buf[:0]
}

// peek skips blanks and returns the next byte without reading it.
func (s *splitter) peek() (byte, error) {
	for {
		c, err := s.in.ReadByte()
		if err != nil {
			return 0, err
		}
		switch c {
		case '\n':
			s.line++
		case ' ', '\t', '\r':
		default:
			return c, s.in.UnreadByte()
		}
	}
}

// take reads the byte that peek returned.
func (s *splitter) take() { s.in.Discard(1) }

// nextValue returns the next JSON value, or what stands in its place up to the next
// comma, bracket or blank. Its data is valid until the next call. When the input
// ends inside the value, the item says so and err is io.ErrUnexpectedEOF.
func (s *splitter) nextValue() (item, error) {
	if _, err := s.peek(); err != nil {
		return item{line: s.line, index: s.index}, err
	}
	it := item{line: s.line, index: s.index}
	s.index++
	s.reset()
	var w walk
	over := false
	for {
		chunk, err := s.chunk()
		if err != nil {
			if errors.Is(err, io.EOF) && w.scalar && !w.text {
				break
			}
			it.data = s.buf
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return it, err
		}
		n, done := w.feed(chunk)
		if len(s.buf)+n > s.limit {
			over, s.buf = true, s.buf[:0]
		}
		if !over {
			s.buf = append(s.buf, chunk[:n]...)
		}
		s.line += bytes.Count(chunk[:n], []byte{'\n'})
		s.in.Discard(n)
		if done {
			break
		}
	}
	it.data = s.buf
	if over {
		it.data, it.problem = nil, tooLong
	}
	return it, nil
}

// chunk returns what is in the buffer, after filling it when it is empty.
func (s *splitter) chunk() ([]byte, error) {
	if s.in.Buffered() == 0 {
		if _, err := s.in.Peek(1); err != nil {
			return nil, err
		}
	}
	return s.in.Peek(s.in.Buffered())
}

// walk follows the brackets and strings of one JSON value.
type walk struct {
	depth        int
	text, escape bool
	// scalar says that the value is a number or a word: it ends before the next
	// delimiter.
	scalar bool
}

// feed reads data and returns how many bytes of it belong to the value and whether
// the value is complete.
func (w *walk) feed(data []byte) (int, bool) {
	for i := 0; i < len(data); i++ {
		c := data[i]
		if w.text {
			switch {
			case w.escape:
				w.escape = false
			case c == '\\':
				w.escape = true
			case c == '"':
				w.text = false
				if w.depth == 0 {
					return i + 1, true
				}
			}
			continue
		}
		switch c {
		case '"':
			if w.scalar {
				return i, true
			}
			w.text = true
		case '{', '[':
			if w.scalar {
				return i, true
			}
			w.depth++
		case '}', ']':
			if w.depth == 0 {
				return max(i, b2i(!w.scalar)), true
			}
			if w.depth--; w.depth == 0 {
				return i + 1, true
			}
		case ',', ' ', '\t', '\r', '\n':
			if w.depth == 0 {
				return max(i, b2i(!w.scalar)), true
			}
		default:
			if w.depth == 0 {
				w.scalar = true
			}
		}
	}
	return len(data), false
}

// b2i makes a stray delimiter a value of one byte, so that reading always advances.
func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

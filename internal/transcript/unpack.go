package transcript

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/judgekit/judge/internal/value"
)

// headSize is how much of a file decides on its format.
const headSize = 64 << 10

// maxWrappings bounds how often a container may be in a container.
const maxWrappings = 3

// The bounds of compressed data: more than bombSize bytes that are more than bombRatio
// times what they were unpacked from are no log.
const (
	bombSize  = 256 << 20
	bombRatio = 900
)

// container is a form of a file that holds a log, known by its first bytes.
type container struct {
	name, magic string
	// is recognises what the first bytes alone do not; nil where magic decides.
	is func(head []byte) bool
	// open returns the text of the log that is inside: JSON values, as lines, a list or
	// one object. What it returns may be an io.Closer. Nil for what cannot be read.
	open func(in *bufio.Reader, limit int) (io.Reader, error)
	// advice says what to do with a container that cannot be read.
	advice string
}

// The first bytes of zstd data, and the largest window that is unpacked.
const (
	zstdMagic = "\x28\xb5\x2f\xfd"
	maxWindow = 128 << 20
)

const (
	utf16Advice   = "UTF-16 text: save it as UTF-8, for instance with `iconv -f UTF-16"
	utf16Unmarked = "UTF-16 text without a mark: save it as UTF-8, for instance with `iconv -f UTF-16"
)

func containers() []container {
	return []container{
		{name: "gzip", magic: "\x1f\x8b", open: openGzip},
		{name: "zstd", magic: zstdMagic, open: openZstd},
		{name: "otlp-proto", is: isExport, open: openExport},
		{name: "otlp-proto", is: isSized, open: openSized},
		{name: "zip", magic: "PK\x03\x04", open: openEval},
		{name: "parquet", magic: "PAR1", open: openParquet},
		{name: "sqlite", magic: "SQLite format 3\x00", advice: "a SQLite database (sessions of the OpenAI Agents " +
			"SDK and of ADK are): write its table of messages as JSON, for instance with " +
			"`sqlite3 -json FILE 'select * from agent_messages'`"},
		{name: "bzip2", magic: "BZh", advice: "bzip2 data: unpack it first with `bunzip2`"},
		{name: "xz", magic: "\xfd7zXZ", advice: "xz data: unpack it first with `unxz`"},
		{name: "utf-16", magic: "\xff\xfe", advice: utf16Advice + " -t UTF-8`"},
		{name: "utf-16", magic: "\xfe\xff", advice: utf16Advice + " -t UTF-8`"},
		{name: "utf-16", magic: "{\x00", advice: utf16Unmarked + "LE -t UTF-8`"},
		{name: "utf-16", magic: "[\x00", advice: utf16Unmarked + "LE -t UTF-8`"},
		{name: "utf-16", magic: "\x00{", advice: utf16Unmarked + "BE -t UTF-8`"},
		{name: "utf-16", magic: "\x00[", advice: utf16Unmarked + "BE -t UTF-8`"},
		{name: "csv", is: func(head []byte) bool { return separator(bytes.TrimPrefix(head, []byte("\ufeff"))) != 0 },
			open: openCSV},
	}
}

func containerOf(head []byte) *container {
	for _, c := range containers() {
		if bytes.HasPrefix(head, []byte(c.magic)) && (c.is == nil || c.is(head)) {
			return &c
		}
	}
	return nil
}

// unpacker takes off the containers that a log is in: names are these, the outermost first.
type unpacker struct {
	names   []string
	closers []io.Closer
}

// unpack takes off containers and a byte order mark. It returns a reader whose buffer
// holds the first headSize bytes of the text. limit bounds one conversation.
func (u *unpacker) unpack(file string, r io.Reader, limit int) (*bufio.Reader, error) {
	in := bufio.NewReaderSize(r, headSize)
	for {
		head, err := in.Peek(512)
		if err != nil && !errors.Is(err, io.EOF) && len(head) == 0 {
			return nil, err
		}
		c := containerOf(head)
		switch {
		case c == nil:
			if bytes.HasPrefix(head, []byte("\ufeff")) {
				in.Discard(len("\ufeff"))
			}
			return in, nil
		case c.open == nil:
			return nil, &FormatError{File: file, Format: c.name, Message: "this is " + c.advice}
		case len(u.names) == maxWrappings:
			message := fmt.Sprintf("it is packed more than %d times, at last as %s: unpack it first", maxWrappings, c.name)
			return nil, &FormatError{File: file, Format: c.name, Message: message}
		}
		inside, err := c.open(in, limit)
		var end *endError
		if errors.As(err, &end) {
			return nil, &FormatError{File: file, Format: c.name, Message: end.message}
		}
		if err != nil {
			return nil, &FormatError{File: file, Format: c.name, Message: fmt.Sprintf("the %s header cannot be read (%v): "+
				"the file is damaged, copy it again", c.name, err)}
		}
		if closer, ok := inside.(io.Closer); ok {
			u.closers = append(u.closers, closer)
		}
		u.names = append(u.names, c.name)
		in = bufio.NewReaderSize(inside, headSize)
	}
}

// close frees what the containers took.
func (u *unpacker) close() {
	for _, c := range u.closers {
		c.Close()
	}
}

func openGzip(in *bufio.Reader, _ int) (io.Reader, error) {
	packed := &counted{in: in}
	unpacked, err := gzip.NewReader(packed)
	return &unpacking{ReadCloser: unpacked, packed: packed, name: "gzip"}, err
}

func openZstd(in *bufio.Reader, _ int) (io.Reader, error) {
	packed := &counted{in: in}
	unpacked, err := zstd.NewReader(packed, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, err
	}
	return &unpacking{ReadCloser: unpacked.IOReadCloser(), packed: packed, name: "zstd"}, nil
}

// counted counts what is read of packed data, and keeps the error of its reader.
type counted struct {
	in  *bufio.Reader
	n   int64
	err error
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.in.Read(p)
	if c.n += int64(n); err != nil && !errors.Is(err, io.EOF) {
		c.err = err
	}
	return n, err
}

// unpacking reads compressed data. An error that is not one of the file below it says
// that the data is broken: what came before can be used. Data that unpacks to far more
// than a log does is refused.
type unpacking struct {
	io.ReadCloser
	packed *counted
	n      int64
	name   string
}

func (u *unpacking) Read(p []byte) (int, error) {
	n, err := u.ReadCloser.Read(p)
	if u.n += int64(n); u.n > bombSize && u.n/bombRatio > u.packed.n {
		return n, &endError{fmt.Sprintf("%d bytes of %s data unpack to more than %d bytes: this is no log",
			u.packed.n, u.name, u.n)}
	}
	switch {
	case err == nil || errors.Is(err, io.EOF):
		return n, err
	case u.packed.err != nil:
		return n, u.packed.err
	}
	return n, &endError{"the " + u.name + " data is damaged or cut short: " + err.Error()}
}

// pieces reads a text that is made piece by piece. next returns io.EOF behind the last one.
type pieces struct {
	text    []byte
	next    func() ([]byte, error)
	closers []io.Closer
}

func (p *pieces) Read(to []byte) (int, error) {
	for len(p.text) == 0 {
		var err error
		if p.text, err = p.next(); err != nil {
			return 0, err
		}
	}
	n := copy(to, p.text)
	p.text = p.text[n:]
	return n, nil
}

// Close implements io.Closer.
func (p *pieces) Close() error {
	for _, c := range p.closers {
		c.Close()
	}
	return nil
}

// rows is a table as lines of JSON. size is that of its file where the rows may be far more
// than the file is, else 0.
func rows(size int64, row func() (value.Value, error), closers ...io.Closer) *pieces {
	written := int64(0)
	return &pieces{closers: closers, next: func() ([]byte, error) {
		v, err := row()
		if err != nil {
			return nil, err
		}
		line := append(value.AppendJSON(nil, v, value.Format{}), '\n')
		if written += int64(len(line)); size > 0 && written > bombSize && written/bombRatio > size {
			return nil, &endError{fmt.Sprintf("%d bytes unpack to more than %d bytes of rows: this is no log", size,
				written)}
		}
		return line, nil
	}}
}

// listed is the text of an object that ends with a list of n elements; element appends one.
func listed(head value.Value, key string, n int, element func(to []byte, i int) []byte, closers ...io.Closer) *pieces {
	i := -1
	text := strings.TrimSuffix(head.JSON(), "}") + `,"` + key + `":[`
	return &pieces{text: []byte(text), closers: closers, next: func() ([]byte, error) {
		switch i++; {
		case i > n:
			return nil, io.EOF
		case i == n:
			return []byte("]}"), nil
		case i == 0:
			return element(nil, 0), nil
		}
		return element([]byte{','}, i), nil
	}}
}

// The bounds of what is held in memory and of a file that is read from its end.
const (
	spillMemory = 32 << 20
	maxSeekable = 16 << 30
)

// spill holds bytes: in memory first, then in a temporary file, which no other process sees
// where the system allows files without a name.
type spill struct {
	memory []byte
	file   *os.File
	size   int64
}

func (s *spill) Write(p []byte) (n int, err error) {
	if s.file == nil && s.size+int64(len(p)) <= spillMemory {
		s.memory = append(s.memory, p...)
		s.size += int64(len(p))
		return len(p), nil
	}
	if s.file == nil {
		if s.file, err = os.CreateTemp("", "judge-log-*"); err != nil {
			return 0, err
		}
		os.Remove(s.file.Name()) // fails where open files keep their names; Close tries again
		if _, err := s.file.Write(s.memory); err != nil {
			return 0, err
		}
		s.memory = nil
	}
	n, err = s.file.Write(p)
	s.size += int64(n)
	return n, err
}

func (s *spill) ReadAt(p []byte, at int64) (int, error) {
	if s.file != nil {
		return s.file.ReadAt(p, at)
	}
	return bytes.NewReader(s.memory).ReadAt(p, at)
}

// Close frees what is held. It may be called again.
func (s *spill) Close() error {
	if s.file != nil {
		s.file.Close()
		os.Remove(s.file.Name())
	}
	s.memory = nil
	return nil
}

// seekable reads a stream to its end.
func seekable(in io.Reader) (*spill, error) {
	s := &spill{}
	_, err := io.Copy(s, io.LimitReader(in, maxSeekable+1))
	if err == nil && s.size > maxSeekable {
		err = fmt.Errorf("it is longer than %d bytes", int64(maxSeekable))
	}
	if err != nil {
		s.Close()
	}
	return s, err
}

// maxToolFile bounds an inventory that was compressed, in bytes.
const maxToolFile = 256 << 20

// Unpacked returns the text of a small file: without gzip or zstd around it and without a byte
// order mark.
func Unpacked(data []byte) ([]byte, error) {
	for range maxWrappings {
		c := containerOf(data)
		if c == nil || c.name != "gzip" && c.name != "zstd" {
			break
		}
		inside, err := c.open(bufio.NewReader(bytes.NewReader(data)), maxToolFile)
		if err != nil {
			return nil, fmt.Errorf("the %s header cannot be read: %w", c.name, err)
		}
		data, err = io.ReadAll(io.LimitReader(inside, maxToolFile+1))
		if closer, ok := inside.(io.Closer); ok {
			closer.Close()
		}
		if err == nil && len(data) > maxToolFile {
			err = fmt.Errorf("holds more than %d bytes", maxToolFile)
		}
		if err != nil {
			return nil, err
		}
	}
	return bytes.TrimPrefix(data, []byte("\ufeff")), nil
}

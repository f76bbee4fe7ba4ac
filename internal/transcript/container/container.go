// Package container turns the bytes of a file into the records of a log: it removes compression, turns tables
// (CSV, Parquet) and recordings (YAML) into lines of JSON, and splits JSON into records, which may be lines,
// the elements of a list, values one after another, or the elements of a list inside one object.
//
// It promises that each record is returned exactly once, in the file's order and with its line; that a record
// over the limit is skipped alone; that a truncated file yields everything before the end; and that memory
// grows with the largest record, not with the file.
//
// It knows no log format: a format whose files need unpacking brings its own Form.
package container

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
)

// headSize is the size of the beginning of a file that decides its form and its format.
const headSize = 64 << 10

// longHeadSize is the size of the beginning that decides if the first record is longer than headSize.
const longHeadSize = 2 << 20

// maxWrappings limits how deep containers may be nested.
const maxWrappings = 3

// Form is a kind of file that contains a log, recognised by its first bytes.
type Form struct {
	Name string
	// Magic holds the first bytes of every such file.
	Magic string
	// Is recognises a file if Magic is not enough; nil if it is.
	Is func(head []byte) bool
	// Open returns the text of the log: JSON values as lines, a list or one object. The reader may
	// be an io.Closer. limit limits one conversation. Open is nil if the form cannot be read.
	Open func(in *bufio.Reader, limit int) (io.Reader, error)
	// Advice says what to do with a file that cannot be read.
	Advice string
}

const (
	utf16Advice   = "UTF-16 text: save it as UTF-8, for instance with `iconv -f UTF-16"
	utf16Unmarked = "UTF-16 text without a mark: save it as UTF-8, for instance with `iconv -f UTF-16"
)

// forms lists the general forms, which are tried after those of the log formats.
func forms(column func(name string) bool) []Form {
	return []Form{
		{Name: "gzip", Magic: "\x1f\x8b", Open: openGzip},
		{Name: "zstd", Magic: ZstdMagic, Open: openZstd},
		{Name: "parquet", Magic: "PAR1", Open: openParquet},
		{Name: "sqlite", Magic: "SQLite format 3\x00", Advice: "a SQLite database (sessions of the OpenAI Agents " +
			"SDK and of ADK are): write its table of messages as JSON, for instance with " +
			"`sqlite3 -json FILE 'select * from agent_messages'`"},
		{Name: "bzip2", Magic: "BZh", Advice: "bzip2 data: unpack it first with `bunzip2`"},
		{Name: "xz", Magic: "\xfd7zXZ", Advice: "xz data: unpack it first with `unxz`"},
		{Name: "utf-16", Magic: "\xff\xfe", Advice: utf16Advice + " -t UTF-8`"},
		{Name: "utf-16", Magic: "\xfe\xff", Advice: utf16Advice + " -t UTF-8`"},
		{Name: "utf-16", Magic: "{\x00", Advice: utf16Unmarked + "LE -t UTF-8`"},
		{Name: "utf-16", Magic: "[\x00", Advice: utf16Unmarked + "LE -t UTF-8`"},
		{Name: "utf-16", Magic: "\x00{", Advice: utf16Unmarked + "BE -t UTF-8`"},
		{Name: "utf-16", Magic: "\x00[", Advice: utf16Unmarked + "BE -t UTF-8`"},
		{Name: "yaml", Is: cassetteBegins.Match, Open: openCassette},
		{Name: "json in a string", Is: quotedBegins.Match, Open: openQuoted},
		{
			Name: "csv",
			Is:   func(head []byte) bool { return separator(withoutMark(head), column) != 0 },
			Open: func(in *bufio.Reader, limit int) (io.Reader, error) { return openCSV(in, limit, column) },
		},
	}
}

// withoutMark removes a UTF-8 byte order mark.
func withoutMark(text []byte) []byte { return bytes.TrimPrefix(text, []byte("\ufeff")) }

func formOf(head []byte, forms []Form) *Form {
	i := slices.IndexFunc(forms, func(f Form) bool {
		return bytes.HasPrefix(head, []byte(f.Magic)) && (f.Is == nil || f.Is(head))
	})
	if i < 0 {
		return nil
	}
	return &forms[i]
}

// Broken says why the rest of a log cannot be read: its content is wrong, while reading the bytes worked.
type Broken struct {
	// Form is the form of the file; "" for text.
	Form    string
	Message string
}

// Error returns the message.
func (e *Broken) Error() string { return e.Message }

// CutShort turns an end of input inside a record into a Broken.
func CutShort(err error) error {
	if errors.Is(err, io.EOF) {
		return &Broken{Message: "the file ends inside of this record: it is cut short"}
	}
	return err
}

// Options says how a file is opened.
type Options struct {
	// Limit limits the bytes of one record.
	Limit int
	// Forms are the log formats' forms, which are tried before the general ones.
	Forms []Form
	// Column reports whether a table with a column of this name is a log.
	Column func(name string) bool
}

// Log is the text of a log.
type Log struct {
	// Forms names the removed containers, outermost first.
	Forms []string
	// First is the first byte that is not blank.
	First   byte
	split   *splitter
	closers []io.Closer
}

// Open removes the containers and a byte order mark. The error is io.EOF for an empty log, and a
// *Broken if the file has no readable form.
func Open(r io.Reader, opts Options) (l *Log, err error) {
	l = &Log{}
	defer func() {
		if err != nil {
			l.Close()
		}
	}()
	in := bufio.NewReaderSize(r, headSize)
	for {
		head, err := in.Peek(512)
		if err != nil && !errors.Is(err, io.EOF) && len(head) == 0 {
			return l, err
		}
		form := formOf(head, slices.Concat(opts.Forms, forms(opts.Column)))
		if form == nil {
			in.Discard(len(head) - len(withoutMark(head)))
			l.split = &splitter{in: in, limit: opts.Limit, line: 1, fresh: true}
			l.First, err = l.split.peek()
			return l, err
		}
		if in, err = l.unpack(form, in, opts.Limit); err != nil {
			return l, err
		}
	}
}

// unpack removes one container.
func (l *Log) unpack(form *Form, in *bufio.Reader, limit int) (*bufio.Reader, error) {
	switch {
	case form.Open == nil:
		return nil, &Broken{form.Name, "this is " + form.Advice}
	case len(l.Forms) == maxWrappings:
		return nil, &Broken{form.Name, fmt.Sprintf("it is packed more than %d times, at last as %s: unpack it first",
			maxWrappings, form.Name)}
	}
	inside, err := form.Open(in, limit)
	var broken *Broken
	var disk *fs.PathError // the log's, or that of temporary files
	switch {
	case errors.As(err, &broken):
		return nil, &Broken{form.Name, broken.Message}
	case errors.As(err, &disk):
		return nil, err
	case err != nil:
		return nil, &Broken{form.Name, fmt.Sprintf("the %s header cannot be read (%v): the file is damaged, copy it again",
			form.Name, err)}
	}
	if closer, ok := inside.(io.Closer); ok {
		l.closers = append(l.closers, closer)
	}
	l.Forms = append(l.Forms, form.Name)
	return bufio.NewReaderSize(inside, headSize), nil
}

// Head returns the beginning of the unread text. If there is an error after the first byte, reading
// returns it later.
func (l *Log) Head() []byte {
	head, _ := l.split.in.Peek(headSize)
	return head
}

// LongHead returns a longer beginning than Head, for a log whose first record is longer than
// headSize; nil if Head was everything.
func (l *Log) LongHead() []byte {
	if l.split.in.Buffered() < headSize {
		return nil
	}
	l.split.in = bufio.NewReaderSize(l.split.in, longHeadSize)
	head, _ := l.split.in.Peek(longHeadSize)
	return head
}

// Close frees the resources of the containers.
func (l *Log) Close() {
	for _, c := range l.closers {
		c.Close()
	}
}

// maxSmallFile limits the result of Unpacked, in bytes.
const maxSmallFile = 256 << 20

// Unpacked returns the text of a small file without gzip, zstd and byte order mark.
func Unpacked(data []byte) ([]byte, error) {
	for range maxWrappings {
		form := formOf(data, forms(nil)[:2])
		if form == nil {
			break
		}
		inside, err := form.Open(bufio.NewReader(bytes.NewReader(data)), maxSmallFile)
		if err != nil {
			return nil, fmt.Errorf("the %s header cannot be read: %w", form.Name, err)
		}
		data, err = io.ReadAll(io.LimitReader(inside, maxSmallFile+1))
		if closer, ok := inside.(io.Closer); ok {
			closer.Close()
		}
		if err == nil && len(data) > maxSmallFile {
			err = fmt.Errorf("holds more than %d bytes", maxSmallFile)
		}
		if err != nil {
			return nil, err
		}
	}
	return withoutMark(data), nil
}

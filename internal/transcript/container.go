package transcript

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
)

// headSize is how much of a file decides on its format.
const headSize = 64 << 10

// maxWrappings bounds how often gzip may be wrapped in gzip.
const maxWrappings = 3

// unwrap takes off gzip and a byte order mark, and refuses what is no text. It
// returns a reader whose buffer holds the first headSize bytes.
func unwrap(file string, r io.Reader) (*bufio.Reader, error) {
	in := bufio.NewReaderSize(r, headSize)
	for wrapped := 0; ; wrapped++ {
		head, err := in.Peek(4)
		if err != nil && !errors.Is(err, io.EOF) && len(head) == 0 {
			return nil, err
		}
		if !bytes.HasPrefix(head, []byte{0x1f, 0x8b}) {
			break
		}
		if wrapped == maxWrappings {
			return nil, &FormatError{file, "gzip", fmt.Sprintf("gzip is wrapped in gzip more than %d times: unpack it first", maxWrappings)}
		}
		unpacked, err := gzip.NewReader(in)
		if err != nil {
			return nil, &FormatError{file, "gzip", fmt.Sprintf("the gzip header cannot be read (%v): the file is damaged, copy it again", err)}
		}
		in = bufio.NewReaderSize(&damaged{unpacked}, headSize)
	}
	if err := refuse(file, in); err != nil {
		return nil, err
	}
	if head, _ := in.Peek(3); bytes.Equal(head, []byte{0xef, 0xbb, 0xbf}) {
		in.Discard(3)
	}
	return in, nil
}

// damagedError marks what a broken gzip stream says, to tell it from an I/O error.
type damagedError struct{ err error }

func (e *damagedError) Error() string {
	return "the gzip data is damaged or cut short: " + e.err.Error()
}

func (e *damagedError) Unwrap() error { return e.err }

// damaged turns the errors of a gzip stream that say that its data is broken into
// damagedErrors, so that what came before them can be used.
type damaged struct{ r io.Reader }

func (d *damaged) Read(p []byte) (int, error) {
	n, err := d.r.Read(p)
	var corrupt flate.CorruptInputError
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, gzip.ErrHeader) || errors.As(err, &corrupt) {
		err = &damagedError{err}
	}
	return n, err
}

// containers are the first bytes of files that are recognised and not read.
var containers = []struct{ magic, name, advice string }{
	{"PK\x03\x04", "zip", "a zip file (Inspect .eval logs are): known but unsupported yet; convert it with `inspect log convert --to json`"},
	{"PAR1", "parquet", "a Parquet file (LangSmith and Langfuse exports are): known but unsupported yet; export it as JSONL"},
	{"\x28\xb5\x2f\xfd", "zstd", "zstd data: known but unsupported yet; unpack it first with `zstd -d`"},
	{"BZh", "bzip2", "bzip2 data: unpack it first with `bunzip2`"},
	{"\xfd7zXZ", "xz", "xz data: unpack it first with `unxz`"},
	{"\xff\xfe", "utf-16", "UTF-16 text: save it as UTF-8, for instance with `iconv -f UTF-16 -t UTF-8`"},
	{"\xfe\xff", "utf-16", "UTF-16 text: save it as UTF-8, for instance with `iconv -f UTF-16 -t UTF-8`"},
	{"{\x00", "utf-16", "UTF-16 text without a mark: save it as UTF-8, for instance with `iconv -f UTF-16LE -t UTF-8`"},
	{"[\x00", "utf-16", "UTF-16 text without a mark: save it as UTF-8, for instance with `iconv -f UTF-16LE -t UTF-8`"},
	{"\x00{", "utf-16", "UTF-16 text without a mark: save it as UTF-8, for instance with `iconv -f UTF-16BE -t UTF-8`"},
	{"\x00[", "utf-16", "UTF-16 text without a mark: save it as UTF-8, for instance with `iconv -f UTF-16BE -t UTF-8`"},
}

// refuse names the files that can be told by their first bytes and not be read.
func refuse(file string, in *bufio.Reader) error {
	head, err := in.Peek(8)
	if err != nil && !errors.Is(err, io.EOF) && len(head) == 0 {
		return err
	}
	for _, c := range containers {
		if bytes.HasPrefix(head, []byte(c.magic)) {
			return &FormatError{file, c.name, "this is " + c.advice}
		}
	}
	return nil
}

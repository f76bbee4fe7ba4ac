package transcript

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
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
		head, err := in.Peek(8)
		if err != nil && !errors.Is(err, io.EOF) && len(head) == 0 {
			return nil, err
		}
		if !bytes.HasPrefix(head, []byte{0x1f, 0x8b}) {
			return in, refuse(file, in, head)
		}
		if wrapped == maxWrappings {
			message := fmt.Sprintf("gzip is wrapped in gzip more than %d times: unpack it first", maxWrappings)
			return nil, &FormatError{file, "gzip", message}
		}
		unpacked, err := gzip.NewReader(in)
		if err != nil {
			message := fmt.Sprintf("the gzip header cannot be read (%v): the file is damaged, copy it again", err)
			return nil, &FormatError{file, "gzip", message}
		}
		in = bufio.NewReaderSize(&damaged{unpacked}, headSize)
	}
}

// damaged marks the errors of a gzip stream that say that its data is broken, as
// distinct from I/O errors: what came before them can be used.
type damaged struct{ r io.Reader }

func (d *damaged) Read(p []byte) (int, error) {
	n, err := d.r.Read(p)
	var corrupt flate.CorruptInputError
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, gzip.ErrChecksum) ||
		errors.Is(err, gzip.ErrHeader) || errors.As(err, &corrupt) {
		err = &endError{"the gzip data is damaged or cut short: " + err.Error()}
	}
	return n, err
}

const utf16Advice = "save it as UTF-8, for instance with `iconv -f UTF-16"

// containers are the first bytes of files that are recognised and not read.
var containers = []struct{ magic, name, advice string }{
	{"PK\x03\x04", "zip", "a zip file (Inspect .eval logs are): known but unsupported yet; " +
		"convert it with `inspect log convert --to json`"},
	{"PAR1", "parquet", "a Parquet file (LangSmith and Langfuse exports are): known but unsupported yet; " +
		"export it as JSONL"},
	{"\x28\xb5\x2f\xfd", "zstd", "zstd data: known but unsupported yet; unpack it first with `zstd -d`"},
	{"BZh", "bzip2", "bzip2 data: unpack it first with `bunzip2`"},
	{"\xfd7zXZ", "xz", "xz data: unpack it first with `unxz`"},
	{"\xff\xfe", "utf-16", "UTF-16 text: " + utf16Advice + " -t UTF-8`"},
	{"\xfe\xff", "utf-16", "UTF-16 text: " + utf16Advice + " -t UTF-8`"},
	{"{\x00", "utf-16", "UTF-16 text without a mark: " + utf16Advice + "LE -t UTF-8`"},
	{"[\x00", "utf-16", "UTF-16 text without a mark: " + utf16Advice + "LE -t UTF-8`"},
	{"\x00{", "utf-16", "UTF-16 text without a mark: " + utf16Advice + "BE -t UTF-8`"},
	{"\x00[", "utf-16", "UTF-16 text without a mark: " + utf16Advice + "BE -t UTF-8`"},
}

// refuse names the files that cannot be read, known by their first bytes, and takes off
// the byte order mark of others.
func refuse(file string, in *bufio.Reader, head []byte) error {
	for _, c := range containers {
		if strings.HasPrefix(string(head), c.magic) {
			return &FormatError{file, c.name, "this is " + c.advice}
		}
	}
	if bytes.HasPrefix(head, []byte("\ufeff")) {
		in.Discard(len("\ufeff"))
	}
	return nil
}

package container

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// ZstdMagic holds the first bytes of zstd data.
const ZstdMagic = "\x28\xb5\x2f\xfd"

// maxWindow limits the window of zstd data.
const maxWindow = 128 << 20

// Data that unpacks to more than bombSize bytes and to more than bombRatio times its packed size is
// refused: no log is that regular.
const (
	bombSize  = 256 << 20
	bombRatio = 900
)

func openGzip(in *bufio.Reader, _ int) (io.Reader, error) {
	packed := &counted{in: in}
	unpacked, err := gzip.NewReader(packed)
	return &unpacking{ReadCloser: unpacked, packed: packed, name: "gzip"}, err
}

func openZstd(in *bufio.Reader, _ int) (io.Reader, error) {
	packed := &counted{in: in}
	unpacked, err := zstdReader(packed)
	if err != nil {
		return nil, err
	}
	return &unpacking{ReadCloser: unpacked.IOReadCloser(), packed: packed, name: "zstd"}, nil
}

func zstdReader(packed io.Reader) (*zstd.Decoder, error) {
	return zstd.NewReader(packed, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
}

// Unzstd unpacks a block of zstd data, to at most limit bytes.
func Unzstd(data []byte, limit int) ([]byte, error) {
	unpacked, err := zstdReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	defer unpacked.Close()
	data, err = io.ReadAll(io.LimitReader(unpacked, int64(limit)+1))
	if err == nil && len(data) > limit {
		err = fmt.Errorf("it unpacks to more than %d bytes", limit)
	}
	return data, err
}

// counted counts the packed bytes that are read, and keeps the reader's error.
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

// unpacking reads compressed data. If the data is broken, everything before the break can be used.
// Data that unpacks to far more than a log would is refused.
type unpacking struct {
	io.ReadCloser
	packed *counted
	n      int64
	name   string
}

func (u *unpacking) Read(p []byte) (int, error) {
	n, err := u.ReadCloser.Read(p)
	if u.n += int64(n); u.n > bombSize && u.n/bombRatio > u.packed.n {
		return n, &Broken{Message: fmt.Sprintf("%d bytes of %s data unpack to more than %d bytes: this is no log",
			u.packed.n, u.name, u.n)}
	}
	switch {
	case err == nil || errors.Is(err, io.EOF):
		return n, err
	case u.packed.err != nil:
		return n, u.packed.err
	}
	return n, &Broken{Message: "the " + u.name + " data is damaged or cut short: " + err.Error()}
}

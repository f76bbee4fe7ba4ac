package container

import (
	"archive/zip"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/judgekit/judge/internal/value"
)

// maxZipEntries limits the entries of a zip.
const maxZipEntries = 1_000_000

// Archive is a zip file whose entries are JSON.
type Archive struct {
	// Names are the names of the entries in the order of the zip.
	Names   []string
	entries map[string]*zip.File
	spool   *Spool
	limit   int
}

// OpenZip reads the list of entries. limit limits the bytes of an entry.
func OpenZip(in io.Reader, limit int) (*Archive, error) {
	s, err := NewSpool(in)
	if err != nil {
		return nil, err
	}
	archive, err := zip.NewReader(s, s.Size)
	if err == nil && len(archive.File) > maxZipEntries {
		err = &Broken{Message: fmt.Sprintf("it has more than %d entries: divide it", maxZipEntries)}
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	archive.RegisterDecompressor(zstd.ZipMethodWinZip, zstd.ZipDecompressor(zstd.WithDecoderMaxWindow(maxWindow)))
	a := &Archive{entries: map[string]*zip.File{}, spool: s, limit: limit}
	for _, f := range archive.File {
		a.Names = append(a.Names, f.Name)
		a.entries[f.Name] = f
	}
	return a, nil
}

// Has reports whether there is an entry with this name.
func (a *Archive) Has(name string) bool { return a.entries[name] != nil }

// Entry parses one entry.
func (a *Archive) Entry(name string) (value.Value, error) {
	f := a.entries[name]
	switch {
	case f == nil:
		return value.Value{}, fmt.Errorf("%s is missing", name)
	case f.UncompressedSize64 > uint64(a.limit):
		return value.Value{}, fmt.Errorf("%s of %d bytes is longer than the limit of %d", name, f.UncompressedSize64, a.limit)
	}
	r, err := f.Open()
	if err != nil {
		return value.Value{}, fmt.Errorf("%s: %w", name, err)
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, int64(a.limit)+1))
	if err != nil {
		return value.Value{}, fmt.Errorf("%s: %w", name, err)
	}
	v, err := value.Parse(data)
	if err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return v, err
}

// Close frees the zip.
func (a *Archive) Close() error { return a.spool.Close() }

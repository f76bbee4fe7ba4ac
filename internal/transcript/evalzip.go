// Inspect's .eval files: a zip as a container of inspect-json.
//
// Written by: inspect_ai, deflate before 0.3.206 and zstd (zip method 93) since; a sample is
// one entry, or since 2026 a folder of chunks.
// Read: both, also mixed; the header of a run that died (_journal/start.json).
// Lost: summaries, reductions and journals. A sample that cannot be read costs itself only.

package transcript

import (
	"archive/zip"
	"bufio"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/judgekit/judge/internal/value"
)

// maxZipEntries bounds the entries of a zip.
const maxZipEntries = 1_000_000

// evalLog is the entries of an .eval file, which is read as the text of inspect-json.
type evalLog struct {
	entries map[string]*zip.File
	// folders are the names of the entries in each folder.
	folders map[string][]string
	samples []string
	limit   int
}

func openEval(in *bufio.Reader, limit int) (io.Reader, error) {
	s, err := seekable(in)
	if err != nil {
		return nil, err
	}
	text, err := evalText(s, limit)
	if err != nil {
		s.Close()
		return nil, err
	}
	return text, nil
}

func evalText(s *spill, limit int) (io.Reader, error) {
	archive, err := zip.NewReader(s, s.size)
	switch {
	case err != nil:
		return nil, err
	case len(archive.File) > maxZipEntries:
		return nil, fmt.Errorf("it has more than %d entries", maxZipEntries)
	}
	archive.RegisterDecompressor(zstd.ZipMethodWinZip, zstd.ZipDecompressor(zstd.WithDecoderMaxWindow(maxWindow)))
	e := &evalLog{entries: map[string]*zip.File{}, folders: map[string][]string{}, limit: limit}
	for _, f := range archive.File {
		e.add(f)
	}
	head, err := e.header()
	return listed(head, "samples", len(e.samples), e.appendSample, s), err
}

// add keeps an entry, and the name of the sample that it is of.
func (e *evalLog) add(f *zip.File) {
	e.entries[f.Name] = f
	if dir := path.Dir(f.Name) + "/"; strings.Count(dir, "/") > 2 {
		e.folders[dir] = append(e.folders[dir], f.Name)
	}
	name, ok := strings.CutPrefix(f.Name, "samples/")
	if !ok {
		return
	}
	folder, _, chunked := strings.Cut(name, "/")
	name = "samples/" + folder
	if !chunked {
		name = strings.TrimSuffix(name, ".json")
	}
	if len(e.samples) == 0 || e.samples[len(e.samples)-1] != name {
		if !slices.Contains(e.samples[max(0, len(e.samples)-1000):], name) {
			e.samples = append(e.samples, name)
		}
	}
}

// header is what the samples share.
func (e *evalLog) header() (value.Value, error) {
	for _, name := range []string{"header.json", "_journal/start.json"} {
		v, err := e.entry(name)
		if err != nil {
			continue
		}
		if !v.Field("eval").Has("task") {
			return v, &endError{"this zip file has a " + name + " without eval.task: it is no Inspect log"}
		}
		return members(v, "version", "eval").Object(), nil
	}
	return value.Value{}, &endError{"this zip file has no header.json that can be read and is no Inspect .eval log: " +
		"unpack it, and give the logs in it"}
}

// entry reads one entry.
func (e *evalLog) entry(name string) (value.Value, error) {
	f := e.entries[name]
	switch {
	case f == nil:
		return value.Value{}, fmt.Errorf("%s is missing", name)
	case f.UncompressedSize64 > uint64(e.limit):
		return value.Value{}, fmt.Errorf("%s of %d bytes is longer than the limit of %d", name, f.UncompressedSize64, e.limit)
	}
	r, err := f.Open()
	if err != nil {
		return value.Value{}, fmt.Errorf("%s: %w", name, err)
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, int64(e.limit)+1))
	if err != nil {
		return value.Value{}, fmt.Errorf("%s: %w", name, err)
	}
	v, err := value.Parse(data)
	if err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return v, err
}

// appendSample appends a sample, or a text that says why it cannot be read.
func (e *evalLog) appendSample(to []byte, i int) []byte {
	v, err := e.sample(e.samples[i])
	if err != nil {
		v = value.OfString(err.Error() + ": the sample was passed over")
	}
	return value.AppendJSON(to, v, value.Format{})
}

// sample reads a sample from one entry or from its chunks.
func (e *evalLog) sample(name string) (value.Value, error) {
	if e.entries[name+"/sample.json"] == nil {
		return e.entry(name + ".json")
	}
	v, err := e.entry(name + "/sample.json")
	if err != nil {
		return v, err
	}
	if more, err := e.entry(name + "/metadata.json"); err == nil {
		v = v.With("metadata", more)
	}
	left := e.limit
	for _, list := range []string{"messages", "events", "attachments"} {
		var all []value.Value
		for _, chunk := range e.chunks(name + "/" + list + "/") {
			part, err := e.entry(chunk)
			if err != nil {
				return v, err
			}
			if left -= len(part.Raw()); left < 0 {
				return v, fmt.Errorf("%s is longer than the limit of %d bytes", name, e.limit)
			}
			all = append(all, part.Slice()...)
		}
		if all != nil {
			v = v.With(list, value.OfList(all...))
		}
	}
	return v, nil
}

// chunks are the entries of a folder, whose names are the numbers that they start with.
func (e *evalLog) chunks(folder string) []string {
	names := e.folders[folder]
	number := func(name string) int {
		n, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(name, folder), ".json"))
		return n
	}
	slices.SortFunc(names, func(a, b string) int { return number(a) - number(b) })
	return names
}

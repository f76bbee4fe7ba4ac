// Inspect's .eval files: a zip as a container of inspect-json.
// Written by: inspect_ai, deflate before 0.3.206 and zstd (zip method 93) since; a sample is one entry, or
// since 2026 a folder of chunks.
// Read: both, also mixed; the header of a run that died (_journal/start.json).
// Lost: summaries, reductions and journals. A sample that cannot be read costs itself only.

package format

import (
	"bufio"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/transcript/container"
	"github.com/judgekit/judge/internal/value"
)

// evalLog is an .eval file, read as the text of inspect-json.
type evalLog struct {
	*container.Archive
	// folders holds the names of the entries in each folder.
	folders map[string][]string
	samples []string
	limit   int
}

func openEval(in *bufio.Reader, limit int) (io.Reader, error) {
	archive, err := container.OpenZip(in, limit)
	if err != nil {
		return nil, err
	}
	e := &evalLog{Archive: archive, folders: map[string][]string{}, limit: limit}
	for _, name := range archive.Names {
		e.add(name)
	}
	head, err := e.header()
	if err != nil {
		archive.Close()
		return nil, err
	}
	return container.Listed(head, "samples", len(e.samples), e.appendSample, archive), nil
}

// add stores the name of an entry, and of its sample.
func (e *evalLog) add(entry string) {
	if dir := path.Dir(entry) + "/"; strings.Count(dir, "/") > 2 {
		e.folders[dir] = append(e.folders[dir], entry)
	}
	name, ok := strings.CutPrefix(entry, "samples/")
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

// header returns what the samples share.
func (e *evalLog) header() (value.Value, error) {
	for _, name := range []string{"header.json", "_journal/start.json"} {
		v, err := e.Entry(name)
		if err != nil {
			continue
		}
		if !v.Field("eval").Has("task") {
			return v, &container.Broken{Message: "this zip file has a " + name + " without eval.task: it is no Inspect log"}
		}
		return members(v, "version", "eval").Object(), nil
	}
	return value.Value{}, &container.Broken{Message: "this zip file has no header.json that can be read and is no " +
		"Inspect .eval log: unpack it, and give the logs in it"}
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
	if !e.Has(name + "/sample.json") {
		return e.Entry(name + ".json")
	}
	v, err := e.Entry(name + "/sample.json")
	if err != nil {
		return v, err
	}
	if more, err := e.Entry(name + "/metadata.json"); err == nil {
		v = v.With("metadata", more)
	}
	left := e.limit
	for _, list := range []string{"messages", "events", "attachments"} {
		var all []value.Value
		for _, chunk := range e.chunks(name + "/" + list + "/") {
			part, err := e.Entry(chunk)
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

// chunks returns the entries of a folder, sorted by the numbers that are their names.
func (e *evalLog) chunks(folder string) []string {
	names := e.folders[folder]
	number := func(name string) int {
		n, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(name, folder), ".json"))
		return n
	}
	slices.SortFunc(names, func(a, b string) int { return number(a) - number(b) })
	return names
}

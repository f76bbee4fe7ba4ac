// τ²-bench's directories: results.json beside simulations/, as one log of tau2-results.
// Written by: tau2 1.0.1 and later, by default for voice.
// Lost: nothing. Simulations that the index names and that are missing are problems, and so are files that it
// does not name.

package format

import (
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"path"

	"github.com/judgekit/judge/internal/transcript/container"
	"github.com/judgekit/judge/internal/value"
)

const tau2Index, tau2Folder = "results.json", "simulations"

// IsTau2Directory reports whether a directory was written by τ²-bench.
func IsTau2Directory(dir fs.FS) bool {
	index, err := fs.Stat(dir, tau2Index)
	if err != nil || index.IsDir() {
		return false
	}
	folder, err := fs.Stat(dir, tau2Folder)
	return err == nil && folder.IsDir()
}

// tau2Directory is the state of reading a directory.
type tau2Directory struct {
	dir   fs.FS
	names []string
	// problems lists the differences between the index and the files.
	problems []string
}

// OpenTau2Directory returns a directory's log as one text in the format tau2-results.
func OpenTau2Directory(dir fs.FS) (io.ReadCloser, error) {
	data, err := readLimited(dir, tau2Index)
	if err != nil {
		return nil, err
	}
	v, err := value.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", tau2Index, err)
	}
	t := &tau2Directory{dir: dir}
	if err := t.list(v.Field("simulation_index")); err != nil {
		return nil, err
	}
	head := value.Pairs("info", v.Field("info")).With("tasks", v.Field("tasks"))
	return container.Listed(head, "simulations", len(t.names)+len(t.problems), t.appendSimulation), nil
}

// list finds the simulations in the order of the index, then those that are not in the index.
func (t *tau2Directory) list(index value.Value) error {
	entries, err := fs.ReadDir(t.dir, tau2Folder)
	if err != nil {
		return err
	}
	there := map[string]bool{}
	for _, e := range entries {
		there[e.Name()] = path.Ext(e.Name()) == ".json" && !e.IsDir()
	}
	for i, e := range index.Elements() {
		name := e.Text()
		for _, key := range []string{"file", "path", "filename", "id", "simulation_id"} {
			name = cmp.Or(name, e.Field(key).Text())
		}
		name = path.Base(name)
		if path.Ext(name) != ".json" {
			name += ".json"
		}
		if !there[name] {
			t.problems = append(t.problems, fmt.Sprintf("the index names a simulation %s (entry %d) that is missing", name, i))
			continue
		}
		there[name] = false
		t.names = append(t.names, name)
	}
	for _, e := range entries {
		if !there[e.Name()] {
			continue
		}
		t.names = append(t.names, e.Name())
		if index.IsList() {
			t.problems = append(t.problems, fmt.Sprintf("the index does not name %s, which was read", e.Name()))
		}
	}
	return nil
}

// appendSimulation appends a simulation, or a text that says why it cannot be read.
func (t *tau2Directory) appendSimulation(to []byte, i int) []byte {
	if i >= len(t.names) {
		return value.AppendQuoted(to, t.problems[i-len(t.names)])
	}
	name := path.Join(tau2Folder, t.names[i])
	data, err := readLimited(t.dir, name)
	if err == nil {
		_, err = value.Parse(data)
	}
	if err != nil {
		return value.AppendQuoted(to, fmt.Sprintf("%s cannot be read: %v", name, err))
	}
	return append(to, data...)
}

// readLimited reads a file up to the limit for a conversation.
func readLimited(dir fs.FS, name string) ([]byte, error) {
	f, err := dir.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, defaultMaxConversationBytes+1))
	if err == nil && len(data) > defaultMaxConversationBytes {
		err = fmt.Errorf("%s is longer than the limit of %d bytes", name, defaultMaxConversationBytes)
	}
	return data, err
}

package run

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/llm/journal"
	"github.com/judgekit/judge/internal/run/directory"
)

// exported makes a run directory with one round of three requests, 01, 02 and 03.
func exported(t *testing.T) (dir, index string) {
	t.Helper()
	dir = t.TempDir()
	folder := filepath.Join(dir, batchFolder, "round-1")
	index = filepath.Join(folder, "1-m"+indexEnding)
	var lines strings.Builder
	for n := 1; n <= 3; n++ {
		fmt.Fprintf(&lines, `{"custom_id":%q,"key":"c#%d r","model":"m","endpoint":"http://e/v1","file":"1-m-0001.jsonl"}`+"\n",
			requestID(n), n)
	}
	if err := errors.Join(os.MkdirAll(folder, 0o700), os.WriteFile(index, []byte(lines.String()), 0o600)); err != nil {
		t.Fatal(err)
	}
	return dir, index
}

func requestID(n int) string { return strings.Repeat(fmt.Sprintf("%02x", n), 32) }

// answerTo returns a line of an output file.
func answerTo(n int) string {
	return fmt.Sprintf(`{"custom_id":%q,"response":{"status_code":200,"body":{"choices":[{"message":{"content":"yes"}}],`+
		`"usage":{"prompt_tokens":30,"completion_tokens":4}}}}`, requestID(n)) + "\n"
}

func output(t *testing.T, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "out.jsonl")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "")), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestImportBatch: every line of an output counts as what it is, an answer is kept with its
// usage, and one that is there already is not read again.
func TestImportBatch(t *testing.T) {
	dir, _ := exported(t)
	if err := Outstanding(dir); err == nil || !strings.Contains(err.Error(), "round-1 has no answers yet") {
		t.Errorf("before the import: %v", err)
	}
	failed := fmt.Sprintf(`{"custom_id":%q,"response":null,"error":{"code":"batch_expired","message":"not in time"}}`, requestID(2)) + "\n"
	path := output(t, answerTo(1), answerTo(1), failed, answerTo(9), "{cut\n")
	got, err := ImportBatch(dir, []string{path})
	if err != nil {
		t.Fatal(err)
	}
	want := &Import{Answers: 1, Known: 1, Failed: 1, Unknown: 1, Unreadable: 1, Missing: 2, Requests: 3, Problems: []string{
		path + ":3: c#2 r: ", path + ":4: answers no request of this run", path + ": line 5: not a line of a batch's output",
		"round-1/1-m-0001.jsonl: 2 of 3 requests have no answer, the first: c#2 r; c#3 r"}}
	for i, text := range want.Problems {
		if i < len(got.Problems) && strings.HasPrefix(got.Problems[i], text) {
			got.Problems[i] = text
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if err := Outstanding(dir); err != nil {
		t.Errorf("after the import: %v", err)
	}
	again, err := ImportBatch(dir, []string{output(t, answerTo(1), answerTo(2), answerTo(3))})
	if err != nil || again.Answers != 2 || again.Known != 1 || again.Missing != 0 || again.Problems != nil {
		t.Errorf("%+v, %v", again, err)
	}
	many := ""
	for n := 11; n <= 14; n++ {
		many += answerTo(n)
	}
	path = output(t, many+"{\n{\n{\n{\n")
	got, err = ImportBatch(dir, []string{path})
	if err != nil || got.Unknown != 4 || got.Unreadable != 4 || len(got.Problems) != 6 ||
		got.Problems[2] != path+":3: answers no request of this run" ||
		got.Problems[5] != path+": line 7: not a line of a batch's output: it needs \"custom_id\" and \"response\" or \"error\"" {
		t.Errorf("of four of a kind, three are named: %+v, %v", got, err)
	}
	answers := 0
	for e, err := range journal.Containing(filepath.Join(dir, directory.ExchangesFile), nil) {
		switch {
		case err != nil:
			t.Fatal(err)
		case !e.Good:
			continue
		case e.Usage.Prompt == nil || *e.Usage.Prompt != 30 || e.Usage.Completion == nil || *e.Usage.Completion != 4:
			t.Errorf("%s is stored with the usage %+v", e.Key, e.Usage)
		case e.Model != "m" || e.Endpoint != "http://e/v1" || e.Attempts != 1:
			t.Errorf("%+v", e)
		}
		answers++
	}
	if answers != 3 {
		t.Errorf("%d answers are stored", answers)
	}
}

// TestImportFails: an import that cannot be made names what is in the way; what was read
// before stays, and the round still waits for its answers.
func TestImportFails(t *testing.T) {
	type world struct{ dir, index string }
	for name, tt := range map[string]struct {
		put     func(t *testing.T, w world) (names []string)
		want    string
		usage   bool // an error of the command line
		answers int
	}{
		"no such output": {func(t *testing.T, w world) []string {
			return []string{output(t, answerTo(1)), filepath.Join(w.dir, "none.jsonl")}
		}, "none.jsonl", false, 1},
		"a directory": {func(t *testing.T, w world) []string {
			return []string{output(t, answerTo(1)), w.dir}
		}, "directory", false, 1},
		"a damaged index": {func(t *testing.T, w world) []string {
			if err := os.WriteFile(w.index, []byte(`{"custom_id":"`+requestID(1)+`"}`+"\n{"), 0o600); err != nil {
				t.Fatal(err)
			}
			return []string{output(t, answerTo(1))}
		}, "1-m.index: damaged: unexpected EOF", false, 0},
		"nothing exported": {func(t *testing.T, w world) []string {
			if err := os.RemoveAll(filepath.Join(w.dir, batchFolder)); err != nil {
				t.Fatal(err)
			}
			return []string{output(t, answerTo(1))}
		}, "no batch was exported", true, 0},
		"a journal in use": {func(t *testing.T, w world) []string {
			j, err := journal.Open(filepath.Join(w.dir, directory.ExchangesFile))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = j.Close() })
			return []string{output(t, answerTo(1))}
		}, "another process", true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			dir, index := exported(t)
			got, err := ImportBatch(dir, tt.put(t, world{dir, index}))
			_, usage := errors.AsType[*directory.Error](err)
			if err == nil || !strings.Contains(err.Error(), tt.want) || usage != tt.usage {
				t.Errorf("%v (%T), want %q", err, err, tt.want)
			}
			if tt.answers > 0 && (got == nil || got.Answers != tt.answers) {
				t.Errorf("%+v", got)
			}
			if err := Outstanding(dir); name != "nothing exported" && err == nil {
				t.Error("the round does not wait for its answers any more")
			}
		})
	}
}

package align

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/rubrics"
)

// TestYAMLForm: keys that YAML takes for something else are quoted, and up to seventy characters stand on one line.
func TestYAMLForm(t *testing.T) {
	for key, want := range map[string]string{
		"a": "a", "_x": "_x", "Z9": "Z9", "a-1": "a-1", "-a": `"-a"`, "1a": `"1a"`, "Yes": `"Yes"`, "": `""`,
		"a b": `"a b"`, "on": `"on"`, "é": `"é"`, "z": "z", "A": "A", "a0": "a0", "a9": "a9", "0": `"0"`, "9a": `"9a"`,
		"y": `"y"`, "N": `"N"`, "no": `"no"`, "TRUE": `"TRUE"`, "false": `"false"`, "off": `"off"`, "Null": `"Null"`,
		"a:b": `"a:b"`, "a/": `"a/"`, "a@": `"a@"`, "a[": `"a["`, "a`": "\"a`\"", "a{": `"a{"`,
	} {
		if got := yamlKey(key); got != want {
			t.Errorf("%s: %s, want %s", key, got, want)
		}
	}
	for n, want := range map[int]bool{66: true, 67: false} { // with brackets and quotation marks
		if got := flat(value.OfStrings(strings.Repeat("a", n))); got != want {
			t.Errorf("%d letters are on one line: %v", n, got)
		}
	}
	if flat(value.OfList(value.OfList(), value.OfInt(1))) || flat(value.Pairs("a", value.OfObject(), "b", 1)) ||
		flat(value.Pairs("a", value.OfObject())) || !flat(value.Pairs("a", 1)) {
		t.Error("what holds lists or objects is not on one line")
	}
}

// TestDiffs: the whole diff, with the lines and lengths of its parts as patch reads them.
func TestDiffs(t *testing.T) {
	numbers := func(change func(i int) string) string {
		out := ""
		for i := range 20 {
			out += change(i)
		}
		return out
	}
	plain := func(i int) string { return fmt.Sprintln(i + 1) }
	for _, tt := range []struct{ a, b, want string }{
		{"1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n10\n",
			"@@ -2,8 +2,9 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n 9\n+10\n"},
		{"a\nb\n", "b\n", "@@ -1,2 +1,1 @@\n-a\n b\n"}, {"b\n", "a\nb\n", "@@ -1,1 +1,2 @@\n+a\n b\n"},
		{"a\n", "a\n", ""},
		{"a\nb", "a\nc", "@@ -1,2 +1,2 @@\n a\n-b\n+c\n"},
		{numbers(plain), numbers(func(i int) string {
			if i == 0 || i == 18 {
				return ""
			}
			return plain(i)
		}), "@@ -1,4 +1,3 @@\n-1\n 2\n 3\n 4\n@@ -16,5 +15,4 @@\n 16\n 17\n 18\n-19\n 20\n"},
	} {
		if d := cmp.Diff("--- old\n+++ new\n"+tt.want,
			string(diff("old", "new", []byte(tt.a), []byte(tt.b)))); d != "" {
			t.Error(d)
		}
	}
}

// TestIdentity: an alignment is another one if a label, the rubric, the judge or a setting is another. Its id names a
// folder that a later program finds again.
func TestIdentity(t *testing.T) {
	seen := map[string]string{}
	for name, change := range map[string]func(items []Item, r *rubrics.Rubric, judge, with *string, cfg *Config){
		"as it was": func([]Item, *rubrics.Rubric, *string, *string, *Config) {},
		"label":     func(items []Item, _ *rubrics.Rubric, _, _ *string, _ *Config) { items[1].Pass = false },
		"note":      func(items []Item, _ *rubrics.Rubric, _, _ *string, _ *Config) { items[1].Note = "why" },
		"rubric":    func(_ []Item, r *rubrics.Rubric, _, _ *string, _ *Config) { r.SHA = "other" },
		"judge":     func(_ []Item, _ *rubrics.Rubric, judge, _ *string, _ *Config) { *judge = "n" },
		"proposer":  func(_ []Item, _ *rubrics.Rubric, _, with *string, _ *Config) { *with = "n" },
		"target":    func(_ []Item, _ *rubrics.Rubric, _, _ *string, cfg *Config) { cfg.Target = report.KappaTarget },
		"rounds":    func(_ []Item, _ *rubrics.Rubric, _, _ *string, cfg *Config) { cfg.Rounds = 3 },
		"budget":    func(_ []Item, _ *rubrics.Rubric, _, _ *string, cfg *Config) { cfg.Budget = 3 },
		"alpha":     func(_ []Item, _ *rubrics.Rubric, _, _ *string, cfg *Config) { cfg.Alpha = 0.1 },
	} {
		items, r, judge, with, cfg := []Item{{Conversation: "a"}, {Conversation: "b", Pass: true}}, *alignRubric(t),
			"m", "m", Config{Rounds: 2, Alpha: 0.05}
		before := identity(items, &r, judge, with, &cfg)
		change(items, &r, &judge, &with, &cfg)
		id := identity(items, &r, judge, with, &cfg)
		if seen[id] != "" || (id == before) != (name == "as it was") || len(id) != 12 {
			t.Errorf("%s: %s, as %q", name, id, seen[id])
		}
		seen[id] = name
	}
	items := []Item{{Conversation: "a", Call: -1, Turn: 2, Task: "t", Note: "n"}}
	r := &rubrics.Rubric{SHA: "s"}
	cfg := &Config{Target: report.YoudenTarget, Rounds: 2, Budget: 7, Alpha: 0.05}
	if id := identity(items, r, "j", "w", cfg); id != "dd1b292c58ca" {
		t.Error(id)
	}
}

// TestUseIsKept: an alignment that cannot write down which labels it used is an error.
func TestUseIsKept(t *testing.T) {
	items, s := newScripted(60)
	if _, err := alignedBy(t, items, s, Config{Used: t.TempDir() + "/none/labels-used.jsonl"}); !errors.Is(err,
		fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

// TestSave: a proposal is named after its rubric, in letters that a file may have, and by whether its gain is proven;
// the report is read back, and a damaged one is an error that names it.
func TestSave(t *testing.T) {
	folder := t.TempDir()
	items, s := newScripted(60)
	done, err := alignedBy(t, items, s, Config{})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		rubric string
		proven bool
		want   string
	}{{"fine", true, "fine.aligned.yaml"}, {"fine", false, "fine.proposal.yaml"},
		{"../a b", true, "_a_b.aligned.yaml"}} {
		of := *done.Report
		of.Rubric, of.Proven = tt.rubric, tt.proven
		a := &Aligned{Rubric: []byte("name: x\n"), Diff: []byte("+x\n"), Report: &of}
		if err := a.save(folder); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(folder, tt.want))
		if err != nil || string(data) != "name: x\n" || a.Report.File != filepath.Join(folder, tt.want) {
			t.Errorf("%s: %q in %s, %v", tt.rubric, data, a.Report.File, err)
		}
		if data, err := os.ReadFile(a.Report.Diff); err != nil || string(data) != "+x\n" {
			t.Errorf("%s: the diff is %q, %v", tt.rubric, data, err)
		}
		if again, err := read(filepath.Join(folder, jsonFile)); err != nil || again.Rubric != tt.rubric ||
			again.File != a.Report.File {
			t.Errorf("%s: read as %+v, %v", tt.rubric, again, err)
		}
		if page, err := os.ReadFile(filepath.Join(folder, pageFile)); err != nil ||
			!strings.Contains(string(page), "<html") {
			t.Errorf("%s: no page, %v", tt.rubric, err)
		}
		if err := a.save(filepath.Join(folder, "none")); err == nil {
			t.Errorf("%s: a report without a folder is saved", tt.rubric)
		}
	}
	of := *done.Report
	of.Proven, of.File, of.Diff = false, "", ""
	none := &Aligned{Report: &of}
	if err := none.save(folder); err != nil || none.Report.File != "" || none.Report.Diff != "" {
		t.Errorf("without a proposal: %+v, %v", none.Report, err)
	}
	if got, err := read(filepath.Join(folder, "missing.json")); got != nil || err != nil {
		t.Errorf("a missing report: %+v, %v", got, err)
	}
	damaged := filepath.Join(folder, "damaged.json")
	if err := os.WriteFile(damaged, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := read(damaged); got != nil || err == nil || !strings.Contains(err.Error(), damaged+": ") {
		t.Errorf("a damaged report: %+v, %v", got, err)
	}
	if got, err := read(folder); got != nil || err == nil {
		t.Errorf("a folder as report: %+v, %v", got, err)
	}
}

// TestRecord: a single rule that a version adds is written, after the rubric's name, and the rubric itself has none.
func TestRecord(t *testing.T) {
	l := &learner{parent: alignRubric(t)}
	if got := l.record(version{}); got.Has("guidelines") || got.Has("retrieve") {
		t.Errorf("the rubric itself: %s", got.JSON())
	}
	if got := l.record(version{guidelines: []guideline{{"Look.", nil}}, retrieve: 1}); !strings.HasPrefix(got.JSON(),
		`{"name":"fine","guidelines":["Look."],"retrieve":1,"pass":"yes"`) {
		t.Errorf("one retrieved example: %s", got.JSON())
	}
	// The examples and guidelines of a rubric stay before those that a version adds, and its retrieve if that has none.
	items, bench := newScripted(2)
	own := &learner{parent: alignRubric(t), items: items, bench: bench}
	parent, err := own.rubricOf(version{guidelines: []guideline{{"Look.", nil}}, examples: []int{1}, retrieve: 1})
	if err != nil {
		t.Fatal(err)
	}
	own.parent = parent
	for _, tt := range []struct {
		v    version
		want string
	}{
		{version{guidelines: []guideline{{"Again.", nil}}}, `["Look.","Again."] 1 ["tc01"]`},
		{version{examples: []int{0}}, `["Look."] 1 ["tc01","tc00"]`},
		{version{examples: []int{0}, retrieve: 4}, `["Look."] 4 ["tc01","tc00"]`},
	} {
		record := own.record(tt.v)
		var tasks []string
		for _, e := range record.Field("examples").Elements() {
			tasks = append(tasks, e.Field("task").Text())
		}
		got := record.Field("guidelines").JSON() + " " + record.Field("retrieve").JSON() + " " + value.OfStrings(tasks...).JSON()
		if got != tt.want {
			t.Errorf("%+v: %s, want %s", tt.v, got, tt.want)
		}
	}
	got := l.record(version{guidelines: []guideline{{"Look twice.", nil}}})
	if !strings.HasPrefix(got.JSON(), `{"name":"fine","guidelines":["Look twice."],"pass":"yes"`) || got.Has("retrieve") {
		t.Errorf("a rule: %s", got.JSON())
	}
}

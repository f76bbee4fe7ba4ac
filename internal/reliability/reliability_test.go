package reliability

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/report/reporttest"
)

var update = flag.Bool("update", false, "write the summaries of docs/reliability.md from its data files")

const page = "../../docs/reliability.md"

// read returns the rows of a data file.
func read(t *testing.T, file string) (rows []Row) {
	t.Helper()
	var err error
	for _, cells := range reporttest.Rows(t, file) {
		r := Row{Class: cells[0], Mode: cells[1], Share: cells[2], Note: cells[10]}
		for i, n := range []*int{&r.Items, &r.Right, &r.Named, &r.Lost, &r.Again, &r.Wrong} {
			if *n, err = strconv.Atoi(cells[3+i]); err != nil {
				t.Fatal(err)
			}
		}
		if r.Seconds, err = strconv.ParseFloat(cells[9], 64); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	return rows
}

// TestPage holds the summaries of the page against its data files.
func TestPage(t *testing.T) {
	for _, name := range []string{"endpoint", "files", "conditions", "signals"} {
		rows := read(t, dataFile(page, name))
		if *update {
			if err := Update(page, name, rows); err != nil {
				t.Fatal(err)
			}
		}
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		if want := "<!-- table: " + name + " -->\n" + summary(rows) + "<!-- end -->"; !strings.Contains(string(text), want) {
			t.Errorf("%s: run this test with -update", name)
		}
		for _, r := range rows {
			if r.Lost+r.Wrong > 0 {
				t.Errorf("%+v: the page says that nothing is lost or silently wrong", r)
			}
		}
	}
}

func TestUpdate(t *testing.T) {
	dir := t.TempDir()
	page := filepath.Join(dir, "page.md")
	text := "top\n<!-- table: aa -->\nkept\n<!-- end -->\n<!-- table: a -->\nold\n<!-- end -->\nmiddle\n<!-- table: b -->\nkept\n<!-- end -->\n"
	if err := os.WriteFile(page, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "data"), 0o700); err != nil {
		t.Fatal(err)
	}
	rows := []Row{{Class: "busy", Mode: `429, "503"`, Share: "3 %", Items: 9, Right: 8, Named: 1, Seconds: 1.5, Note: "exit 0"},
		{Class: "refused", Mode: "401", Items: 6, Named: 3, Lost: 1, Wrong: 2}, {Class: "busy", Mode: "500", Items: 1, Right: 1, Again: 2}}
	if err := Update(page, "a", rows); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	want := "top\n<!-- table: aa -->\nkept\n<!-- end -->\n<!-- table: a -->\n" + header + "| busy | 2 | 10 | 9 | 1 | 0 | 2 | 0 |\n| refused | 1 | 6 | 0 | 3 | 1 | 0 | 2 |\n" +
		"<!-- end -->\nmiddle\n<!-- table: b -->\nkept\n<!-- end -->\n"
	if string(got) != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if again := read(t, dataFile(page, "a")); len(again) != 3 || again[0] != rows[0] {
		t.Errorf("%+v", again)
	}
	data, err := os.ReadFile(dataFile(page, "a"))
	if err != nil {
		t.Fatal(err)
	}
	_, cells, _ := strings.Cut(string(data), "\n")
	want = "busy,\"429, \"\"503\"\"\",3 %,9,8,1,0,0,0,1.5,exit 0\n" + "refused,401,,6,0,3,1,0,2,0.0,\n" +
		"busy,500,,1,1,0,0,2,0,0.0,\n"
	if cells != want {
		t.Errorf("data %q\nwant %q", cells, want)
	}
	open := filepath.Join(dir, "open.md")
	if err := os.WriteFile(open, []byte("<!-- table: c -->\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, page := range []string{page, open} {
		if err := Update(page, "c", nil); err == nil || !strings.Contains(err.Error(), "no place") {
			t.Errorf("%s: %v", page, err)
		}
	}
	if err := Update(filepath.Join(dir, "none.md"), "a", nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a page that does not exist: %v", err)
	}
	if err := os.Remove(filepath.Join(dir, "data", "reliability-a.csv")); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "data")); err != nil {
		t.Fatal(err)
	}
	if err := Update(page, "a", nil); err == nil {
		t.Error("rows without a folder for them are no error")
	}
}

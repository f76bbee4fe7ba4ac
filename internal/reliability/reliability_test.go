package reliability

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestUpdate(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.md")
	text := "top\n<!-- table: a -->\nold\n<!-- end -->\nmiddle\n<!-- table: b -->\nkept\n<!-- end -->\n"
	if err := os.WriteFile(page, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	row := Row{Class: "busy", Mode: "429 | 503", Share: "3 %", Items: 9, Right: 8, Named: 1, Seconds: 1.26, Note: "exit 0"}
	if err := Update(page, "a", []Row{row}); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	want := "top\n<!-- table: a -->\n" + header + "| busy | 429 \\| 503 | 3 % | 9 | 8 | 1 | 0 | 0 | 0 | 1.3 | exit 0 |\n" +
		"<!-- end -->\nmiddle\n<!-- table: b -->\nkept\n<!-- end -->\n"
	if string(got) != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if err := Update(page, "c", nil); err == nil || !strings.Contains(err.Error(), "no place") {
		t.Errorf("%v", err)
	}
}

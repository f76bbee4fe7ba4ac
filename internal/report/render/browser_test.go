package render

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/reporttest"
)

// TestBrowser opens the page in headless Chromium: it must draw, in the theme that
// is asked for, nothing may stick out of a narrow page, and the browser must find
// nothing that its policy forbids. With JUDGE_SCREENSHOTS=DIR both themes are drawn,
// and the pictures kept for looking at.
func TestBrowser(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts a browser")
	}
	browser := findBrowser(t)
	dir := os.Getenv("JUDGE_SCREENSHOTS")
	if dir == "" {
		dir = t.TempDir()
	}
	var page bytes.Buffer
	if err := Report(&page, withRecords(built(t, hostileRun())), HTMLFormat, Config{}); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "report.html")
	if err := os.WriteFile(file, page.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	shots := map[string][]string{
		"dark":  {"--window-size=1100,2400", "--blink-settings=preferredColorScheme=0"},
		"phone": {"--window-size=390,9000", "--blink-settings=preferredColorScheme=1"},
	}
	if os.Getenv("JUDGE_SCREENSHOTS") != "" {
		shots["light"] = []string{"--window-size=1100,2400", "--blink-settings=preferredColorScheme=1"}
	}
	for name, flags := range shots {
		shot := filepath.Join(dir, name+".png")
		if log := draw(t, browser, shot, file, flags); strings.Contains(log, "Refused to") || strings.Contains(log, "violates the following") {
			t.Errorf("%s: the page breaks its own policy:\n%s", name, log)
		}
		checkDrawn(t, shot, name == "dark")
		if name == "phone" {
			checkMargin(t, shot)
		}
	}
}

// checkMargin looks at the right margin of a picture: what is wider than the page
// scrolls inside its own frame and paints nothing there.
func checkMargin(t *testing.T, shot string) {
	t.Helper()
	img := readPNG(t, shot)
	b := img.Bounds()
	corner := img.At(b.Max.X-2, b.Min.Y+2)
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Max.X - 8; x < b.Max.X; x++ {
			if img.At(x, y) != corner {
				t.Fatalf("%s: something sticks out of the page %d pixels from the top", shot, y)
			}
		}
	}
}

func readPNG(t *testing.T, shot string) image.Image {
	t.Helper()
	f, err := os.Open(shot)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func findBrowser(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no chromium in PATH: the page is not drawn")
	return ""
}

// TestBigPageOpensFast opens the report of 20,000 calls with a record beside each
// disagreement. What the browser needs for an empty page is taken off, and of two
// openings the fastest counts: the machine may be busy.
func TestBigPageOpensFast(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	browser := findBrowser(t)
	r := built(t, reporttest.New(1, 5750))
	longRecords(r)
	var page bytes.Buffer
	if err := Report(&page, r, HTMLFormat, Config{}); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	fastest := func(name string, content []byte) time.Duration {
		file := filepath.Join(dir, name+".html")
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
		best := time.Hour
		for range 2 {
			start := time.Now()
			draw(t, browser, filepath.Join(dir, name+".png"), file, []string{"--window-size=1200,1000"})
			best = min(best, time.Since(start))
		}
		return best
	}
	empty := fastest("empty", []byte("<!DOCTYPE html><title>x</title>x"))
	took := fastest("big", page.Bytes()) - empty
	t.Logf("%d calls, %d bytes: %v beyond the %v of an empty page", r.Counts.Calls, page.Len(), took, empty)
	if took > 3*time.Second {
		t.Errorf("the report of %d calls takes %v to open", r.Counts.Calls, took)
	}
	if page.Len() > 15<<20 {
		t.Errorf("the page has %d bytes", page.Len())
	}
}

// TestPageOnPaper prints the page: the first disagreements are open there, although
// nobody opened them.
func TestPageOnPaper(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts a browser")
	}
	browser := findBrowser(t)
	r := built(t, reporttest.New(1, 60))
	longRecords(r)
	var page bytes.Buffer
	if err := Report(&page, r, HTMLFormat, Config{}); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "report.html")
	if err := os.WriteFile(file, page.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "report.pdf")
	start(t, browser, file, []string{"--print-to-pdf=" + out, "--no-pdf-header-footer"})
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	// An open entry of this length takes more than a page; closed, all of them fit on a dozen.
	if n := len(pdfPage.FindAll(data, -1)); n < printed {
		t.Errorf("%d pages for %d entries that should be open", n, printed)
	} else {
		t.Logf("%d pages", n)
	}
}

var pdfPage = regexp.MustCompile(`/Type\s*/Page\b`)

// longRecords puts a record of the usual size beside every disagreement, as many as
// a report keeps.
func longRecords(r *report.Report) {
	for i := range r.Disagreements.Items {
		d := &r.Disagreements.Items[i]
		d.Record = &report.Record{Messages: 12}
		for k := range 12 {
			d.Record.Lines = append(d.Record.Lines, report.RecordLine{
				Kind: report.MessageLine, Message: k, Role: "user", Focus: k == 5, Unseen: k > 5,
				Text: fmt.Sprintf("%d: please cancel order 987 <b>now</b>, ", k) + strings.Repeat("it is \"late\" & ", 30),
			})
		}
	}
	r.Disagreements.BoundRecords(report.MaxRecords)
}

// draw takes a screenshot and returns what the browser logged. A browser that
// cannot start here (no sandbox, no memory) skips the test with its words.
func draw(t *testing.T, browser, shot, file string, flags []string) string {
	t.Helper()
	return start(t, browser, file, append([]string{"--hide-scrollbars", "--enable-logging=stderr", "--screenshot=" + shot}, flags...))
}

func start(t *testing.T, browser, file string, flags []string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	args := append([]string{
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--user-data-dir=" + t.TempDir(),
	}, flags...)
	out, err := exec.CommandContext(ctx, browser, append(args, "file://"+file)...).CombinedOutput()
	if err != nil {
		t.Skipf("%s does not run here: %v", browser, err)
	}
	return string(out)
}

// checkDrawn looks at the picture: its corner has the theme's background, and it is
// not one colour.
func checkDrawn(t *testing.T, shot string, dark bool) {
	t.Helper()
	img := readPNG(t, shot)
	b := img.Bounds()
	corner := img.At(b.Min.X+2, b.Min.Y+2)
	r, _, _, _ := corner.RGBA()
	if isDark := r < 0x8000; isDark != dark {
		t.Errorf("%s: background %v, dark %v", shot, corner, dark)
	}
	other := 0
	for y := b.Min.Y; y < b.Max.Y; y += 3 {
		for x := b.Min.X; x < b.Max.X; x += 3 {
			if img.At(x, y) != corner {
				other++
			}
		}
	}
	if other < 1000 {
		t.Errorf("%s: only %d points differ from the background", shot, other)
	}
}

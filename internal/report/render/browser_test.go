package render

import (
	"bytes"
	"context"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestBrowser opens the page in headless Chromium: it must draw, in the theme that
// is asked for, and the browser must find nothing that its policy forbids. One
// picture is drawn; with JUDGE_SCREENSHOTS=DIR both themes and phone width are
// drawn, and kept for looking at.
func TestBrowser(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts a browser")
	}
	browser := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			browser = path
			break
		}
	}
	if browser == "" {
		t.Skip("no chromium in PATH: the page is not drawn")
	}
	dir := os.Getenv("JUDGE_SCREENSHOTS")
	if dir == "" {
		dir = t.TempDir()
	}
	var page bytes.Buffer
	if err := HTML(&page, built(t, hostileRun())); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "report.html")
	if err := os.WriteFile(file, page.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	shots := map[string][]string{"dark": {"--window-size=1100,2400", "--blink-settings=preferredColorScheme=0"}}
	if os.Getenv("JUDGE_SCREENSHOTS") != "" {
		shots["light"] = []string{"--window-size=1100,2400", "--blink-settings=preferredColorScheme=1"}
		shots["phone"] = []string{"--window-size=390,2400", "--blink-settings=preferredColorScheme=1"}
	}
	for name, flags := range shots {
		shot := filepath.Join(dir, name+".png")
		if log := draw(t, browser, shot, file, flags); strings.Contains(log, "Refused to") || strings.Contains(log, "violates the following") {
			t.Errorf("%s: the page breaks its own policy:\n%s", name, log)
		}
		checkDrawn(t, shot, name == "dark")
	}
}

// draw takes a screenshot and returns what the browser logged. A browser that
// cannot start here (no sandbox, no memory) skips the test with its words.
func draw(t *testing.T, browser, shot, file string, flags []string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	args := append([]string{"--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--enable-logging=stderr",
		"--user-data-dir=" + t.TempDir(), "--screenshot=" + shot}, flags...)
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
	f, err := os.Open(shot)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
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

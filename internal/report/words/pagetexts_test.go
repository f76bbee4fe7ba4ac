package words_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/report/words"
)

var (
	usedText  = regexp.MustCompile(`(?:\btexts|\.Texts)(?:\.(\w+)|\["(\w+)"\])|PageTexts\(\)\["(\w+)"\]`)
	noText    = regexp.MustCompile(`(?m)^\s*//.*$|\s// .*$|(closest|querySelector(All)?)\([^)]*\)|judge view RUN`)
	inMarkup  = regexp.MustCompile(`>([^<>]+)<|aria-label="([^"]+)"|title="([^"]+)"|placeholder="([^"]+)"`)
	inScript  = regexp.MustCompile(`'((?:[^'\\\n]|\\.)*)'`)
	actions   = regexp.MustCompile(`\{\{[^}]*\}\}`)
	sentences = regexp.MustCompile(`[a-zA-Z]+,? [a-zA-Z]+,? [a-zA-Z]+`)
)

// TestPageTextsStandHere holds that the page and judge view find every text that they use, use every text, and have
// no text of three words of their own.
func TestPageTextsStandHere(t *testing.T) {
	used := map[string]bool{}
	for _, pattern := range []string{"../page/*.tmpl", "../page/script/*.js", "../../view/script/*.js", "../../view/*.go"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatal(pattern, err)
		}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			text := noText.ReplaceAllString(string(data), "")
			for _, m := range usedText.FindAllStringSubmatch(text, -1) {
				used[m[1]+m[2]+m[3]] = true
			}
			own := inScript
			switch filepath.Ext(name) {
			case ".go":
				continue
			case ".tmpl":
				own, text = inMarkup, actions.ReplaceAllString(text, "")
			}
			for _, m := range own.FindAllStringSubmatch(text, -1) {
				if said := strings.Join(m[1:], ""); sentences.MatchString(said) {
					t.Errorf("%s says %q itself; put it into PageTexts", name, said)
				}
			}
		}
	}
	want := slices.Sorted(maps.Keys(words.PageTexts()))
	if got := slices.Sorted(maps.Keys(used)); !slices.Equal(got, want) {
		t.Errorf("used are\n%q\nthere are\n%q", got, want)
	}
}

package jsregex

import (
	"bufio"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf16"

	"github.com/judgekit/judge/internal/value"
)

// backtracking compiles a pattern for the backtracking machine alone.
func backtracking(t testing.TB, pattern string) *program {
	t.Helper()
	f, rest := cutFlags(pattern)
	p := &parser{pattern: pattern, src: utf16.Encode([]rune(pattern[rest:])), flags: f}
	tree, err := p.parse()
	if err != nil {
		t.Fatal(err)
	}
	return compileProgram(tree, p.groups, f)
}

// TestNode holds against what Node 20 answers: lines of [pattern, text, answer],
// where the answer "error" says that the pattern is refused. Whatever engine
// Compile chooses, the backtracking machine must agree with it.
func TestNode(t *testing.T) {
	files, err := filepath.Glob("testdata/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("testdata/*.jsonl: %v, %v", files, err)
	}
	var answers, errorsSeen, linears, timeouts int
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		lines := bufio.NewScanner(f)
		for line := 1; lines.Scan(); line++ {
			row, err := value.Parse(lines.Bytes())
			if err != nil || row.Len() != 3 {
				t.Fatalf("%s:%d: %v", name, line, err)
			}
			pattern, text := row.At(0).Text(), row.At(1).Text()
			re, err := Compile(pattern)
			if row.At(2).Text() == "error" {
				errorsSeen++
				var bad *PatternError
				if !errors.As(err, &bad) {
					t.Errorf("%s:%d: %q compiles, want an error", name, line, pattern)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s:%d: %v", name, line, err)
				continue
			}
			answers++
			want, _ := row.At(2).BoolVal()
			got, err := re.MatchString(text)
			if errors.Is(err, ErrTimeout) {
				timeouts++
			} else if got != want {
				t.Errorf("%s:%d: %q on %q = %v, want %v", name, line, pattern, text, got, want)
			}
			if re.program == nil {
				linears++
				if got, err := backtracking(t, pattern).match(text); got != want && err == nil {
					t.Errorf("%s:%d: backtracking %q on %q = %v, want %v", name, line, pattern, text, got, want)
				}
			}
		}
	}
	t.Logf("%d answers equal (%d in linear time), %d refusals equal, %d timeouts", answers, linears, errorsSeen, timeouts)
	if answers < 300 || errorsSeen < 50 || timeouts > 0 {
		t.Error("the table is too small, or patterns of the table time out")
	}
}

package jsregex

import (
	"bufio"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/judgekit/judge/internal/value"
)

// refusedHere are the patterns of the table that JavaScript takes and Compile does not.
var refusedHere = map[string]bool{
	`x{0,99999999999}`: true, `x{99999999999}`: true, `[\d-a-z]`: true,
	`(?<\u0061>x)\k<a>`: true, `(?<\u{61}>x)\k<a>`: true,
}

// TestNode holds against what Node 20 answers: lines of [pattern, text, answer],
// where the answer "error" means that the pattern is refused. Both engines must agree
// with it.
func TestNode(t *testing.T) {
	files, err := filepath.Glob("testdata/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("testdata/*.jsonl: %v, %v", files, err)
	}
	var answers, errorsSeen, linears, timeouts, refused int
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
				if err == nil {
					t.Errorf("%s:%d: %q compiles, want an error", name, line, pattern)
				}
				continue
			}
			if refusedHere[pattern] {
				if err == nil {
					t.Errorf("%s:%d: %q compiles", name, line, pattern)
				}
				refused++
				continue
			}
			if err != nil {
				t.Errorf("%s:%d: %v", name, line, err)
				continue
			}
			answers++
			want, _ := row.At(2).BoolVal()
			got, err := re.MatchString(text)
			if errors.Is(err, errTimeout) {
				timeouts++
			} else if got != want {
				t.Errorf("%s:%d: %q on %q = %v, want %v", name, line, pattern, text, got, want)
			}
			if re.linear != nil && isPlain(text) {
				linears++
				if got, err := (&Regexp{full: re.full, units: units}).MatchString(text); got != want || err != nil {
					t.Errorf("%s:%d: backtracking %q on %q = %v, %v, want %v", name, line, pattern, text, got, err, want)
				}
			}
		}
	}
	t.Logf("%d answers equal (%d in linear time), %d refusals equal, %d timeouts, %d refused here alone", answers, linears, errorsSeen, timeouts, refused)
	if answers < 300 || errorsSeen < 50 || timeouts > 0 || refused != len(refusedHere) {
		t.Error("the table is too small, or patterns of the table time out")
	}
}

package render

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/words"
)

func compareFile(t *testing.T, name string, in io.Reader, cfg measure.AgreeConfig) *report.TableAgreement {
	t.Helper()
	r, err := measure.Agree(name, in, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func fixture(t *testing.T, name string, cfg measure.AgreeConfig) *report.TableAgreement {
	t.Helper()
	f, err := os.Open(filepath.Join("../../../fixtures/tables", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return compareFile(t, name, f, cfg)
}

func TestColumns(t *testing.T) {
	verdicts := measure.AgreeConfig{Gold: "human", Judges: []string{"strict", "lenient"}, Confidence: []string{"lenient_confidence"}, Cluster: "conversation", By: []string{"tool"}}
	for _, test := range []struct {
		golden, table string
		cfg           measure.AgreeConfig
		width         int
	}{
		{"verdicts.txt", "verdicts.csv", verdicts, 0},
		{"verdicts.narrow.txt", "verdicts.csv", verdicts, 60},
		{"verdicts.md", "verdicts.csv", verdicts, 0},
		{"judges.txt", "verdicts.csv", measure.AgreeConfig{Judges: []string{"human", "strict", "lenient"}, Cluster: "conversation"}, 0},
		{"score.txt", "scores.jsonl", measure.AgreeConfig{Gold: "label.pass", Judges: []string{"scores.gpt-4.1.overall"}, By: []string{"tool"}}, 0},
		{"numbers.txt", "scores.jsonl", measure.AgreeConfig{Gold: "scores.function_call_accuracy", Judges: []string{"scores.gpt-4.1.overall"}, Cluster: "conversation", By: []string{"tool"}}, 0},
		{"ratings.txt", "scores.jsonl", measure.AgreeConfig{Gold: "label.rating", Judges: []string{"scores.gpt-4.1.rating"}, Categories: []string{"1..5"}, Cluster: "conversation"}, 0},
	} {
		t.Run(test.golden, func(t *testing.T) {
			var got bytes.Buffer
			doc := words.Columns(fixture(t, test.table, test.cfg), false)
			err := writeText(&got, doc, Config{Width: test.width})
			if strings.HasSuffix(test.golden, ".md") {
				got.Reset()
				err = writeMarkdown(&got, doc)
			}
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join("testdata/columns", test.golden)
			if *update {
				if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got.String()); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// TestManyPairs: beyond three pairs the page is an overview, and says where the rest is.
func TestManyPairs(t *testing.T) {
	text := "g,x.a.v,x.b.v,x.c.v,x.d.v\n" + strings.Repeat("1,1,0,1,1\n0,0,0,1,0\n", 20)
	r := compareFile(t, "t.csv", strings.NewReader(text), measure.AgreeConfig{Gold: "g", Judges: []string{"x.*.v"}})
	var short, full bytes.Buffer
	if err := writeText(&short, words.Columns(r, false), Config{}); err != nil {
		t.Fatal(err)
	}
	if err := writeText(&full, words.Columns(r, true), Config{}); err != nil {
		t.Fatal(err)
	}
	if s := short.String(); strings.Contains(s, " it finds ") || !strings.Contains(s, "--details") || !strings.Contains(s, "(x.….v)") {
		t.Errorf("short page:\n%s", s)
	}
	if n := strings.Count(full.String(), " it finds "); n != 4 {
		t.Errorf("the full page has %d pairs, want 4", n)
	}
}

// TestHostileNames: names and words of a table are shown, not obeyed.
func TestHostileNames(t *testing.T) {
	evil := "\x1b[31m<script>alert(1)</script>\u202e|`[x](javascript:alert(1)) https://evil.example @all"
	text := `"` + evil + "\",j,tool\n" + strings.Repeat("pass,pass,\""+evil+"\"\nfail,fail,b\n", 3)
	r := compareFile(t, "t.csv", strings.NewReader(text), measure.AgreeConfig{Gold: evil, Judges: []string{"j"}, By: []string{"tool"}})
	var plain, md bytes.Buffer
	if err := writeText(&plain, words.Columns(r, false), Config{}); err != nil {
		t.Fatal(err)
	}
	if err := writeMarkdown(&md, words.Columns(r, false)); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"\x1b", "\u202e"} {
		if strings.Contains(plain.String(), bad) || strings.Contains(md.String(), bad) {
			t.Errorf("%q got through", bad)
		}
	}
	for _, bad := range []string{"<script", "](", "https://", "@all"} {
		if strings.Contains(strings.ReplaceAll(md.String(), `\]`, ""), bad) {
			t.Errorf("markdown holds %q", bad)
		}
	}
	bars := 0 // of the table's head
	for line := range strings.Lines(md.String()) {
		n := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
		if n == 0 || bars == 0 {
			bars = n
		}
		if n != bars {
			t.Errorf("a cell broke out of its table: %s", line)
		}
	}
	if !utf8.Valid(plain.Bytes()) || !strings.Contains(plain.String(), "<script>") {
		t.Error("text must show the words as they are")
	}
}

func TestJSONIsWhole(t *testing.T) {
	r := fixture(t, "verdicts.csv", measure.AgreeConfig{Gold: "human", Judges: []string{"strict"}, Cluster: "conversation", By: []string{"tool"}})
	var first, second bytes.Buffer
	if err := report.WriteJSON(&first, r); err != nil {
		t.Fatal(err)
	}
	again := fixture(t, "verdicts.csv", measure.AgreeConfig{Gold: "human", Judges: []string{"strict"}, Cluster: "conversation", By: []string{"tool"}})
	if err := report.WriteJSON(&second, again); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("two runs differ")
	}
	var got struct {
		Schema    string
		Agreement []report.AgreementRow
	}
	if err := json.Unmarshal(first.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	row := got.Agreement[0]
	if got.Schema != "judge.agree/3" || row.N != 78 || row.Verdicts != 78 || row.Conversations != 24 || !row.Kappa.HasInterval() {
		t.Errorf("%+v", got)
	}
}

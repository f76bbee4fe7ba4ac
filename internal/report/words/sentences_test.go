package words_test

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/labels"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/reporttest"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/score"
)

var update = flag.Bool("update", false, "rewrite testdata/sentences.golden")

// TestSentences prints every sentence that the reports can say into one file for a reviewer: screen
// by screen with sample values, then the sentences that neither a sample nor a case shows, as they stand in the code.
func TestSentences(t *testing.T) {
	const golden = "testdata/sentences.golden"
	var out bytes.Buffer
	for _, s := range screens(t) {
		fmt.Fprintf(&out, "======== %s\n\n", s.name)
		printDocument(&out, s.document)
	}
	shown := strings.Join(strings.Fields(out.String()+string(printCases())), " ")
	fmt.Fprintf(&out, "======== Sentences that neither a sample above nor cases.golden shows, by file\n")
	for _, f := range templates(t) {
		var left []string
		for _, text := range f.texts {
			if !matches(text, shown) && !slices.Contains(left, text) {
				left = append(left, text)
			}
		}
		if len(left) > 0 {
			fmt.Fprintf(&out, "\n%s\n  %s\n", filepath.ToSlash(f.name), strings.Join(left, "\n  "))
		}
	}
	if *update {
		if err := os.WriteFile(golden, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), out.String()); diff != "" {
		t.Errorf("read the difference, then run the test with -update (-golden +now):\n%s", diff)
	}
}

type screen struct {
	name     string
	document *words.Document
}

// screens returns samples of all documents.
func screens(t *testing.T) []screen {
	t.Helper()
	r := full(t)
	labelled := calibrated(t)
	earlier, later := reporttest.New(1, 60), reporttest.New(2, 60)
	c, err := measure.Compare(earlier.Inputs(), later.Inputs(), measure.Config{})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := measure.Plan(earlier.Inputs(), measure.Config{}, report.Plan{Drop: 0.05, HalfWidth: 0.05, Power: 0.8})
	if err != nil {
		t.Fatal(err)
	}
	card := func(r *report.Report) *words.Document {
		return &words.Document{Sections: []words.Section{{Parts: []words.Part{words.Card(r, "runs/latest")}}}}
	}
	return []screen{
		{"First screen: several judges, labels, an earlier run", card(r)},
		{"First screen: one judge", card(oneJudge(t, reporttest.New(1, 60)))},
		{"First screen: one judge, no labels", card(oneJudge(t, withoutReferences(reporttest.New(1, 60))))},
		{"First screen: no judge", card(build(t, withoutJudges(reporttest.New(1, 60))))},
		{"First screen: nothing was scored", card(build(t, reporttest.Run{}))},
		{"The report of a run, with every table", words.Run(r, true, "runs/latest")},
		{"The sections of the page", words.Page(r)},
		{"Comparison of two runs", words.Comparison(c, false, "runs/new")},
		{"Comparison of two runs, with details", words.Comparison(r.Comparisons[0], true, "")},
		{"Calibration", words.Calibration(labelled, false)},
		{"Calibration, with details", words.Calibration(labelled, true)},
		{"Plan", words.Plan(plan)},
		{"Agreement of columns with gold", words.Columns(columns(t, "human"), true)},
		{"Agreement of columns without gold", words.Columns(columns(t, ""), true)},
	}
}

func build(t *testing.T, run reporttest.Run) *report.Report {
	t.Helper()
	r, err := measure.Build(run.Inputs(), measure.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func oneJudge(t *testing.T, run reporttest.Run) *report.Report {
	run.Manifest.Judges = run.Manifest.Judges[:1]
	run.Scores = slices.DeleteFunc(run.Scores, func(s score.Score) bool { return s.Judge == "baseline-rules" })
	return build(t, run)
}

func withoutReferences(run reporttest.Run) reporttest.Run {
	run.Scores = slices.DeleteFunc(run.Scores, func(s score.Score) bool { return s.Source != score.Judge })
	return run
}

func withoutJudges(run reporttest.Run) reporttest.Run {
	run.Manifest.Judges = nil
	run.Scores = slices.DeleteFunc(run.Scores, func(s score.Score) bool { return s.Source == score.Judge })
	return run
}

// calibrated has the labels of 30 conversations.
func calibrated(t *testing.T) *report.Calibration {
	t.Helper()
	in := reporttest.New(1, 60).Inputs()
	sheet, err := measure.Sheet(in, report.Disagreements{}, measure.SheetConfig{Conversations: 30})
	if err != nil {
		t.Fatal(err)
	}
	for i := range sheet {
		sheet[i].Whole = labels.VerdictAnswer(i%3 > 0)
	}
	c, err := measure.Calibrate(in, sheet, measure.CalibrateConfig{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func columns(t *testing.T, gold string) *report.TableAgreement {
	t.Helper()
	var table strings.Builder
	table.WriteString("conversation,tool,human,strict,lenient\n")
	for i := range 60 {
		fmt.Fprintf(&table, "c%d,t%d,%d,%d,%d\n", i/3, i%2, min(1, i%4), min(1, i%3), min(1, i%9))
	}
	cfg := measure.AgreeConfig{Gold: gold, Judges: []string{"strict", "lenient"}, Cluster: "conversation", By: []string{"tool"}}
	if gold == "" {
		cfg.Judges = append(cfg.Judges, "human")
	}
	r, err := measure.Agree("verdicts.csv", strings.NewReader(table.String()), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// printDocument prints what a document says: of tables their heads, of long lists the beginning.
func printDocument(out *bytes.Buffer, d *words.Document) {
	const few = 4
	for _, line := range []string{d.Title, d.About} {
		if line != "" {
			fmt.Fprintln(out, line)
		}
	}
	for _, s := range d.Sections {
		if len(s.Parts) == 0 {
			continue
		}
		if s.Title != "" {
			fmt.Fprintf(out, "\n# %s\n", s.Title)
		}
		if s.Do != "" {
			fmt.Fprintln(out, s.Do)
		}
		for _, p := range s.Parts {
			switch p := p.(type) {
			case words.Heading:
				fmt.Fprintf(out, "## %s\n", p.Text)
			case words.Sentence:
				fmt.Fprintln(out, p.Text)
			case words.Facts:
				for _, f := range p {
					fmt.Fprintf(out, "%s\n", f.Name)
					for _, line := range append(slices.Clone(f.Lines), f.Items...) {
						fmt.Fprintf(out, "  %s\n", line)
					}
				}
			case words.List:
				for _, item := range p.Items[:min(few, len(p.Items))] {
					fmt.Fprintf(out, "- %s\n", strings.Join(append([]string{item.Title, item.Words}, item.Lines...), "\n  "))
				}
			case *words.Table:
				fmt.Fprintf(out, "table: %s\n", strings.Join(p.Heads, " | "))
			}
		}
	}
	if d.Foot != "" {
		fmt.Fprintf(out, "\n%s\n", d.Foot)
	}
	fmt.Fprintln(out)
}

// file has the sentences of a file in their order.
type file struct {
	name  string
	texts []string
}

// several finds texts of more than one word.
var several = regexp.MustCompile(`[a-zA-Z]{2,}[^a-zA-Z]* .*[a-zA-Z]{2,}`)

// templates returns the sentences in the code of this package: its texts of several words; errors are not
// reports.
func templates(t *testing.T) []file {
	t.Helper()
	var out []file
	for name, parsed := range parsedFiles(t, "words") {
		f := file{name: name}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && isError(call) {
				return false
			}
			if e, ok := n.(ast.Expr); ok {
				if text, all := literal(e); all {
					if several.MatchString(text) {
						f.texts = append(f.texts, text)
					}
					return false
				}
			}
			return true
		})
		out = append(out, f)
	}
	return out
}

// TestWarningsStandHere holds that no other package of reports words a warning.
func TestWarningsStandHere(t *testing.T) {
	for _, dir := range []string{"measure", "../run/directory"} {
		for name, parsed := range parsedFiles(t, dir) {
			ast.Inspect(parsed, func(n ast.Node) bool {
				lit, ok := n.(*ast.CompositeLit)
				if !ok {
					return true
				}
				if of, ok := lit.Type.(*ast.SelectorExpr); !ok || of.Sel.Name != "Warning" {
					return true
				}
				ast.Inspect(lit, func(n ast.Node) bool {
					if e, ok := n.(*ast.BasicLit); ok {
						if text, all := literal(e); all && several.MatchString(text) {
							t.Errorf("%s words a warning: %q; put it into words/warnings.go", name, text)
						}
					}
					return true
				})
				return true
			})
		}
	}
}

// parsedFiles yields the files of a package beside this one, without its tests, in order.
func parsedFiles(t *testing.T, dir string) iter.Seq2[string, *ast.File] {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("..", dir, "*.go"))
	if err != nil || len(names) == 0 {
		t.Fatal(dir, err)
	}
	return func(yield func(string, *ast.File) bool) {
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			if short, _ := filepath.Rel("..", name); !yield(short, parsed) {
				return
			}
		}
	}
}

// isError reports whether a call makes an error.
func isError(call *ast.CallExpr) bool {
	f, ok := call.Fun.(*ast.SelectorExpr)
	return ok && (f.Sel.Name == "Errorf" || f.Sel.Name == "New")
}

// literal returns the text of a string or of a sum of strings; ok is false for anything else.
func literal(e ast.Expr) (text string, ok bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil && e.Kind == token.STRING
	case *ast.BinaryExpr:
		x, ok := literal(e.X)
		y, also := literal(e.Y)
		return x + y, ok && also && e.Op == token.ADD
	}
	return "", false
}

var verb = regexp.MustCompile(`%(\[\d\])?[-+.0-9]*[a-zA-Z]`)

// matches reports whether a text with any values for its verbs, of at most 120 characters each, occurs in what is
// shown.
func matches(text, shown string) bool {
	parts := verb.Split(strings.ReplaceAll(text, "%%", "%"), -1)
	for i, part := range parts {
		parts[i] = strings.Join(strings.Fields(part), " ")
	}
	return follow(parts, shown, len(shown))
}

// follow reports whether the parts stand in a text one after the other, the first within a limit, each of the others
// within 120 characters of the one before it.
func follow(parts []string, text string, limit int) bool {
	const most = 120
	if len(parts) == 0 {
		return true
	}
	for from := 0; from <= limit; from++ {
		at := strings.Index(text[from:min(len(text), limit+len(parts[0]))], parts[0])
		if at < 0 {
			return false
		}
		from += at
		rest := text[from+len(parts[0]):]
		if follow(parts[1:], rest, min(most, len(rest))) {
			return true
		}
	}
	return false
}

package words_test

import (
	"bytes"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/words"
)

// TestLongNames prints how many characters are left of names of more than 400, wherever a case names something: a log
// or a configuration must not flood a screen. ‹60› stands for a name of 60 characters.
func TestLongNames(t *testing.T) {
	const golden = "testdata/longnames.golden"
	long := regexp.MustCompile(`[^\s,()|:;"“”/\[\]¹²³§⁴]*y{19,}…?`)
	var out bytes.Buffer
	for _, c := range longCases() {
		var text bytes.Buffer
		switch said := c.said.(type) {
		case *words.Document:
			printWhole(&text, said)
		case words.Facts:
			printFacts(&text, said)
		case []string:
			text.WriteString(strings.Join(said, "\n"))
		}
		fmt.Fprintf(&out, "======== %s\n", c.name)
		var lines []string
		for line := range strings.SplitSeq(text.String(), "\n") {
			cut := long.ReplaceAllStringFunc(line, func(name string) string {
				return fmt.Sprintf("‹%d›", utf8.RuneCountInString(name))
			})
			if cut != line && !slices.Contains(lines, cut) {
				lines = append(lines, cut)
			}
		}
		fmt.Fprintf(&out, "%s\n\n", strings.Join(lines, "\n"))
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
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(out.String(), "\n")); diff != "" {
		t.Errorf("read the difference, then run the test with -update (-golden +now):\n%s", diff)
	}
}

func longCases() []written {
	probe, answers := lengthened(probed(1)), lengthened(categorized(1))
	out := []written{
		{"Alignment", words.Alignment(lengthened(alignedByFolds()), true)},
		{"Alignment, not proven", words.Alignment(lengthened(notAligned()), true)},
		{"Calibration", words.Calibration(lengthened(twoJudges()), true)},
		{"First screen", words.Card(lengthened(manyDoubts()), "runs/x")},
		{"First screen, one of each", words.Card(lengthened(oneOfEach()), "runs/x")},
		{"Ranked judges", words.Card(lengthened(ranked()), "")},
		{"Run of another calibration", words.Page(&report.Report{
			Calibration: &report.Applied{Calibration: *lengthened(twoJudges())}})},
		{"Probe", words.Card(probe, "")},
		{"Probe of several judges", words.Run(lengthened(probed(2)), true, "")},
		{"Answers", words.Answers(answers)},
		{"Categories", words.Page(answers)},
		{"Scores", words.Run(lengthened(scored()), true, "")},
		{"Agreement", words.Run(lengthened(agreed()), true, "")},
		{"Comparison", words.Comparison(lengthened(compared()), true, "")},
		{"Earlier run", words.Page(&report.Report{Comparisons: []*report.Comparison{lengthened(compared())}})},
		{"Columns", words.Columns(lengthened(tabled()), true)},
		{"Columns in short", words.Columns(lengthened(manyColumns()), false)},
		{"Plan", words.Plan(lengthened(planned()))},
	}
	var gates, groups, trust []string
	for _, g := range decidedGates() {
		gates = append(gates, words.GateLine(*lengthened(&g), &report.Report{}))
	}
	for _, g := range []report.FailureGroup{{Kind: "overall", Message: "wrong", Tool: "a"}, {Message: "wrong",
		Tools: []string{"a"}},
		{Message: "wrong"}} {
		groups = append(groups, words.GroupName(lengthened(&g), ""))
	}
	for _, ref := range []report.Instrument{{Source: "label", Name: "human"}, {Source: "deterministic", Name: "ast"}} {
		trust = append(trust, words.Trust(lengthened(&report.HeadlineTrust{Rubric: "polite", Reference: ref, Level: "call",
			Direction: "fail", Found: &report.Counted{Count: 1, Of: 1}})))
	}
	return append(out, written{"Gates", gates}, written{"Groups", groups}, written{"Trust", trust})
}

// plain are the fields whose values are not names, but words that decide what is said.
var plain = []string{"Source", "Level", "Kind", "Direction", "Reason", "Purpose", "Code", "Reduced", "Reduction",
	"Measure",
	"Target", "Refused", "Unprinted", "Operator", "Metric"}

// lengthened returns the value with every name in it made longer by 400 characters.
func lengthened[T any](of *T) *T {
	lengthen(reflect.ValueOf(of).Elem())
	return of
}

func lengthen(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		if text := v.String(); v.CanSet() && text != "" && !strings.HasPrefix(text, report.PeopleLabel) {
			v.SetString(strings.TrimRight(text, "y") + strings.Repeat("y", 400))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			lengthen(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			lengthen(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if !slices.Contains(plain, v.Type().Field(i).Name) {
				lengthen(v.Field(i))
			}
		}
	}
}

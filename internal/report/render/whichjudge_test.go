package render

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/realdata"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/words"
)

const whichJudge = "../../../docs/which-judge.md"

var (
	everyJudge = []string{"DeepSeek*", "GPT*", "Gemini*", "Kimi*", "Llama*", "Qwen*"}
	localJudge = []string{"Llama*", "Qwen*"}
)

// TestWhichJudge: the tables of docs/which-judge.md are those that judge agree prints of the
// recorded verdicts; -update writes them.
func TestWhichJudge(t *testing.T) {
	path := realdata.Path(t, "data", "apb", "steps-dev.csv")
	data := realdata.Read(t, path)
	run := func(gold string, judges ...string) *report.TableAgreement {
		cfg := measure.AgreeConfig{Gold: gold, Judges: judges, Cluster: "record", Map: []measure.Mapping{
			{Verdict: "fail", Words: []string{"-1"}}, {Verdict: "pass", Words: []string{"0", "1"}}}}
		r, err := measure.Agree("steps-dev.csv", bytes.NewReader(data), cfg)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	all, blind := run("human", everyJudge...), run("", localJudge...)
	want := map[string]string{
		"ranking":      tableOf(t, all, "Ranking by Youden's J"),
		"overview":     tableOf(t, all, "Agreement with human"),
		"three":        tableOf(t, run("human", "Qwen3-30B-A3B-Thinking-2507", "Llama-3.3-70B-Instruct", "Qwen3-8B-Thinking"), "Agreement with human"),
		"without gold": tableOf(t, blind, "Two orders without gold"),
		"rank": "| judges | order by | with J by people | with kappa by people |\n|--:|:--|--:|--:|\n" +
			blindRanks(t, all, run("", everyJudge...)) + blindRanks(t, run("human", localJudge...), blind),
		"few labels": fewLabels(t, data),
	}
	page, err := os.ReadFile(whichJudge)
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	for name, table := range want {
		before, rest, ok := strings.Cut(text, "<!-- "+name+" -->\n")
		was, after, closed := strings.Cut(rest, "<!-- end -->")
		if !ok || !closed {
			t.Fatalf("the page has no place for %q", name)
		}
		if diff := cmp.Diff(was, table); diff != "" && !*update {
			t.Errorf("%s: the page says something else (-page +command)\n%s", name, diff)
		}
		text = before + "<!-- " + name + " -->\n" + table + "<!-- end -->" + after
	}
	if *update {
		if err := os.WriteFile(whichJudge, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// tableOf returns the table of a section as Markdown.
func tableOf(t *testing.T, r *report.TableAgreement, section string) string {
	t.Helper()
	var out bytes.Buffer
	if err := writeMarkdown(&out, words.Columns(r, false)); err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(out.String(), "### "+section+"\n")
	if !ok {
		t.Fatalf("no section %q", section)
	}
	var table strings.Builder
	for line := range strings.Lines(rest) {
		if strings.HasPrefix(line, "#") {
			break
		}
		if strings.HasPrefix(line, "|") {
			table.WriteString(line)
		} else if table.Len() > 0 {
			break // the first table of the section
		}
	}
	return table.String()
}

// blindRanks says how the order without gold, and agreement with the others' majority, go
// with the order by human labels.
func blindRanks(t *testing.T, gold, blind *report.TableAgreement) string {
	t.Helper()
	row := func(judge string) report.ColumnPair {
		return gold.Pairs[slices.IndexFunc(gold.Pairs, func(p report.ColumnPair) bool { return p.Judge == judge })]
	}
	var place, fails, majority, j, kappa []float64
	for i, one := range blind.Blind.Judges {
		place, majority = append(place, float64(-i)), append(majority, *one.Majority.Value)
		fails = append(fails, float64(-one.ByFails))
		j, kappa = append(j, *row(one.Judge).Youden.Value), append(kappa, *row(one.Judge).Kappa.Value)
	}
	text := ""
	for _, by := range []struct {
		name  string
		order []float64
	}{{"Dawid–Skene, without labels", place}, {"share it fails", fails}, {"agreement with the others' majority", majority}} {
		text += fmt.Sprintf("| %d | %s | %.2f | %.2f |\n", len(place), by.name, spearman(t, by.order, j), spearman(t, by.order, kappa))
	}
	return text
}

func spearman(t *testing.T, x, y []float64) float64 {
	t.Helper()
	c, err := raters.Correlate(x, y, nil, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	return c.Spearman.Value
}

// fewLabels returns how well the order of judges by J on some labelled records goes with that on
// all other records, over 400 random draws.
func fewLabels(t *testing.T, data []byte) string {
	t.Helper()
	rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	head := rows[0]
	const human, first = 3, 4
	at, tables := map[string]int{}, [][][4]int{} // by record and judge: TN, FP, FN, TP
	for _, row := range rows[1:] {
		k, known := at[row[1]]
		if !known {
			k = len(tables)
			at[row[1]] = k
			tables = append(tables, make([][4]int, len(head)-first))
		}
		for j, cell := range row[first:] {
			if cell != "" {
				at := 0
				if row[human] != "-1" {
					at = 2
				}
				if cell != "-1" {
					at++
				}
				tables[k][j][at]++
			}
		}
	}
	var local []int
	for j, name := range head[first:] {
		if strings.HasPrefix(name, "Llama") || strings.HasPrefix(name, "Qwen") {
			local = append(local, j)
		}
	}
	youden := func(records []int, judge int) float64 {
		var c [4]float64
		for _, k := range records {
			for i, n := range tables[k][judge] {
				c[i] += float64(n)
			}
		}
		return c[3]/(c[3]+c[2]) + c[0]/(c[0]+c[1]) - 1
	}
	everyone := make([]int, len(head)-first)
	for j := range everyone {
		everyone[j] = j
	}
	rng := rand.New(rand.NewPCG(2026, 11))
	out := "| labelled conversations | " + strconv.Itoa(len(everyone)) + " judges | " + strconv.Itoa(len(local)) + " local judges |\n|--:|--:|--:|\n"
	for _, n := range []int{25, 50, 100, 200} {
		out += fmt.Sprintf("| %d |", n)
		for _, judges := range [][]int{everyone, local} {
			var found []float64
			for range 400 {
				order := rng.Perm(len(tables))
				var few, rest []float64
				for _, j := range judges {
					few, rest = append(few, youden(order[:n], j)), append(rest, youden(order[n:], j))
				}
				if rho := spearman(t, few, rest); !math.IsNaN(rho) {
					found = append(found, rho)
				}
			}
			slices.Sort(found)
			out += fmt.Sprintf(" %.2f (%.2f to %.2f) |", found[len(found)/2], found[len(found)/20], found[len(found)*19/20])
		}
		out += "\n"
	}
	return out
}

package format

import (
	"cmp"
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/realdata"
	"github.com/judgekit/judge/internal/transcript"
)

// The worst that may come of the logs of other people: this many are read right, and this many are
// read wrong without a word. The first number may only rise, the others only fall.
const (
	wildRight      = 74
	wildSilent     = 4
	wildMisleading = 0
)

// wildCounts are counts of a log: those of index.csv, or those that were read.
type wildCounts struct{ conversations, calls, results, tools, fromText int }

// TestWildLogs reads logs of many producers and compares what was read with independent counts. A
// count of 0 in the index means that nobody counted, or that calls stand only in text.
func TestWildLogs(t *testing.T) {
	folder := realdata.Path(t, "data", "wild")
	index, err := os.Open(filepath.Join(folder, "index.csv"))
	if err != nil {
		t.Skipf("the wild logs have no index: %v", err)
	}
	defer index.Close()
	rows, err := csv.NewReader(index).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	tally := map[string]int{}
	for _, row := range rows[1:] {
		want := wildCounts{number(t, row[2]), number(t, row[3]), number(t, row[4]), number(t, row[5]), 0}
		verdict, detail := readWild(t, filepath.Join(folder, row[0]), want)
		tally[verdict]++
		t.Logf("%-10s %-22s %-40s %s", verdict, row[0], row[1], detail)
	}
	t.Logf("of %d logs: %v", len(rows)-1, tally)
	if tally["right"] < wildRight || tally["silent"] > wildSilent || tally["misleading"] > wildMisleading {
		t.Errorf("fewer right than %d, or more silent than %d, or more misleading than %d: %v",
			wildRight, wildSilent, wildMisleading, tally)
	}
}

// readWild says how a log is read: right, silent (wrong without a word), refused (an error says
// that it cannot be read), misleading (refused, with a suggestion that reads something else).
func readWild(t *testing.T, file string, want wildCounts) (verdict, detail string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Base(file)
	got, said, err := wildRead(name, string(text), Options{})
	switch {
	case err == nil && got.fits(want):
		return "right", said
	case err == nil:
		return "silent", fmt.Sprintf("%s: read %+v, not %+v", said, got, want)
	}
	guess, guessed := GuessLog(name, strings.NewReader(string(text)))
	if guessed == nil {
		guessed = guess.Try(context.Background(), name, strings.NewReader(string(text)))
	}
	if guessed != nil || guess.Map == nil {
		return "refused", err.Error()
	}
	m, mapErr := ParseMapping(guess.Map)
	if mapErr != nil {
		t.Fatal(mapErr)
	}
	got, _, mapErr = wildRead(name, string(text), Options{Map: m})
	switch {
	case mapErr == nil && got.fits(want):
		return "suggested", fmt.Sprint(guess.Map)
	case mapErr == nil:
		return "misleading", fmt.Sprintf("%v: reads %+v, not %+v", guess.Map, got, want)
	}
	return "refused", fmt.Sprintf("%v: %v", guess.Map, mapErr)
}

// fits compares what was read with the index.
func (got wildCounts) fits(want wildCounts) bool {
	if want.calls == 0 { // nobody counted what stands only in texts
		return got.calls == got.fromText && got.results >= want.results
	}
	return got.conversations == want.conversations && got.calls == want.calls && got.results == want.results &&
		(want.tools == 0 || got.tools == want.tools)
}

// wildRead reads a log, and says as what.
func wildRead(name, text string, opts Options) (got wildCounts, said string, err error) {
	r := Open(context.Background(), name, strings.NewReader(text), opts)
	tools := map[string]bool{}
	for c, readErr := range r.All() {
		if err = cmp.Or(err, readErr); readErr != nil {
			continue
		}
		got.conversations++
		got.calls += len(c.Calls)
		if slices.ContainsFunc(c.Notes, func(n transcript.Note) bool { return n.Kind == callFromText }) {
			got.fromText += len(c.Calls)
		}
		for i := range c.Messages {
			got.results += b2i(c.Messages[i].Role == "tool")
		}
		for i := range c.Tools {
			tools[c.Tools[i].Name] = true
		}
	}
	got.tools = len(tools)
	return got, r.Format(), err
}

func number(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

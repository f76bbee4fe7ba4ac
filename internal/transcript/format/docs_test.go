package format

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/value"
)

// TestTheSamplesOfTheDocsAreRead keeps docs/logs.md and docs/log-samples.md: each format that is read has a row in the
// table and a sample of two lines, which is detected and reads as its caption says. A format
// whose row is no link has its sample in agentLogs, replyLogs or spanLogs.
func TestTheSamplesOfTheDocsAreRead(t *testing.T) {
	var pages [2]string
	for i, name := range []string{"logs.md", "log-samples.md"} {
		text, err := os.ReadFile("../../../docs/" + name)
		if err != nil {
			t.Fatal(err)
		}
		pages[i] = string(text)
	}
	_, table, _ := strings.Cut(pages[0], "\n| format | who writes it | versions seen | what is read | what is lost |\n")
	table, _, _ = strings.Cut("\n"+table, "\n\n")
	samples := map[string][]string{}
	for _, s := range regexp.MustCompile("(?s)\n## (\\S+)\n\n([^\n]+)\n\n```\\w+\n(.*?)\n```").FindAllStringSubmatch(strings.Join(pages[:], ""), -1) {
		samples[s[1]] = s[2:]
	}
	for _, name := range Formats() {
		if strings.Contains(table, "\n| "+name+" | ") {
			if !slices.ContainsFunc(slices.Concat(agentLogs, replyLogs, spanLogs, otherLogs), func(l agentLog) bool { return l.format == name }) {
				t.Errorf("%s has no sample", name)
			}
			continue
		}
		if !strings.Contains(table, fmt.Sprintf("\n| [%s](log-samples.md#%s) | ", name, strings.ReplaceAll(name, "+", ""))) {
			t.Errorf("%s has no row in the table", name)
		}
		s, found := samples[name]
		if !found {
			t.Errorf("%s has no sample", name)
			continue
		}
		delete(samples, name)
		if lines := strings.Count(s[1], "\n") + 1; lines > 2 {
			t.Errorf("the sample of %s has %d lines", name, lines)
		}
		for line := range strings.Lines(s[1]) {
			if _, err := value.ParseString(line); err != nil {
				t.Errorf("the sample of %s is no JSON Lines: %v", name, err)
			}
		}
		d, err := Detect([]byte(s[1]))
		if d.Format != name || err != nil {
			t.Errorf("the sample of %s is taken for %q, %v", name, d.Format, err)
		}
		lines, list := readText(t, "x.jsonl", s[1], Options{})
		calls, alone := 0, 0
		for _, c := range list {
			calls, alone = calls+len(c.Calls), alone+unpaired(c)
		}
		got := fmt.Sprintf("%s, %s, %d unpaired", many(len(list), "conversation"), many(calls, "call"), alone)
		if got != s[0] {
			t.Errorf("the sample of %s has %s: %v", name, got, lines)
		}
	}
	for name := range samples {
		t.Errorf("the sample of %s is of no format that is read", name)
	}
}

func many(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

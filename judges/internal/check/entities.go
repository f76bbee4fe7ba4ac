package check

import (
	"slices"
	"strings"

	"github.com/judgekit/judge/judges/internal/prompt"
)

// checkInjection flags a record that talks to its grader, and an explanation that
// repeats it.
func (c *checker) checkInjection(f *flags, a Answer) {
	why, echo := "", false
	look := func(text string) {
		reason := suspect(text)
		if reason == "" {
			return
		}
		if why == "" {
			why = reason
		}
		echo = echo || sharesRun(text, a.Explanation, echoTokens)
	}
	c.visibleLines(func(l *line) bool {
		if l.suspect {
			for _, t := range l.texts {
				look(t)
			}
		}
		return true
	})
	for _, list := range [][]string{c.rec.view.CallTexts(c.Call), c.rec.suspectTools} {
		for _, t := range list {
			look(t)
		}
	}
	if why != "" {
		f.add(FlagInjection, 2, "the record seems to address its grader: %s", why)
	}
	if echo {
		f.add(FlagEcho, 2, "the explanation repeats text that addresses the grader")
	}
}

// echoTokens is how many tokens in a row count as an echo.
const echoTokens = 12

// sharesRun reports whether two texts share a run of n words.
func sharesRun(a, b string, n int) bool {
	words := func(s string) []string {
		return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !alphanumeric(r) })
	}
	x, y := words(a), words(b)
	if len(x) < n || len(y) < n {
		return false
	}
	runs := make(map[string]bool, len(y))
	for i := 0; i+n <= len(y); i++ {
		runs[strings.Join(y[i:i+n], " ")] = true
	}
	for i := 0; i+n <= len(x); i++ {
		if runs[strings.Join(x[i:i+n], " ")] {
			return true
		}
	}
	return false
}

// checkPhantoms flags an identifier in the explanation that occurs nowhere in what
// the judge saw: a name with an underscore is the name of a tool or a parameter.
func (c *checker) checkPhantoms(f *flags, a Answer) {
	if c.OwnWords {
		return
	}
	var phantoms []string
	for _, w := range strings.FieldsFunc(a.Explanation, func(r rune) bool { return !alphanumeric(r) && r != '_' }) {
		name := strings.ToLower(strings.Trim(w, "_"))
		if !strings.Contains(name, "_") || len(name) < 4 || slices.Contains(phantoms, name) || c.known(name) {
			continue
		}
		phantoms = append(phantoms, name)
	}
	if len(phantoms) > 0 {
		f.add(FlagPhantom, 1, "named, but nowhere in the record: %s", strings.Join(phantoms[:min(len(phantoms), 5)], ", "))
	}
}

func (c *checker) known(name string) bool {
	for i := range c.rec.conv.Tools {
		t := &c.rec.conv.Tools[i]
		if strings.EqualFold(t.Name, name) {
			return true
		}
		for _, p := range prompt.ParameterNames(t) {
			if strings.EqualFold(p, name) {
				return true
			}
		}
	}
	if strings.Contains(c.lowerCall, name) || strings.Contains(c.rec.lowerTools, name) {
		return true
	}
	found := false
	c.visibleLines(func(l *line) bool {
		found = strings.Contains(strings.ToLower(l.tool), name)
		for _, s := range l.lower {
			found = found || strings.Contains(s, name)
		}
		return !found
	})
	return found
}

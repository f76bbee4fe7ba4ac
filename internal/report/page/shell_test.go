package page

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/words"
)

// TestPolicyOfThePage: one style and one script are allowed, by their hashes; only a page with a server may fetch.
func TestPolicyOfThePage(t *testing.T) {
	const begin = "default-src 'none'; base-uri 'none'; form-action 'none'; style-src " +
		"'sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='" // of abc
	for _, tt := range []struct {
		script  string
		connect bool
		want    string
	}{
		{"", false, begin}, {"", true, begin + "; connect-src 'self'"},
		{"abc", false, begin + "; script-src 'sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='"},
		{"abc", true, begin + "; script-src 'sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='; connect-src 'self'"},
	} {
		if got := policy("abc", tt.script, tt.connect); got != tt.want {
			t.Errorf("%s, want %s", got, tt.want)
		}
	}
}

// TestScriptsOfThePage: further scripts come before the last one, all in one scope with the texts.
func TestScriptsOfThePage(t *testing.T) {
	got, err := joined([]string{"first();", "second();"})
	if err != nil {
		t.Fatal(err)
	}
	at := strings.Index(got, "\nfirst();\nsecond();\n")
	if at < 0 || !strings.HasPrefix(got, "(() => {\n'use strict';\nconst texts = {\"") {
		t.Fatalf("the further scripts stand at %d; the beginning is %.60q", at, got)
	}
	for _, name := range scripts {
		text, err := files.ReadFile("script/" + name + ".js")
		if err != nil {
			t.Fatal(err)
		}
		i := strings.Index(got, string(text))
		if (i > at) != (name == "main") || i < 0 {
			t.Errorf("%s stands at %d, the further scripts at %d", name, i, at)
		}
	}
	if !strings.HasSuffix(got, "\n})();") {
		t.Errorf("the end is %q", got[len(got)-20:])
	}
}

// TestSay: each # of a text is replaced by a value.
func TestSay(t *testing.T) {
	for want, got := range map[string]string{
		"3 of 4 calls": say("# of # calls", 3, 4), "# left": say("# left"), "a": say("a", 1), "x y": say("# #", "x", "y"),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("disk full") }

// TestPageThatCannotBeWritten: the error says what was written.
func TestPageThatCannotBeWritten(t *testing.T) {
	err := WriteDocument(brokenWriter{}, &words.Document{Title: "t"})
	if err == nil || err.Error() != "write html page: disk full" {
		t.Error(err)
	}
}

// TestPartsOfAPage: a page without data has no script; with data it has the scripts, the data in a form that cannot end
// the element, and the further style; a page of a server may fetch.
func TestPartsOfAPage(t *testing.T) {
	written := func(c Content) string {
		var out bytes.Buffer
		if err := Write(&out, c); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	plain := written(Content{Document: &words.Document{Title: "A title"}})
	full := written(Content{Document: &words.Document{Title: "A title"}, Report: &report.Report{},
		Data: &Data{Run: "</script>"}, Scripts: []string{"further();"}, Style: "p{color:red}", Connect: true})
	for text, in := range map[string][2]bool{
		"<title>A title": {true, true}, "<script": {false, true}, "further();": {false, true}, "p{color:red}": {false, true},
		"connect-src": {false, true}, `"run":"\u003c/script\u003e"`: {false, true}, "</script>\"": {false, false},
	} {
		if got := [2]bool{strings.Contains(plain, text), strings.Contains(full, text)}; got != in {
			t.Errorf("%s is there: %v, want %v", text, got, in)
		}
	}
}

// TestProbeComesFirst: the section of a probe stands above the calls if the page opens with it; the document of the
// caller keeps it.
func TestProbeComesFirst(t *testing.T) {
	for planted, want := range map[bool]string{false: "One Probe Two", true: "One Two"} {
		d := &words.Document{Sections: []words.Section{{Name: "One"}, {Name: words.ProbeName}, {Name: "Two"}}}
		p := &shell{Document: d, Headline: &headline{}}
		if planted {
			p.Headline.Planted = words.Facts{{}}
		}
		p.raiseProbe()
		var names []string
		for _, s := range p.Sections {
			names = append(names, s.Name)
		}
		if got := strings.Join(names, " "); got != want || (p.Probe != nil && p.Probe.Name == words.ProbeName) != planted ||
			len(d.Sections) != 3 {
			t.Errorf("planted %v: %s, probe %v", planted, got, p.Probe)
		}
	}
	p := &shell{Document: &words.Document{Sections: []words.Section{{Name: "One"}}}, Headline: &headline{Planted: words.Facts{{}}}}
	if p.raiseProbe(); p.Probe != nil || len(p.Sections) != 1 {
		t.Errorf("no section of a probe: %+v", p.Probe)
	}
}

package format

import (
	"strings"
	"testing"
)

// TestTextAfterAnEnvelope: a log whose object holds the records may be followed by another
// such object, if its format is written in lines; any other text is a problem that is told,
// and what stands before it is read.
func TestTextAfterAnEnvelope(t *testing.T) {
	chat := func(trace string) string {
		return strings.ReplaceAll(otlpExport(chatSpan("1", "1", askMessages, callMessages)), "0af7651916cd43dd8448eb211c80319c", trace)
	}
	a, b := strings.Repeat("a", 32), strings.Repeat("b", 32)
	for name, tt := range map[string]struct {
		log     string
		ids     []string
		problem string
	}{
		"another object":  {chat(a) + "\n" + chat(b), []string{a, b}, ""},
		"prose":           {chat(a) + "\ndone", []string{a}, "x.json[1]: json: unexpected character at byte 0"},
		"a closing brace": {chat(a) + "}", []string{a}, "text follows the end of the log and was not read: \"}"},
		"blank lines":     {chat(a) + "\n \n", []string{a}, ""},
	} {
		lines, list := readText(t, "x.json", tt.log, Options{})
		var ids []string
		for _, c := range list {
			ids = append(ids, c.ID)
		}
		if strings.Join(ids, " ") != strings.Join(tt.ids, " ") {
			t.Errorf("%s: %q, want %q", name, ids, tt.ids)
		}
		problem := ""
		for _, line := range lines {
			if strings.HasPrefix(line, "error: ") {
				problem = line
			}
		}
		if !strings.Contains(problem, tt.problem) || (problem != "") != (tt.problem != "") {
			t.Errorf("%s: the problem is %q, want %q", name, problem, tt.problem)
		}
	}
}

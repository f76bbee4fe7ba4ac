package main

import (
	"strings"
	"testing"

	"github.com/judgekit/judge/rubrics"
)

// TestNewRubric: what judge rubrics new writes is a rubric, also with everything uncommented.
func TestNewRubric(t *testing.T) {
	for _, scope := range []string{"call", "result", "turn", "conversation"} {
		var text strings.Builder
		if err := writeText(&text, "rubric", struct{ Name, Scope, File string }{"yes: no", scope, "my file.yaml"}); err != nil {
			t.Fatal(err)
		}
		head, more, _ := strings.Cut(text.String(), "# Uncomment what you need.\n")
		more = strings.NewReplacer("\n# ", "\n", "', output: yes", "', rule: r, output: yes").Replace("\n" + more)
		for _, in := range []string{head, head + more} {
			list, err := rubrics.Load(strings.NewReader(in), "my file.yaml")
			if err != nil || len(list) != 1 || list[0].Name != "yes: no" || string(list[0].Scope) != scope {
				t.Fatalf("%s: %v\n%s", scope, err, in)
			}
			r := list[0]
			for _, f := range rubrics.Lint(r) {
				if f.Severity == rubrics.SeverityError || !strings.HasPrefix(f.Message, "no examples") && !strings.HasPrefix(f.Message, "1 examples") {
					t.Errorf("%s: %v", scope, f)
				}
			}
			if whole := in != head; whole != (r.When != nil && r.Output.MayNotApply && r.Language == "de" && len(r.Examples) == 1) {
				t.Errorf("%s: %+v\n%s", scope, r, in)
			}
		}
		for line := range strings.Lines(text.String()) {
			if len([]rune(line)) > 121 {
				t.Errorf("too long: %s", line)
			}
		}
	}
}

package main

import (
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/render"
)

// inActions says that the command runs as a step of GitHub Actions, which reads commands
// out of everything that a step prints.
func (a *app) inActions() bool { return a.getenv("GITHUB_ACTIONS") == "true" }

// maxAnnotations is how many errors of a step GitHub shows.
const maxAnnotations = 10

var annotationEscapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")

// annotate marks failed gates on the page of a pull request.
func (a *app) annotate(results []report.GateResult) {
	if !a.inActions() {
		return
	}
	var failed []string
	for _, g := range results {
		if !g.Passed {
			failed = append(failed, strings.TrimPrefix(g.Line, "FAIL  "))
		}
	}
	if left := len(failed) - maxAnnotations + 1; left > 1 {
		failed = append(failed[:maxAnnotations-1], fmt.Sprintf("%d more gates failed", left))
	}
	for _, line := range failed {
		fmt.Fprintf(a.progress, "::error title=judge gate::%s\n", annotationEscapes.Replace(visible(line)))
	}
}

// actionsCommand begins a command of a step at the start of a line; the older form is read
// anywhere in it.
var actionsCommand = regexp.MustCompile(`(?m)^([\s\p{Z}\x{85}\x{feff}]*):(:+)`)

// inert is text in which a runner finds no commands.
func inert(text string) string {
	return strings.ReplaceAll(actionsCommand.ReplaceAllString(text, "$1: $2"), "##[", "# #[")
}

// outFor is where a report in a format is printed: what programs read is left as it is.
func (a *app) outFor(format render.Format) io.Writer {
	if format == render.TextFormat && a.inActions() {
		return mapWriter{a.out, inert}
	}
	return a.out
}

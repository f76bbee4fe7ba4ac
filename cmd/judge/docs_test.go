package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/rubrics"
)

// notRun are the commands of the documentation that cannot run here, by a part of their
// text, with the reason. Commands of judge among them are still parsed.
var notRun = map[string]string{
	"go test ./...":                       "would run this test again",
	"go test -run Real":                   "needs a model server",
	"go install -ldflags":                 "builds another project",
	"bin/ollama serve":                    "needs Ollama",
	"go run github.com/nats-io":           "serves a queue until it is stopped; queuekill_test.go runs one with deploy/nats.conf's limits",
	"judge worker --queue":                "needs a queue; queuekill_test.go runs one",
	"judge run traces/*.jsonl --queue":    "needs a queue; queuekill_test.go runs one",
	"judge agree steps-dev.csv":           "needs a table of 4,300 labelled steps",
	"judge score results/gpt-4o-retail":   "needs τ-bench's database",
	"cd tau-bench":                        "needs τ-bench's database",
	"python3 -c 'import json; print(json": "needs τ-bench's database",
	"cd ../../airline":                    "needs τ-bench's database",
	"judge watch /var/log/agent":          "watches until it is stopped; watch.txtar looks once",
	"judge watch logs/...":                "watches until it is stopped; watch.txtar looks once",
	"./run-agent.sh":                      "is the reader's own",
	"$OTEL_EXPORTER_OTLP_ENDPOINT":        "needs a collector; otel.txtar checks what is sent",
	"go test ./internal":                  "repeats a simulation for hours, or a campaign",
	"go test ./cmd/judge -run":            "is a campaign of minutes",
	"NAME.aligned.yaml":                   "needs an aligned rubric; align_test.go judges by one",
	"judge run LOG --config examples":     "needs a model server; examples.txtar runs it",
	"judge score --config examples":       "needs a log of that form; examples.txtar runs it",
	"examples/choose-judge.sh":            "needs a log; choosejudge.txtar runs it",
	"judge align runs/":                   "needs 40 labels; align_test.go aligns runs of 60 and 100",
}

// notCompared lists, by their beginning, texts that are not compared with what a command prints, each
// with the reason.
var notCompared = map[string]string{
	"start state":          "a drawing",
	"bytes ─►":             "a drawing",
	"Agreement with human": "columnsdocs_test.go compares all of agreement.md",
	"  lenient: kappa":     "columnsdocs_test.go compares all of agreement.md",
	"By tool":              "columnsdocs_test.go compares all of agreement.md",
	"Ranking by":           "columnsdocs_test.go compares all of agreement.md",
	"The 2 judges":         "columnsdocs_test.go compares all of agreement.md",
	"tool in [cancel":      "two conditions; when_test.go of rubrics reads them",
	"2026-11-23 14:05":     "eight days of a watched folder; watch_test.go compares its lines",
	"examples/choose-":     "choosejudge.txtar runs it",
	"$ judge plan runs/ba": "rests on labels of a person; plan.txtar compares its lines",
}

// prerequisites are run before the commands of a place, by the beginning of a command in
// it: what the text around it takes to be there.
var prerequisites = map[string]string{
	"judge calibrate runs/latest\n":    "cp -r $RUNS/. runs; byhand runs/latest",
	"judge plan runs/latest":           "cp -r $RUNS/. runs",
	"judge report runs/":               "cp -r $RUNS/. runs; byhand runs/latest; judge calibrate runs/latest",
	"judge view runs/":                 "cp -r $RUNS/. runs",
	"judge show runs/":                 "cp -r $RUNS/. runs",
	"judge compare runs/":              "cp -r $RUNS/. runs",
	"judge run fixtures/logs/support.": "cp -r $RUNS/. runs",
	"judge run --resume runs/latest":   "cp -r $RUNS/. runs",
	"judge run traces/*.jsonl --base":  "cp -r $RUNS/. runs",
	"judge batch import runs/night":    "judge batch export traces/*.jsonl --base-url http://gpu-box:8000/v1 --model qwen3:8b --out runs/night; vllm run-batch -i runs/night/batch/round-1/*.jsonl -o out-0001.jsonl --model qwen3:8b; cp out-0001.jsonl out-0002.jsonl",
	"judge merge runs/shard-*":         "for i in 0 1; do judge run traces/*.jsonl --shard $i/2 --out runs/shard-$i; done",
	"judge agree fixtures/tables/verd": "cp agree.csv labels.csv",
	"judge doctor --base-url":          "printf 'judges: [{model: small, base_url: http://gpu-box:8000/v1}]' > judge.yaml",
	"judge run logs/now.jsonl":         "judge run logs/now.jsonl --out baseline",
	"rm -rf baseline":                  "judge run logs/now.jsonl --out now",
	"judge view runs/base --as bob":    "judge run traces/*.jsonl --out runs/base; judge view runs/base --as ann",
}

// servers are the endpoints that the documentation names.
var servers = []string{
	"http://127.0.0.1:11434/v1", "http://gpu-box:8000/v1", "http://gpu-1:8000/v1", "http://gpu-2:8000/v1",
	"https://api.openai.com/v1", "https://NAME.openai.azure.com/openai/deployments/gpt-5",
	"https://gateway.example.com/v1",
}

// TestDocs runs what the documentation shows as a person would who pastes it: commands in a
// shell, samples as files, configurations by --dry-run beside what stands on the same page.
func TestDocs(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell")
	}
	w := newDocsWorld(t)
	used, pages, ran := map[string]bool{}, docPages(t), 0
	for _, page := range pages {
		t.Run(page.name, func(t *testing.T) {
			ran++
			for _, b := range page.blocks {
				w.paste(t, page, &b, used)
			}
			for _, text := range page.inline {
				parses(t, text)
			}
		})
	}
	for part := range notRun {
		if ran == len(pages) && !used[part] {
			t.Errorf("no command of the documentation holds %q any more", part)
		}
	}
	for beginning := range notCompared {
		if ran == len(pages) && !used[beginning] {
			t.Errorf("no text of the documentation begins with %q any more", beginning)
		}
	}
}

// TestKindsAreDocumented: the table of docs/judging.md has each kind of missing score.
func TestKindsAreDocumented(t *testing.T) {
	_, table, _ := strings.Cut(string(read(t, root+"/docs/judging.md")), "\n| kind | what happened |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	for _, kind := range judges.ErrorKinds() {
		if !strings.Contains(table, "`"+kind+"`") {
			t.Errorf("docs/judging.md has no row for %s", kind)
		}
	}
}

// TestTokensOfTheDocs: the tables of docs/judging.md and docs/scale.md have the prompt tokens
// that --dry-run counts.
func TestTokensOfTheDocs(t *testing.T) {
	for _, row := range []struct{ page, name, flag string }{
		{"judging.md", "function_intent_alignment", "--rubric"}, {"judging.md", "parameter_completeness_consistency", "--rubric"},
		{"judging.md", "prerequisite_satisfaction", "--rubric"}, {"judging.md", "overall_call_correctness", "--rubric"},
		{"scale.md", "rubric-first", "--layout"}, {"scale.md", "named-rubrics", "--layout"}, {"scale.md", "conversation-first", "--layout"},
	} {
		code, out, errs := inCommand(t, "run "+root+"/fixtures/logs/support.jsonl --dry-run --json "+row.flag+" "+row.name)
		var e struct {
			Requests float64
			Tokens   float64 `json:"prompt_tokens_estimate"`
		}
		if err := json.Unmarshal([]byte(out), &e); err != nil || code != exitOK {
			t.Fatal(code, errs, err)
		}
		n := int(math.Round(e.Tokens / e.Requests))
		want := fmt.Sprintf("| %d,%03d ", n/1000, n%1000)
		_, text, _ := strings.Cut(string(read(t, root+"/docs/"+row.page)), "\n| `"+row.name+"`")
		if text, _, _ = strings.Cut(text, "\n"); !strings.Contains(text, want) {
			t.Errorf("docs/%s, %s: %d tokens, and the page says%s", row.page, row.name, n, text)
		}
	}
}

// paste does with a block what a person would.
func (w *docsWorld) paste(t *testing.T, page *docPage, b *docBlock, used map[string]bool) {
	t.Helper()
	switch b.language {
	case "sh":
		w.commands(t, b, used)
	case "jsonl":
		w.sample(t, b)
	case "json":
		if _, err := value.ParseString(b.text); err != nil {
			t.Errorf("%s: %v", b.place, err)
		}
	case "yaml":
		if strings.Contains(b.text, "question: ") {
			if _, err := rubrics.Load(strings.NewReader(b.text), "rubric.yaml"); err != nil {
				t.Errorf("%s: %v", b.place, err)
			}
			return
		}
		w.configuration(t, page, b, used)
	case "go":
		w.compiles(t, b)
	case "text":
		w.session(t, page, b, used)
	case "mermaid", "starlark", "python", "dockerfile": // drawings, and files that a configuration of the page or a reader uses
	default:
		t.Errorf("%s: a block in %q: what is a person to do with it?", b.place, b.language)
	}
}

// commands runs those commands of a block that can run here.
func (w *docsWorld) commands(t *testing.T, b *docBlock, used map[string]bool) {
	t.Helper()
	var script strings.Builder
	for _, command := range shellCommands(b.text) {
		reason := ""
		for part, why := range notRun {
			if strings.Contains(command, part) {
				used[part], reason = true, why
			}
		}
		if reason == "" {
			script.WriteString(strings.Replace(command, "go run ./cmd/judge ", "judge ", 1) + "\n")
			continue
		}
		parses(t, command)
	}
	if script.Len() == 0 {
		return
	}
	before, longest := "", 0
	for beginning, needed := range prerequisites {
		if strings.HasPrefix(script.String(), beginning) && len(beginning) > longest {
			before, longest = "("+needed+") > /dev/null\n", len(beginning)
		}
	}
	out := w.sh(t, w.directory(t), before+script.String())
	if b.output != "" {
		compareOutput(t, b, out)
	}
}

// session runs the command that a text begins with, and compares what the text shows after it.
func (w *docsWorld) session(t *testing.T, page *docPage, b *docBlock, used map[string]bool) {
	t.Helper()
	for beginning := range notCompared {
		if strings.HasPrefix(strings.TrimSpace(b.text), strings.TrimSpace(beginning)) {
			used[beginning] = true
			return
		}
	}
	if slices.ContainsFunc(page.blocks, func(of docBlock) bool { return of.output == b.text }) {
		return // compared with what the command before it prints
	}
	command, shown, _ := strings.Cut(b.text, "\n")
	if command, ok := strings.CutPrefix(command, "$ "); ok {
		w.commands(t, &docBlock{text: command + "\n", place: b.place, output: shown}, used)
		return
	}
	t.Errorf("%s: a text that is neither compared nor listed in notCompared", b.place)
}

// compareOutput holds each line that is shown after a command against what it prints. A
// line of three dots stands for what is left out; run directories have names of their own.
func compareOutput(t *testing.T, b *docBlock, out string) {
	t.Helper()
	lines := 0
	for line := range strings.Lines(b.output) {
		line = strings.TrimRight(line, "\n")
		if line == "..." || line == "" || strings.HasPrefix(line, "judge: wrote ") {
			continue
		}
		lines++
		begins, cut := strings.CutSuffix(line, " …") // what comes after it is left out
		if !strings.Contains(out, line+"\n") && !(cut && strings.Contains(out, begins+" ")) {
			t.Errorf("%s: the command prints no line %q", b.place, line)
		}
	}
	if lines == 0 {
		t.Errorf("%s: nothing was compared", b.place)
	}
}

// sample pastes lines into a file: as a log, or as cases for the scorers.
func (w *docsWorld) sample(t *testing.T, b *docBlock) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "sample.jsonl")
	write(t, name, b.text)
	conversations := 0
	for line := range strings.Lines(b.text) {
		v, err := value.ParseString(line)
		if err != nil {
			t.Errorf("%s: a line is no record: %v\n%s", b.place, err, line)
		}
		if !v.Field("scorer").IsNull() {
			conversations--
		}
	}
	var out, errs strings.Builder
	a := &app{in: strings.NewReader(""), out: &out, err: &errs, getenv: func(string) string { return "" }}
	args := []string{"logs", "inspect", name}
	if conversations < 0 {
		args = []string{"score", "--cases", name}
	}
	code := command(t.Context(), args, a)
	if code != exitOK || strings.Contains(out.String(), "\n  0 conversations") || strings.Contains(out.String(), `"error"`) {
		t.Errorf("%s: exit %d: %s%s", b.place, code, out.String(), errs.String())
	}
}

// configuration tries a judge.yaml by --dry-run, and runs the commands of a workflow. Of files of other
// programs it holds the names of inputs, variables and hooks against those that the project offers.
func (w *docsWorld) configuration(t *testing.T, page *docPage, b *docBlock, used map[string]bool) {
	t.Helper()
	var file struct {
		Jobs map[string]struct {
			Steps []struct {
				Run, Uses string
				With      map[string]string
			}
		}
		Include any // of GitLab
		Judge   struct{ Variables map[string]string }
		Repos   []struct{ Hooks []struct{ ID string } }
	}
	if err := yaml.Unmarshal([]byte(b.text), &file); err != nil {
		t.Errorf("%s: %v", b.place, err)
		return
	}
	offered := func(name, in string) {
		if !strings.Contains(string(read(t, root+"/"+in)), name) {
			t.Errorf("%s: %s has no %q", b.place, in, strings.TrimSpace(name))
		}
	}
	for _, job := range file.Jobs {
		steps := docBlock{language: "sh", place: b.place}
		for _, step := range job.Steps {
			if step.Run != "" {
				steps.text += step.Run + "\n"
			}
			for input := range step.With {
				if strings.HasPrefix(step.Uses, "judgekit/judge@") {
					offered("\n  "+input+":\n", "action.yml")
				}
			}
		}
		w.commands(t, &steps, used)
		return
	}
	for name := range file.Judge.Variables {
		offered("\n    "+name+":", "deploy/gitlab-ci.yml")
	}
	for _, repo := range file.Repos {
		for _, hook := range repo.Hooks {
			offered("- id: "+hook.ID+"\n", ".pre-commit-hooks.yaml")
		}
	}
	if file.Include != nil || file.Repos != nil {
		return
	}
	dir := w.directory(t)
	for _, other := range page.blocks {
		if file := map[string]string{"starlark": "tools.star", "python": "adapter.py"}[other.language]; file != "" {
			write(t, filepath.Join(dir, file), other.text)
		}
	}
	write(t, filepath.Join(dir, "judge.yaml"), w.urls.Replace(b.text))
	script := "cp -r $RUNS/. runs\n"
	if strings.Contains(b.text, "calibration.json") {
		script += "mv judge.yaml later.yaml\njudge run traces/*.jsonl --out runs/base" +
			" --base-url http://gpu-box:8000/v1 --model small-a --model small-b --model small-c > /dev/null\n" +
			"byhand runs/base; judge calibrate runs/base > /dev/null; mv later.yaml judge.yaml\n"
	}
	log := "traces/*.jsonl"
	if strings.Contains(b.text, "logs:") {
		log = ""
	}
	w.sh(t, dir, script+"judge run --dry-run "+log)
}

// compiles builds a Go file as a package of the project that imports no internal one, as others cannot either.
// A module of its own would need modules that nothing else does, and no network may be needed.
func (w *docsWorld) compiles(t *testing.T, b *docBlock) {
	t.Helper()
	if strings.Contains(b.text, "judge/internal/") {
		t.Errorf("%s: other programs cannot import internal packages", b.place)
	}
	name, overlay := filepath.Join(t.TempDir(), "snippet.go"), filepath.Join(t.TempDir(), "overlay.json")
	write(t, name, b.text)
	text, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(w.root, "snippet", "snippet.go"): name}})
	if err != nil {
		t.Fatal(err)
	}
	write(t, overlay, string(text))
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", os.DevNull, "-overlay", overlay, "./snippet")
	cmd.Dir, cmd.Env = w.root, append(os.Environ(), "GOPROXY=off", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", b.place, err, out)
	}
}

package main

import (
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// docPage is a page of the documentation: its blocks, and commands within its sentences.
type docPage struct {
	name   string
	blocks []docBlock
	inline []string
}

// docBlock is something to paste.
type docBlock struct {
	language, text, place string
	// indented is set for a block without a fence.
	indented bool
	// output is what the block after it shows of what a command prints.
	output string
}

// docPages returns the pages of the documentation and the entries of the manual.
func docPages(t *testing.T) []*docPage {
	t.Helper()
	pages := []*docPage{}
	for _, pattern := range []string{"*.md", "llms.txt", "docs/*.md", "examples/*.md", "fixtures/*.md", "fixtures/*/*.md"} {
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			pages = append(pages, readPage(strings.TrimPrefix(filepath.ToSlash(file), root+"/"), string(read(t, file))))
		}
	}
	pages = append(pages, manualPage())
	blocks := 0
	for _, p := range pages {
		blocks += len(p.blocks)
	}
	if blocks < 140 {
		t.Fatalf("only %d blocks were found", blocks)
	}
	return pages
}

var inlineCommand = regexp.MustCompile("`((?:[A-Z_]+=\\S+ )?judge [^`]*)`")

func readPage(name, text string) *docPage {
	p := &docPage{name: name}
	var block *docBlock
	number, prose, before := 0, strings.Builder{}, ""
	for line := range strings.Lines(text) {
		number++
		fence, isFence := strings.CutPrefix(strings.TrimSpace(line), "```")
		indented, isIndented := strings.CutPrefix(line, "    ")
		if block != nil && block.indented && !isIndented {
			p.add(*block)
			block = nil
		}
		switch {
		case block == nil && isIndented && !isFence && strings.TrimSpace(before) == "":
			block = &docBlock{language: "sh", place: fmt.Sprintf("%s:%d", name, number), text: indented, indented: true}
		case block != nil && block.indented:
			block.text += indented
		case isFence && block == nil:
			block = &docBlock{language: fence, place: fmt.Sprintf("%s:%d", name, number)}
		case isFence:
			p.add(*block)
			block = nil
		case block != nil:
			block.text += line
		default:
			prose.WriteString(line)
		}
		before = line
	}
	for _, m := range inlineCommand.FindAllStringSubmatch(strings.ReplaceAll(prose.String(), "\n", " "), -1) {
		p.inline = append(p.inline, m[1])
	}
	return p
}

// add adds a block. A session that begins with what judge prints is the output of the
// command before it.
func (p *docPage) add(b docBlock) {
	if n := len(p.blocks); n > 0 && b.language == "text" && strings.HasPrefix(b.text, "judge: ") {
		p.blocks[n-1].output = b.text
	}
	p.blocks = append(p.blocks, b)
}

// manualPage has the examples of each entry of the manual as a block, and other indented
// commands inline.
func manualPage() *docPage {
	p := &docPage{name: "manual.txt"}
	examples, entry := false, ""
	for line := range strings.Lines(manualText) {
		text, indented := strings.CutPrefix(line, "  ")
		switch {
		case strings.HasPrefix(line, "= "):
			examples, entry = false, strings.TrimSpace(line[2:])
		case line == "Examples:\n":
			examples = true
			p.blocks = append(p.blocks, docBlock{language: "sh", place: "manual.txt, " + entry})
		case examples && indented:
			p.blocks[len(p.blocks)-1].text += text
		case indented && strings.HasPrefix(text, "judge "):
			command, _, _ := strings.Cut(text, "   ")
			p.inline = append(p.inline, strings.TrimSpace(command))
		}
	}
	return p
}

// shellCommands splits a script at the ends of its commands: a line that ends in \ or | and a
// loop go on.
func shellCommands(text string) (out []string) {
	whole := ""
	for line := range strings.Lines(text) {
		whole += line
		end := strings.TrimSpace(line)
		open := strings.Count(whole, "; do\n") > strings.Count("\n"+whole, "\ndone")
		if end == "" || strings.HasSuffix(end, "\\") || strings.HasSuffix(end, "|") || open {
			continue
		}
		out = append(out, strings.TrimSpace(whole))
		whole = ""
	}
	return out
}

// parses checks that a command is one of judge and has the flags that the text gives it.
func parses(t *testing.T, text string) {
	t.Helper()
	_, text, isJudge := strings.Cut(" "+strings.ReplaceAll(text, "\\\n", " "), " judge ")
	if !isJudge {
		return
	}
	text, _, _ = strings.Cut(text, " #")
	for _, end := range []string{" > ", " < ", " | "} {
		text, _, _ = strings.Cut(text, end)
	}
	root := rootCommand(&app{in: strings.NewReader(""), out: io.Discard, err: io.Discard})
	var cmd *cobra.Command
	words := strings.Fields(strings.ReplaceAll(text, "'", ""))
	if words[0] == "--help" || words[0] == "--version" {
		return
	}
	for _, names := range strings.Split(words[0], "|") {
		found, _, err := root.Find(append([]string{names}, words[1:]...))
		if err != nil || found == root {
			t.Errorf("judge %s: no such command", text)
			return
		}
		cmd = found
	}
	for _, word := range words {
		for _, alternative := range strings.Split(word, "|") {
			flag, isFlag := strings.CutPrefix(alternative, "--")
			if name, _, _ := strings.Cut(flag, "="); isFlag && name != "help" && cmd.Flags().Lookup(name) == nil && cmd.InheritedFlags().Lookup(name) == nil {
				t.Errorf("judge %s: %s has no flag --%s", text, cmd.CommandPath(), name)
			}
		}
	}
}

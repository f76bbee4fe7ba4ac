// Package page owns report.html: one file that loads nothing. It opens with a report's three
// headline numbers, then lists the calls of the run in a table to filter, sort and search,
// opens each with its conversation and scores, and ends with the sections of the document.
// The reports of other commands have the document alone, in the same look.
//
// It also owns the JSON forms of an item and a conversation and how the page asks for them,
// so that another program can serve the same page for a whole run.
//
// It promises that what comes from a log is text: html/template escapes it, the scripts only
// make text nodes, and the content security policy names scripts and style by hash. Memory
// grows with what a page holds, not with the run; the same run gives the same bytes.
package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/value"
)

//go:embed page.css page.html.tmpl script
var files embed.FS

// scripts lists the page's own scripts, in the order in which they are joined.
var scripts = []string{"dom", "source", "list", "call", "main"}

// Content holds what a page shows.
type Content struct {
	// Document holds the sections; everything else may be nil.
	Document *words.Document
	Report   *report.Report
	Data     *Data
	// Scripts run before the page's own last script, in the same scope. A script that defines
	// serverSource(data) gives the page its items and conversations, through the interface in script/source.js.
	// Style is added to the page's style. Connect allows scripts to fetch from the page's server.
	Scripts []string
	Style   string
	Connect bool
}

// WriteDocument writes a page with only a document.
func WriteDocument(w io.Writer, d *words.Document) error { return Write(w, Content{Document: d}) }

// Write writes the page.
func Write(w io.Writer, c Content) error {
	p, err := newShell(&c)
	if err != nil {
		return err
	}
	t, err := template.New("page.html.tmpl").Funcs(template.FuncMap{
		"kind": kindOf, "visible": value.Visible, "short": words.Short, "verdict": verdictClass,
		"units": units, "histogram": drawHistogram,
		"rows": shownRows, "headClass": headClass, "cellClass": cellClass,
		"points": points, "counted": words.Counted, "rateLine": words.RateLine, "rateOf": words.RateOf, "say": say, "trust": words.Trust,
		"trustQuestion": words.TrustQuestion, "noRates": words.NoRates, "groupTitle": words.GroupTitle,
		"fails": words.Fails, "passes": words.Passes, "shorten": words.Shorten, "cell": newSquareCell,
		"excerpt": func(s string) string { return words.Shorten(s, maxCell) },
	}).Option("missingkey=error").ParseFS(files, "page.html.tmpl")
	if err != nil {
		return fmt.Errorf("read page template: %w", err)
	}
	var out bytes.Buffer
	if err := t.Execute(&out, p); err != nil {
		return fmt.Errorf("render html page: %w", err)
	}
	if _, err := w.Write(out.Bytes()); err != nil {
		return fmt.Errorf("write html page: %w", err)
	}
	return nil
}

// shell holds the data of the template.
type shell struct {
	*words.Document
	Headline *headline
	// Probe is shown above the calls; nil for other runs.
	Probe *words.Section
	*Data // nil for a page without calls
	CSS   template.CSS
	// Texts holds the words of the template and the scripts.
	Texts map[string]string
	// Script is "" for a page without data; JSON is the data.
	Script, JSON template.JS
	Policy       string
}

// raiseProbe moves the section of a probe out of the others, if the headline is about the probe.
func (p *shell) raiseProbe() {
	at := slices.IndexFunc(p.Sections, func(s words.Section) bool { return s.Name == words.ProbeName })
	if at < 0 || len(p.Headline.Planted) == 0 {
		return
	}
	others := *p.Document
	others.Sections = slices.Concat(p.Sections[:at], p.Sections[at+1:])
	p.Probe, p.Document = &p.Sections[at], &others
}

func newShell(c *Content) (*shell, error) {
	css, err := files.ReadFile("page.css")
	if err != nil {
		return nil, fmt.Errorf("read page style: %w", err)
	}
	p := &shell{Document: c.Document, Data: c.Data, Texts: words.PageTexts(),
		CSS: template.CSS(string(css) + c.Style)}
	if c.Report != nil {
		p.Headline = newHeadline(c.Report)
		p.raiseProbe()
	}
	script := ""
	if c.Data != nil {
		if script, err = joined(c.Scripts); err != nil {
			return nil, err
		}
		// Marshal escapes <, > and &, so that no text can end the element.
		data, err := json.Marshal(c.Data)
		if err != nil {
			return nil, fmt.Errorf("write the page's data: %w", err)
		}
		p.JSON = template.JS(data)
	}
	p.Script = template.JS(script)
	p.Policy = policy(string(p.CSS), script, c.Connect)
	return p, nil
}

// say replaces each # of a text by a value, like say in dom.js.
func say(text string, values ...any) string {
	for _, v := range values {
		text = strings.Replace(text, "#", fmt.Sprint(v), 1)
	}
	return text
}

// joined returns the page's texts and scripts as one script; the extra scripts come before the last one.
func joined(further []string) (string, error) {
	texts, err := json.Marshal(words.PageTexts())
	if err != nil {
		return "", fmt.Errorf("write the page's texts: %w", err)
	}
	parts := []string{"const texts = " + string(texts) + ";"}
	for i, name := range scripts {
		if i == len(scripts)-1 {
			parts = append(parts, further...)
		}
		text, err := files.ReadFile("script/" + name + ".js")
		if err != nil {
			return "", fmt.Errorf("read page script: %w", err)
		}
		parts = append(parts, string(text))
	}
	return "(() => {\n'use strict';\n" + strings.Join(parts, "\n") + "\n})();", nil
}

// policy returns a content security policy that allows one style and one script, by their hashes.
func policy(style, script string, connect bool) string {
	out := "default-src 'none'; base-uri 'none'; form-action 'none'; style-src " + hash(style)
	if script != "" {
		out += "; script-src " + hash(script)
	}
	if connect {
		out += "; connect-src 'self'"
	}
	return out
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

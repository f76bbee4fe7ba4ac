package render

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/value"
)

// markdownWriter writes Markdown that GitHub renders, small enough for a step summary.
type markdownWriter struct {
	strings.Builder
}

const (
	// maxMarkdown limits Markdown in bytes: GitHub accepts comments of 65,536 characters.
	maxMarkdown = 60_000
	// maxNames limits how many folded sections are named in the line that unfolds them.
	maxNames = 12
)

// writeMarkdown writes a document for a pull request or $GITHUB_STEP_SUMMARY. Folded sections that
// do not fit in a comment are named at the end.
func writeMarkdown(w io.Writer, d *words.Document) error {
	m := &markdownWriter{}
	if d.Title != "" {
		m.block("## " + escape(d.Title))
	}
	folded := m.sections(d.Sections)
	if len(folded) > 0 {
		m.folded(folded)
	}
	if d.Foot != "" {
		m.block("<sub>" + escape(d.Foot) + "</sub>")
	}
	if _, err := io.WriteString(w, strings.TrimLeft(m.String(), "\n")); err != nil {
		return fmt.Errorf("write markdown: %w", err)
	}
	return nil
}

// sections writes the open sections, and returns the others.
func (m *markdownWriter) sections(all []words.Section) (folded []words.Section) {
	for _, s := range all {
		switch {
		case s.PageOnly || len(s.Parts) == 0:
			continue
		case s.Do != "":
			folded = append(folded, s)
			continue
		case s.Title != "" && m.Len() == 0:
			m.block("## " + escape(s.Title))
		case s.Title != "":
			m.block("### " + escape(s.Title))
		}
		for _, p := range s.Parts {
			m.part(p)
		}
	}
	return folded
}

// folded writes the closed sections, all under one line.
func (m *markdownWriter) folded(all []words.Section) {
	var names, left []string
	for _, s := range all {
		names = append(names, s.Name)
	}
	m.block("<details><summary>Details: " + escape(strings.ToLower(words.Some(names, maxNames))) + "</summary>")
	for _, s := range all {
		one := &markdownWriter{}
		one.block("<details><summary>" + escape(s.Title) + "</summary>")
		one.block(escape(s.Do))
		for _, p := range s.Parts {
			one.part(p)
		}
		one.block("</details>")
		if m.Len()+one.Len() > maxMarkdown {
			left = append(left, s.Title)
			continue
		}
		m.WriteString(one.String())
	}
	if len(left) > 0 {
		m.block(escape("Too long for a comment, see report.html: " + strings.Join(left, "; ") + "."))
	}
	m.block("</details>")
}

func (m *markdownWriter) part(p words.Part) {
	switch p := p.(type) {
	case words.Heading:
		m.block("#### " + escape(p.Text))
	case words.Sentence:
		m.block(escape(p.Text))
	case words.List:
		m.list(p)
	case *words.Table:
		m.table(p)
	case words.Facts:
		m.facts(p)
	}
}

// facts writes a list item for each fact, with its answers as a nested list.
func (m *markdownWriter) facts(all words.Facts) {
	m.WriteByte('\n')
	count := func(most int) (n int) {
		for i := range all {
			n += len(firstLines(&all[i], most))
		}
		return n
	}
	most := maxAnswers
	for most > 1 && count(most) > words.MaxLines {
		most--
	}
	for _, f := range all {
		lines := firstLines(&f, most)
		switch name := strings.TrimSpace(f.Lead()); {
		case f.Block:
			fmt.Fprintf(m, "- **%s**\n", escape(f.Name))
		case name != "":
			fmt.Fprintf(m, "- **%s** %s\n", escape(name), escape(words.Shorten(lines[0], maxFact)))
			lines = lines[1:]
		default:
			fmt.Fprintf(m, "- %s\n", escape(words.Shorten(lines[0], maxFact)))
			lines = lines[1:]
		}
		for _, line := range lines {
			fmt.Fprintf(m, "  - %s\n", escape(words.Shorten(line, maxFact)))
		}
	}
}

// maxFact limits an answer in Markdown, in characters.
const maxFact = 400

// block writes a paragraph of Markdown.
func (m *markdownWriter) block(text string) { m.WriteString("\n" + text + "\n") }

func (m *markdownWriter) list(l words.List) {
	items, left := shownItems(l)
	m.WriteByte('\n')
	for _, item := range items {
		if item.Words == "" && len(item.Lines) == 0 {
			fmt.Fprintf(m, "- %s\n", escape(item.Title))
			continue
		}
		fmt.Fprintf(m, "<details><summary>%s</summary>\n\n%s\n", escape(item.Title), escape(item.Words))
		for _, line := range item.Lines {
			fmt.Fprintf(m, "\n> %s\n", escape(line))
		}
		m.WriteString("\n</details>\n")
	}
	if left != "" {
		m.block(escape(left))
	}
}

// table writes the rows, with their group in a column of its own.
func (m *markdownWriter) table(t *words.Table) {
	shown, more := shownRows(t)
	if len(shown) > 0 {
		m.head(t)
	}
	group := ""
	for _, row := range shown {
		if row.Group != "" {
			group = row.Group
			continue
		}
		var cells []string
		if grouped(t) {
			cells = append(cells, group)
		}
		for i, c := range row.Cells {
			if t.Kinds[i] != 'b' {
				cells = append(cells, c.String())
			}
		}
		m.row(cells)
	}
	if more != "" {
		m.block(more + ".")
	}
}

func (m *markdownWriter) head(t *words.Table) {
	var heads []string
	rule := ""
	if grouped(t) {
		heads, rule = append(heads, ""), ":--|"
	}
	for i, head := range t.Heads {
		switch t.Kinds[i] {
		case 'b':
			continue
		case 'l':
			rule += ":--|"
		default:
			rule += "--:|"
		}
		heads = append(heads, head)
	}
	m.WriteByte('\n')
	m.row(heads)
	m.WriteString("|" + rule + "\n")
}

func (m *markdownWriter) row(cells []string) {
	const most = 160
	for _, c := range cells {
		m.WriteString("| " + escape(strings.TrimSpace(words.Shorten(c, most))) + " ")
	}
	m.WriteString("|\n")
}

var markdownEscapes = strings.NewReplacer(
	"&", "&amp;", "<", "&lt;", ">", "&gt;", "|", "\\|", "\\", "\\\\", "`", "\\`", "*", "\\*",
	"[", "\\[", "]", "\\]", "~", "\\~", "#", "\\#", "!", "\\!", "$", "\\$", "{", "\\{", "}", "\\}",
	"://", "&#58;//", "@", "&#64;", "www.", "www&#46;",
)

// escape makes GitHub show a text literally: it cannot become markup, links, mentions or table
// cells.
func escape(text string) string {
	text = markdownEscapes.Replace(value.Visible(text))
	if !strings.Contains(text, "_") {
		return text
	}
	// An underscore inside a word is not markup, and names are full of them.
	var b strings.Builder
	runes := []rune(text)
	for i, r := range runes {
		inside := i > 0 && i < len(runes)-1 && letter(runes[i-1]) && letter(runes[i+1])
		if r == '_' && !inside {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

func letter(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

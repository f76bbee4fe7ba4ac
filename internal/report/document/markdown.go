package document

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/judgekit/judge/internal/value"
)

// markdownWriter writes Markdown that GitHub renders, small enough for a step summary.
type markdownWriter struct {
	strings.Builder
}

// WriteMarkdown writes the document for a pull request or $GITHUB_STEP_SUMMARY.
func (d *Document) WriteMarkdown(w io.Writer) error {
	m := &markdownWriter{}
	if d.Title != "" {
		m.block("## " + escape(d.Title))
	}
	for _, s := range d.Sections {
		if s.PageOnly || len(s.Parts) == 0 {
			continue
		}
		if s.Title != "" {
			level := "### "
			if m.Len() == 0 {
				level = "## "
			}
			m.block(level + escape(s.Title))
		}
		for _, p := range s.Parts {
			m.part(p)
		}
	}
	if d.Foot != "" {
		m.block("<sub>" + escape(d.Foot) + "</sub>")
	}
	if _, err := io.WriteString(w, strings.TrimLeft(m.String(), "\n")); err != nil {
		return fmt.Errorf("write markdown: %w", err)
	}
	return nil
}

func (m *markdownWriter) part(p Part) {
	switch p := p.(type) {
	case Heading:
		m.block("#### " + escape(p.Text))
	case Sentence:
		m.block(escape(p.Text))
	case List:
		m.list(p)
	case *Table:
		m.table(p)
	}
}

// block writes a paragraph of Markdown.
func (m *markdownWriter) block(text string) { m.WriteString("\n" + text + "\n") }

func (m *markdownWriter) list(l List) {
	items, left := l.shown()
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

// table writes the rows with their group in a column of its own.
func (m *markdownWriter) table(t *Table) {
	shown, left := t.shown()
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
		if t.grouped() {
			cells = append(cells, group)
		}
		for i, c := range row.Cells {
			if t.Kinds[i] != 'b' {
				cells = append(cells, c.String())
			}
		}
		m.row(cells)
	}
	if left > 0 {
		m.block(moreRows(left) + ".")
	}
}

func (m *markdownWriter) head(t *Table) {
	var heads []string
	rule := ""
	if t.grouped() {
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
		m.WriteString("| " + escape(strings.TrimSpace(Shorten(c, most))) + " ")
	}
	m.WriteString("|\n")
}

var markdownEscapes = strings.NewReplacer(
	"&", "&amp;", "<", "&lt;", ">", "&gt;", "|", "\\|", "\\", "\\\\", "`", "\\`", "*", "\\*",
	"[", "\\[", "]", "\\]", "~", "\\~", "#", "\\#", "!", "\\!", "$", "\\$", "{", "\\{", "}", "\\}",
	"://", "&#58;//", "@", "&#64;", "www.", "www&#46;",
)

// escape makes text that GitHub shows as it is: no markup, links, mentions or table
// cells come out of it.
func escape(text string) string {
	text = markdownEscapes.Replace(value.Visible(text))
	if !strings.Contains(text, "_") {
		return text
	}
	// An underscore inside a word is no markup, and names are full of them.
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

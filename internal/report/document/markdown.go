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
		fmt.Fprintf(m, "## %s\n", Escape(d.Title))
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
			m.block(level + Escape(s.Title))
		}
		for _, p := range s.Parts {
			p.markdown(m)
		}
	}
	if d.Foot != "" {
		m.block("<sub>" + Escape(d.Foot) + "</sub>")
	}
	if _, err := io.WriteString(w, strings.TrimLeft(m.String(), "\n")); err != nil {
		return fmt.Errorf("write markdown: %w", err)
	}
	return nil
}

// block writes a paragraph of Markdown.
func (m *markdownWriter) block(text string) { m.WriteString("\n" + text + "\n") }

func (h Heading) markdown(m *markdownWriter) { m.block("#### " + Escape(h.Text)) }

func (s Sentence) markdown(m *markdownWriter) { m.block(Escape(s.Text)) }

func (Figure) markdown(*markdownWriter) {}

func (l List) markdown(m *markdownWriter) {
	items, left := l.shown()
	m.WriteByte('\n')
	for _, item := range items {
		if item.Words == "" && len(item.Lines) == 0 {
			fmt.Fprintf(m, "- %s\n", Escape(item.Title))
			continue
		}
		fmt.Fprintf(m, "<details><summary>%s</summary>\n\n%s\n", Escape(item.Title), Escape(item.Words))
		for _, line := range item.Lines {
			fmt.Fprintf(m, "\n> %s\n", Escape(line))
		}
		m.WriteString("\n</details>\n")
	}
	if left != "" {
		m.block(Escape(left))
	}
}

func (t *Table) markdown(m *markdownWriter) {
	shown, left := t.shown()
	grouped := t.grouped()
	if len(shown) > 0 {
		m.WriteByte('\n')
		t.markdownHead(m, grouped)
	}
	group := ""
	for _, row := range shown {
		if row.Group != "" {
			group = row.Group
			continue
		}
		cells := []string{}
		if grouped {
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

func (t *Table) markdownHead(m *markdownWriter, grouped bool) {
	var heads []string
	rule := ""
	if grouped {
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
	m.row(heads)
	m.WriteString("|" + rule + "\n")
}

func (m *markdownWriter) row(cells []string) {
	const most = 160
	for _, c := range cells {
		m.WriteString("| " + Escape(strings.TrimSpace(Shorten(c, most))) + " ")
	}
	m.WriteString("|\n")
}

var markdownEscapes = strings.NewReplacer(
	"&", "&amp;", "<", "&lt;", ">", "&gt;", "|", "\\|", "\\", "\\\\", "`", "\\`", "*", "\\*",
	"[", "\\[", "]", "\\]", "~", "\\~", "#", "\\#", "!", "\\!", "$", "\\$", "{", "\\{", "}", "\\}",
	"://", "&#58;//", "@", "&#64;", "www.", "www&#46;",
)

// Escape makes text that GitHub shows as it is: no markup, links, mentions or table
// cells come out of it.
func Escape(text string) string {
	text = markdownEscapes.Replace(value.Visible(text))
	if !strings.Contains(text, "_") {
		return text
	}
	// An underscore inside a word is no markup, and names are full of them.
	var b strings.Builder
	runes := []rune(text)
	for i, r := range runes {
		if r == '_' && (i == 0 || i == len(runes)-1 || !letter(runes[i-1]) || !letter(runes[i+1])) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

func letter(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

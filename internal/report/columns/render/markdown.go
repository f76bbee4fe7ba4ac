package render

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/report/columns"
)

// Markdown writes the report as GitHub Markdown.
func Markdown(w io.Writer, r *columns.Report, cfg Config) error {
	var b strings.Builder
	level := "##"
	for _, one := range newPage(r, cfg).blocks {
		switch {
		case one.heading != "":
			fmt.Fprintf(&b, "%s %s\n\n", level, escape(one.heading))
			level = "###"
		case one.note != "":
			b.WriteString(escape(one.note) + "\n\n")
		default:
			one.grid.markdown(&b)
		}
	}
	if _, err := io.WriteString(w, strings.TrimRight(b.String(), "\n")+"\n"); err != nil {
		return fmt.Errorf("write markdown: %w", err)
	}
	return nil
}

func (g *grid) markdown(b *strings.Builder) {
	line := func(cells []string) {
		for _, c := range cells {
			b.WriteString("| " + escape(strings.TrimSpace(c)) + " ")
		}
		b.WriteString("|\n")
	}
	line(g.header)
	for k := range g.header {
		if slices.Contains(g.right, k) {
			b.WriteString("|---:")
		} else {
			b.WriteString("|---")
		}
	}
	b.WriteString("|\n")
	for _, row := range g.rows {
		line(row)
	}
	b.WriteByte('\n')
}

// escape makes text plain in Markdown: no markup, no HTML, no links, no mentions.
func escape(s string) string {
	var b strings.Builder
	for _, r := range visible(s) {
		switch {
		case strings.ContainsRune("\\`*_{}[]<>#|~$!@", r):
			if r == '<' {
				b.WriteString("&lt;")
			} else if r == '>' {
				b.WriteString("&gt;")
			} else if r == '@' {
				b.WriteString("&#64;")
			} else {
				b.WriteByte('\\')
				b.WriteRune(r)
			}
		case r == '&':
			b.WriteString("&amp;")
		case r == ':':
			b.WriteString(":")
		default:
			b.WriteRune(r)
		}
	}
	return strings.ReplaceAll(strings.ReplaceAll(b.String(), "http://", "http&#58;//"), "https://", "https&#58;//")
}

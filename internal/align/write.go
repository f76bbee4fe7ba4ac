package align

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// aligned returns the member of a rubric that says from what it was made.
func aligned(parent, marks string) value.Value {
	return value.Pairs("parent", parent, "labels", marks)
}

// provenance returns the comments at the head of the file.
func (r *alignment) provenance(used string) []byte {
	o := r.out
	verdict := "No gain was shown. Read it, change it, or throw it away."
	if o.Proven {
		change := o.Change.Target(o.Target)
		verdict = fmt.Sprintf("%s %+.2f (%+.2f to %+.2f) on labels that did not shape what was tested.", o.Target,
			*change.Value, *change.Low, *change.High)
	}
	return fmt.Appendf(nil, "# Made by judge align on %s from the rubric %s (sha %.12s), alignment %s.\n"+
		"# Judge: %s; guidelines by %s. %s\n"+
		"# Labels: %d of run %s, of which %d taught and chose; they never measure this rubric (aligned: below; %s).\n"+
		"# The guidelines go into every prompt: read them first. Edit them as you like.\n",
		r.cfg.Now.UTC().Format("2006-01-02"), o.Rubric, o.Parent, o.ID, oneLine(o.Judge), oneLine(o.With), verdict, o.Labels,
		oneLine(o.RunID), o.Learn+o.Select, used)
}

func oneLine(s string) string { return value.VisibleLine(value.Excerpt(s, 80)) }

// cites returns the comment beside each guideline of a version: the items from which it was derived.
func (r *alignment) cites(v version) map[string]string {
	out := map[string]string{}
	for _, g := range v.guidelines {
		var names []string
		for _, i := range g.from {
			names = append(names, oneLine(r.items[i].name()))
		}
		out[g.rule] = strings.Join(names, ", ")
	}
	return out
}

// yamlOf writes a record as YAML, with a comment beside some texts.
func yamlOf(v value.Value, comments map[string]string) []byte {
	y := &yamlWriter{comments: comments}
	y.members(v, 0)
	return y.Bytes()
}

// yamlWriter writes objects and lists as blocks; texts are quoted as in JSON, which YAML reads in the same way.
type yamlWriter struct {
	bytes.Buffer
	comments map[string]string
}

func (y *yamlWriter) members(v value.Value, indent int) {
	first := true
	for key, e := range v.Members() {
		if !first || indent == 0 {
			y.WriteString(strings.Repeat("  ", indent))
		}
		first = false
		y.WriteString(yamlKey(key) + ":")
		y.value(e, indent+1)
	}
}

// value writes the value after a key or a dash.
func (y *yamlWriter) value(v value.Value, indent int) {
	switch {
	case v.Kind() == value.Object && v.Len() > 0 && !flat(v):
		y.WriteString("\n" + strings.Repeat("  ", indent))
		y.members(v, indent)
	case v.IsList() && v.Len() > 0 && !flat(v):
		y.WriteByte('\n')
		for _, e := range v.Elements() {
			y.WriteString(strings.Repeat("  ", indent-1) + "-")
			if e.Kind() == value.Object && e.Len() > 0 && !flat(e) {
				y.WriteByte(' ')
				y.members(e, indent)
				continue
			}
			y.value(e, indent+1)
		}
	default:
		y.WriteByte(' ')
		y.WriteString(yamlText(v))
		if c := y.comments[v.Text()]; c != "" && v.Kind() == value.String {
			y.WriteString("  # from " + c)
		}
		y.WriteByte('\n')
	}
}

// flat reports whether a value is short enough for one line.
func flat(v value.Value) bool {
	nested := false
	for _, e := range v.Elements() {
		nested = nested || e.Kind() == value.Object || e.IsList()
	}
	for _, e := range v.Members() {
		nested = nested || e.Kind() == value.Object || e.IsList()
	}
	return !nested && len(v.JSON()) <= 70
}

// yamlText returns a value on one line.
func yamlText(v value.Value) string { return string(value.AppendJSON(nil, v, value.Format{})) }

// yamlKey returns a key, quoted unless it is a plain word that YAML reads only as text.
func yamlKey(key string) string {
	plain := key != "" && !slices.Contains([]string{"y", "n", "yes", "no", "true", "false", "on", "off", "null"},
		strings.ToLower(key))
	for i, c := range key {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
		plain = plain && (letter || i > 0 && (c >= '0' && c <= '9' || c == '-'))
	}
	if plain {
		return key
	}
	return yamlText(value.OfString(key))
}

// diff returns the unified diff of two texts.
func diff(oldName, newName string, a, b []byte) []byte {
	lines := edits(bytes.SplitAfter(a, []byte("\n")), bytes.SplitAfter(b, []byte("\n")))
	var out bytes.Buffer
	fmt.Fprintf(&out, "--- %s\n+++ %s\n", oldName, newName)
	const around = 3
	near := func(i int) bool {
		return slices.ContainsFunc(lines[max(0, i-around):min(len(lines), i+around+1)], edit.changes)
	}
	from, to := 1, 1
	for i := 0; i < len(lines); i++ {
		if near(i) && (i == 0 || !near(i-1)) {
			end, was, is := i, 0, 0
			for ; end < len(lines) && near(end); end++ {
				was, is = was+lines[end].old, is+lines[end].new
			}
			fmt.Fprintf(&out, "@@ -%d,%d +%d,%d @@\n", from, was, to, is)
		}
		if near(i) {
			out.WriteString(lines[i].sign() + strings.TrimSuffix(string(lines[i].text), "\n") + "\n")
		}
		from, to = from+lines[i].old, to+lines[i].new
	}
	return out.Bytes()
}

// edit is a line of a diff: old and new are 1 if it is in that text.
type edit struct {
	text     []byte
	old, new int
}

func (e edit) changes() bool { return e.old != e.new }

func (e edit) sign() string {
	switch {
	case e.old == 0:
		return "+"
	case e.new == 0:
		return "-"
	}
	return " "
}

// edits returns the lines of both texts in one sequence, by their longest common subsequence.
func edits(a, b [][]byte) (out []edit) {
	a, b = withoutEnd(a), withoutEnd(b)
	common := make([][]int, len(a)+1)
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for k := len(b) - 1; k >= 0; k-- {
			if common[i][k] = max(common[i+1][k], common[i][k+1]); bytes.Equal(a[i], b[k]) {
				common[i][k] = 1 + common[i+1][k+1]
			}
		}
	}
	i, k := 0, 0
	for i < len(a) || k < len(b) {
		switch {
		case i < len(a) && k < len(b) && bytes.Equal(a[i], b[k]):
			out = append(out, edit{a[i], 1, 1})
			i, k = i+1, k+1
		case k == len(b) || i < len(a) && common[i+1][k] >= common[i][k+1]:
			out = append(out, edit{a[i], 1, 0})
			i++
		default:
			out = append(out, edit{b[k], 0, 1})
			k++
		}
	}
	return out
}

// withoutEnd drops the empty text after the last line feed.
func withoutEnd(lines [][]byte) [][]byte {
	if n := len(lines); n > 0 && len(lines[n-1]) == 0 {
		return lines[:n-1]
	}
	return lines
}

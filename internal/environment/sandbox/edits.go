package sandbox

import (
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// edit is the present value of a path that was written to; removed says that
// nothing stands there any more.
type edit struct {
	path    string
	value   value.Value
	removed bool
}

// mostSiblings is how many edits of one container are told one by one, mostEdits how
// many there may be in all; more of them are told as the containers that hold them.
const (
	mostSiblings = 32
	mostEdits    = 256
)

// edits returns what was written after the mark: the topmost paths, each once, in
// the order of the first write. A path may hold what it held before.
func (t *tree) edits(mark int) []edit {
	if len(t.journal) == mark {
		return nil
	}
	w := walker{places: map[*node]int{}, listed: map[*node]bool{}}
	paths := make([]string, 0, len(t.journal)-mark)
	seen := make(map[string]bool, len(t.journal)-mark)
	for i := mark; i < len(t.journal); i++ {
		if p, ok := w.written(&t.journal[i]); ok && !seen[p] {
			seen[p] = true
			paths = append(paths, p)
		}
	}
	var out []edit
	for _, p := range collect(topmost(paths, seen)) {
		out = append(out, t.look(p))
	}
	return out
}

// walker finds the pointers of nodes. It looks through each list once, so that a
// call that writes to every element of a long list stays cheap.
type walker struct {
	places map[*node]int
	listed map[*node]bool
}

// path returns the pointer that leads to the node, false where it no longer stands
// in the state.
func (w walker) path(n *node) (string, bool) {
	if n == n.tree.root {
		return "", true
	}
	if n.parent == nil {
		return "", false
	}
	above, ok := w.path(n.parent)
	if !ok {
		return "", false
	}
	if !n.parent.isList {
		return above + "/" + value.EscapePointer(n.key), true
	}
	if !w.listed[n.parent] {
		w.listed[n.parent] = true
		for i := range n.parent.slots {
			if c := n.parent.slots[i].node; c != nil {
				w.places[c] = i
			}
		}
	}
	return above + "/" + strconv.Itoa(w.places[n]), true
}

// written returns the pointer of what a record changed: a member, an element of a
// list that keeps its length, or the whole list.
func (w walker) written(r *record) (string, bool) {
	p, ok := w.path(r.n)
	switch {
	case !ok:
		return "", false
	case r.n.isList && r.kind == changedSlot:
		return p + "/" + strconv.Itoa(r.at), r.at < len(r.n.slots)
	case r.n.isList:
		return p, true
	}
	key := r.old.key
	if r.kind == appendedSlot {
		if r.at >= len(r.n.slots) {
			return "", false
		}
		key = r.n.slots[r.at].key
	}
	return p + "/" + value.EscapePointer(key), true
}

// topmost drops the paths below other paths.
func topmost(paths []string, seen map[string]bool) []string {
	out := paths[:0]
next:
	for _, p := range paths {
		for i := len(p) - 1; i >= 0; i-- {
			if p[i] == '/' && seen[p[:i]] {
				continue next
			}
		}
		out = append(out, p)
	}
	return out
}

// collect replaces many paths by the containers that they lead into.
func collect(paths []string) []string {
	for {
		siblings, deepest := map[string]int{}, 0
		for _, p := range paths {
			siblings[above(p)]++
			deepest = max(deepest, strings.Count(p, "/"))
		}
		many := len(paths) > mostEdits
		seen := make(map[string]bool, len(paths))
		lifted := false
		var out []string
		for _, p := range paths {
			a := above(p)
			if p != "" && (siblings[a] > mostSiblings || many && strings.Count(p, "/") == deepest) {
				p, lifted = a, true
			}
			if !seen[p] {
				seen[p] = true
				out = append(out, p)
			}
		}
		if !lifted {
			return paths
		}
		paths = topmost(out, seen)
	}
}

// above returns the pointer of the container that a pointer leads into.
func above(pointer string) string {
	return pointer[:max(0, strings.LastIndexByte(pointer, '/'))]
}

// look finds what stands at a path now.
func (t *tree) look(path string) edit {
	n := t.root
	rest := path
	for rest != "" {
		token := rest[1:]
		rest = ""
		for i := range token {
			if token[i] == '/' {
				token, rest = token[:i], token[i:]
				break
			}
		}
		i, ok := n.find(unescape(token))
		if !ok {
			return edit{path: path, removed: true}
		}
		if rest == "" {
			return edit{path: path, value: n.slots[i].value()}
		}
		if n = n.child(i); n == nil {
			return edit{path: path, removed: true}
		}
	}
	return edit{path: path, value: t.root.value()}
}

func (n *node) find(token string) (int, bool) {
	n.unfold()
	if !n.isList {
		i, ok := n.index[token]
		return i, ok
	}
	i, err := strconv.Atoi(token)
	return i, err == nil && i >= 0 && i < len(n.slots)
}

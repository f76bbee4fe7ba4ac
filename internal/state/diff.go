package state

import (
	"slices"
	"sort"
	"strconv"

	"github.com/judgekit/judge/internal/value"
)

// maxDepth limits the recursion: deeper values count as one.
const maxDepth = 500

// Diff returns how final differs from expected, in the order of sorted keys. With
// start it distinguishes changes that are missing from unexpected changes; a
// nil start knows neither. Objects are compared by key, lists of equal length by
// index; a list whose length differs is one difference, unless Options says otherwise.
func Diff(start *value.Value, expected, final value.Value, o Options) []Change {
	d := differ{options: o, hasStart: start != nil}
	d.walk("", start, &expected, &final, "", 0)
	return d.out
}

// FirstDifferences returns the first changes that Diff without a start finds, and how many more
// there are.
func FirstDifferences(expected, final value.Value, o Options, most int) (changes []Change, more int) {
	d := differ{options: o, most: most}
	d.walk("", nil, &expected, &final, "", 0)
	return d.out, d.more
}

type differ struct {
	options     Options
	hasStart    bool
	stopAtFirst bool
	out         []Change
	// most bounds out, 0 for no bound; more counts what is beyond it.
	most, more int
}

// walk compares the values at one path; nil means absent.
func (d *differ) walk(path string, start, expected, final *value.Value, element string, depth int) {
	if d.stopAtFirst && len(d.out) > 0 {
		return
	}
	if expected != nil && final != nil && value.Same(*expected, *final) || expected == nil && final == nil {
		return
	}
	if d.options.ignored(path) {
		return
	}
	if expected == nil || final == nil || depth > maxDepth {
		if expected == nil || final == nil || !d.options.Equality.Equal(*expected, *final) {
			d.report(path, start, expected, final, element)
		}
		return
	}
	e, f := *expected, *final
	switch {
	case e.Kind() == value.Object && f.Kind() == value.Object:
		d.objects(path, start, e, f, depth)
	case e.IsList() && f.IsList():
		d.lists(path, start, e, f, element, depth)
	case !d.options.scalars(path, e, f):
		d.report(path, start, expected, final, element)
	}
}

func (d *differ) objects(path string, start *value.Value, e, f value.Value, depth int) {
	for _, key := range differingKeys(e, f) {
		d.walk(path+"/"+value.EscapePointer(key), field(start, key), field(&e, key), field(&f, key), "", depth+1)
	}
}

// differingKeys returns, sorted, the keys whose values may differ between the two objects.
func differingKeys(a, b value.Value) []string {
	var keys []string
	// Objects with shared structure mostly have the same keys at the same places.
	n := 0
	for n < a.Len() && n < b.Len() && a.KeyAt(n) == b.KeyAt(n) {
		if !value.Same(a.At(n), b.At(n)) {
			keys = append(keys, a.KeyAt(n))
		}
		n++
	}
	if n < a.Len() || n < b.Len() {
		rest := make(map[string]value.Value, a.Len()-n)
		for i := n; i < a.Len(); i++ {
			rest[a.KeyAt(i)] = a.At(i)
		}
		for i := n; i < b.Len(); i++ {
			key := b.KeyAt(i)
			if v, ok := rest[key]; !ok || !value.Same(v, b.At(i)) {
				keys = append(keys, key)
			}
			delete(rest, key)
		}
		for key := range rest {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

func field(v *value.Value, key string) *value.Value {
	if v == nil {
		return nil
	}
	f, ok := v.Get(key)
	if !ok {
		return nil
	}
	return &f
}

func item(v *value.Value, i int) *value.Value {
	if v == nil || i >= v.Len() {
		return nil
	}
	e := v.At(i)
	return &e
}

func (d *differ) lists(path string, start *value.Value, e, f value.Value, element string, depth int) {
	if key, ok := d.options.keyed(path); ok {
		d.sets(path, key, start, e, f, depth)
		return
	}
	if e.Len() != f.Len() && !d.options.ByIndex {
		d.report(path, start, &e, &f, element)
		return
	}
	var was *value.Value
	if start != nil && start.IsList() && start.Len() == e.Len() {
		was = start
	}
	for i := range max(e.Len(), f.Len()) {
		d.walk(path+"/"+strconv.Itoa(i), item(was, i), item(&e, i), item(&f, i), "", depth+1)
	}
}

// sets compares two arrays by the identity of their elements. Repeated identities are numbered in
// order.
func (d *differ) sets(path, key string, start *value.Value, e, f value.Value, depth int) {
	before := map[string]int{}
	if start != nil && start.IsList() {
		before, _ = identities(*start, key)
	}
	wanted, order := identities(e, key)
	found, more := identities(f, key)
	for _, id := range more {
		if _, ok := wanted[id]; !ok {
			order = append(order, id)
		}
	}
	sort.Strings(order)
	for _, id := range order {
		at, inFinal := found[id]
		want, inExpected := wanted[id]
		var s, x, y *value.Value
		if i, ok := before[id]; ok {
			s = item(start, i)
		}
		if inExpected {
			x = item(&e, want)
		}
		if inFinal {
			y = item(&f, at)
		} else {
			at = want
		}
		d.walk(path+"/"+strconv.Itoa(at), s, x, y, elementName(key, id), depth+1)
	}
}

// identities returns the index of each element by its identity, and the identities in the order of
// the list.
func identities(list value.Value, key string) (map[string]int, []string) {
	at := make(map[string]int, list.Len())
	order := make([]string, 0, list.Len())
	repeats := map[string]int{}
	for i, v := range list.Elements() {
		if key != "" {
			v = v.Field(key)
		}
		id := v.Canonical()
		repeats[id]++
		if n := repeats[id]; n > 1 {
			id += "#" + strconv.Itoa(n)
		}
		at[id] = i
		order = append(order, id)
	}
	return at, order
}

// elementName says which element of a set a difference is about, with limited length.
func elementName(key, id string) string {
	const most = 80
	id = value.Excerpt(id, most)
	if key == "" {
		return id
	}
	return key + "=" + id
}

func (d *differ) report(path string, start, expected, final *value.Value, element string) {
	if d.most > 0 && len(d.out) == d.most {
		d.more++
		return
	}
	c := Change{
		Path: path, Start: start, Expected: expected, Final: final, Element: element, Call: -1, ExpectedCall: -1,
	}
	c.Kind = d.kind(path, c)
	d.out = append(d.out, c)
}

func (d *differ) kind(path string, c Change) Kind {
	switch {
	case !d.hasStart && c.Expected == nil:
		return Unexpected
	case !d.hasStart && c.Final == nil:
		return missing
	case !d.hasStart:
		return wrong
	case d.same(path, c.Start, c.Expected):
		return Unexpected
	case d.same(path, c.Start, c.Final):
		return missing
	}
	return wrong
}

// same reports whether two values that may be absent are equal at the path.
func (d *differ) same(path string, a, b *value.Value) bool {
	inner := differ{options: d.options, stopAtFirst: true}
	inner.walk(path, nil, a, b, "", 0)
	return len(inner.out) == 0
}

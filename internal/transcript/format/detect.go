package format

import (
	"bytes"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// Detection is the detected format of a log, and the reason.
type Detection struct {
	// Format is the name of the format; "" if it is unknown.
	Format string
	// Readable says that it is one of Formats.
	Readable bool
	// Evidence says in words what decided: the rule that matched.
	Evidence string
	// Also lists the other readable formats whose rules the log meets.
	Also []string
	// Inside lists the keys that lead to the records if an unknown wrapper had to be opened: "events" for
	// {"session": …, "events": [record, …]}, "data" and "events" for {"data": {"events": […]}}.
	Inside []string
}

// confidence says how well a log fits a format. The format with the highest confidence wins.
type confidence int

const (
	no confidence = iota
	// fallback: the log is of this kind, but a more specific format may fit too.
	fallback
	// general: the records have no form of a known program, but their words say what they are.
	general
	// later: the first record is not of the format, but a later one is.
	later
	// chat: the first record holds messages in the form of a chat API (chatFamily).
	chat
	// likely: the first record has a form that many logs have.
	likely
	// sure: the first record has a form that only this format has.
	sure
)

// maxProbed limits the records in a probe.
const maxProbed = 200

// probe is the beginning of a log, as detection sees it.
type probe struct {
	// whole is the log's first value, as far as it is complete.
	whole value.Value
	// first is the first record: the first element if whole is a list, else whole.
	first value.Value
	// records are the first records: the elements of the list, or the values one after another.
	records []value.Value
}

// newProbe parses the beginning of a log's text.
func newProbe(head []byte) *probe {
	whole := value.ParsePrefix(string(head))
	if whole.IsList() {
		return probeOf(whole)
	}
	return &probe{whole: whole, first: whole, records: append([]value.Value{whole}, followers(head)...)}
}

// probeOf returns the probe of a list of records, or of one record.
func probeOf(v value.Value) *probe {
	if !v.IsList() {
		return &probe{whole: v, first: v, records: []value.Value{v}}
	}
	elements := v.Slice()
	return &probe{whole: v, first: v.Head(), records: elements[:min(len(elements), maxProbed)]}
}

// followers returns the complete values after the first one.
func followers(head []byte) (out []value.Value) {
	for first := true; len(out) < maxProbed-1; first = false {
		head = bytes.TrimLeft(head, " \t\r\n")
		var extent value.Extent
		n, done := extent.Feed(head)
		if !done {
			break
		}
		if !first {
			if v, err := value.Parse(head[:n]); err == nil {
				out = append(out, v)
			}
		}
		head = head[n:]
	}
	return out
}

// of returns a rule for single records: sure if the first one matches, later if another one does.
func of(is func(f value.Value) bool) func(p *probe) confidence {
	return func(p *probe) confidence {
		switch slices.IndexFunc(p.records, is) {
		case -1:
			return no
		case 0:
			return sure
		}
		return later
	}
}

// anyOf returns a rule for records that only one format has, at any position: sure if one of the
// first records matches.
func anyOf(is func(f value.Value) bool) func(p *probe) confidence {
	return func(p *probe) confidence { return sureIf(slices.ContainsFunc(p.records, is)) }
}

// listOf returns a rule for logs that are a list: sure if the first element matches.
func listOf(is func(f value.Value) bool) func(p *probe) confidence {
	return func(p *probe) confidence { return sureIf(p.whole.IsList() && is(p.first)) }
}

func sureIf(fits bool) confidence {
	if fits {
		return sure
	}
	return no
}

// withHeader returns a rule for lines after a header that other logs may have too: sure if the
// first record is the header and a later one matches line, or if there is only the header.
func withHeader(header, line func(f value.Value) bool) func(p *probe) confidence {
	return func(p *probe) confidence {
		if header(p.first) && (len(p.records) == 1 || of(line)(p) > no) {
			return sure
		}
		return of(line)(p)
	}
}

// loosely weakens a rule that many logs meet: a record after the first decides only if nothing else does.
func loosely(detect func(p *probe) confidence) func(p *probe) confidence {
	return func(p *probe) confidence {
		return map[confidence]confidence{sure: likely, later: fallback}[detect(p)]
	}
}

// has tests for all keys in a record, hasOne for one of them, starts for the beginning of the text
// under a key, within tests the record or the first element of the list at one of the paths in it.
func has(keys ...string) func(p *probe) confidence {
	return of(func(f value.Value) bool { return f.HasAll(keys...) })
}

func hasOne(keys ...string) func(p *probe) confidence {
	return of(func(f value.Value) bool { return f.HasAny(keys...) })
}

func starts(key, text string) func(p *probe) confidence {
	return of(func(f value.Value) bool { return strings.HasPrefix(f.Field(key).Text(), text) })
}

func within(is func(f value.Value) bool, paths ...string) func(p *probe) confidence {
	return of(func(f value.Value) bool { return is(f) || is(listAt(f, paths...).Head()) })
}

// Detect names the format of a log from the beginning of its text (without compression and byte
// order mark). If the text is cut in the middle of a value, the complete part decides. It returns
// an error if two formats fit equally well.
func Detect(head []byte) (Detection, error) {
	d, _, err := detect(newProbe(head), formats)
	d.Readable = formatOf(d.Format) != nil
	return d, err
}

// detect finds the format that fits a log best. If none fits the first record, it looks into the
// lists of that record. The returned probe contains the records that the format fits.
func detect(p *probe, among []*format) (Detection, *probe, error) {
	d, how, err := best(p, among)
	if how >= general || err != nil {
		return d, p, err
	}
	if inner, opened := openWrapper(p, among); opened != nil {
		return inner, opened, nil
	}
	return d, p, nil
}

// best finds the format that fits the records best; of equally good ones, the first in the list.
func best(p *probe, among []*format) (d Detection, how confidence, err error) {
	if p.whole.IsList() && p.whole.Len() == 0 {
		return Detection{Format: native.name, Evidence: "an empty list"}, sure, nil
	}
	var fits []*format // with confidence sure
	for _, f := range among {
		if f.detect == nil {
			continue
		}
		c := f.detect(p)
		if c == sure {
			fits = append(fits, f)
		}
		if c > how {
			how, d = c, Detection{Format: f.name, Evidence: f.mark}
		}
	}
	for _, f := range fits {
		if f.read != nil && family(f.name) != family(d.Format) {
			d.Also = append(d.Also, f.name)
		}
	}
	if how > chat {
		return d, how, nil
	}
	switch {
	case p.first.Field("messages").IsList():
		d, err = chatFamily(p.first.Field("messages"), p.first)
		return d, chat, err
	case p.whole.IsList() && p.first.Has("role"):
		d, err = chatFamily(p.whole, value.Value{})
		return d, chat, err
	}
	return d, how, nil
}

// openWrapper looks for records in the lists of an object, and in its only inner object. It returns
// nil unless exactly one member contains records of a known format.
func openWrapper(p *probe, among []*format) (d Detection, opened *probe) {
	if d, opened = namedRecords(p.first, among); opened != nil {
		return d, opened
	}
	alone := standsAlone(p.first)
	for key, member := range p.first.Members() {
		inner := probeOf(member)
		if kind := inner.first.Kind(); kind != value.Object && kind != value.List || !member.IsList() && !alone {
			continue
		}
		found, how, err := best(inner, among)
		if how <= fallback && !member.IsList() {
			if deep, records := openWrapper(inner, among); records != nil {
				found, how, inner = deep, general, records
			}
		}
		switch {
		case err != nil || how <= fallback:
		case slices.Contains(messagePaths, key) && !readsTogether(found.Format, inner.first) &&
			!(slices.Contains(conversationLists, key) && holdsMessages(inner.first)):
			// The elements are pieces of one conversation and not conversations.
		case opened != nil && (found.Format != d.Format || !member.IsList() || lookUp(found.Format).parts == nil):
			return Detection{}, nil
		case opened != nil: // spans that are sorted into lists
			d.Inside = []string{everyMember}
		default:
			d, opened = found, inner
			d.Inside, d.Evidence = slices.Insert(d.Inside, 0, key), "in "+key+": "+found.Evidence
		}
	}
	return d, opened
}

// partNames are keys of objects that are parts of one conversation.
var partNames = []string{"input", "output", "inputs", "outputs", "request", "response", "prompt", "completion", "expected", "reference"}

// namedRecords looks at an object whose members are two records or more of one format, under their names.
func namedRecords(v value.Value, among []*format) (d Detection, opened *probe) {
	if v.Len() < 2 || v.HasAny(partNames...) {
		return d, nil
	}
	for _, member := range v.Members() {
		if member.Kind() != value.Object {
			return Detection{}, nil
		}
		inner := probeOf(member)
		found, how, err := best(inner, among)
		if err != nil || how < sure || opened != nil && found.Format != d.Format {
			return Detection{}, nil
		}
		if opened == nil {
			d, opened = found, inner
		}
	}
	d.Inside, d.Evidence = []string{everyMember}, "under each key: "+d.Evidence
	return d, opened
}

// standsAlone reports whether exactly one member of an object is an object or a list of objects.
// With several, they may belong to the same conversation, so the object is not opened.
func standsAlone(v value.Value) bool {
	n := 0
	for _, member := range v.Members() {
		if kind := probeOf(member).first.Kind(); kind == value.Object || kind == value.List {
			n++
		}
	}
	return n == 1
}

// readsTogether reports whether a format reads the records of a list as one conversation, or by conversation.
func readsTogether(name string, first value.Value) bool {
	f := lookUp(name)
	return f.parts != nil || f.bare != nil && f.bare(first) || first.Has("role")
}

// family returns the part of a format's name that its variants share.
func family(name string) string {
	family, _, _ := strings.Cut(name, "+")
	return strings.TrimSuffix(family, "-other")
}

// foreignMessage names the format of a message that only one format has.
func foreignMessage(m value.Value) string {
	for _, f := range formats {
		if f.message != nil && f.message(m) {
			return f.name
		}
	}
	return ""
}

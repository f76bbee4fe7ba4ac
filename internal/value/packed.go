package value

import (
	"encoding/binary"
	"slices"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// A text of many small values, such as a list of millions of numbers, would take over twenty times its size as
// members. Such a text is packed: its objects and lists keep the text and, for each member, a record of eight
// bytes that says where it is. Members are read again from the text whenever they are asked for.
//
// A record has two numbers of four bytes. The record of a member has the offset of its key in the
// text (in a list, of its value). If the member is a container with members of its own, the second
// number is the place of the record before theirs, else 0. The record before the members of a
// container has their number and the offset of the end of the container. Record 0 is not used.
const (
	recordSize = 8
	// A text is not packed if it is shorter, or has more bytes for each member.
	minPacked      = 256 << 10
	bytesForMember = 32
)

// packing is the state of packing one text.
type packing struct {
	tape []byte
	// pending holds the records of open containers that have containers in them. They go to the
	// tape after the records of the inner containers.
	pending []byte
	room    int
}

func appendRecord(tape []byte, a, b uint32) []byte {
	tape = binary.LittleEndian.AppendUint32(tape, a)
	return binary.LittleEndian.AppendUint32(tape, b)
}

// size counts the records that packing a text takes: in all, and at most at one time for open
// containers.
type size struct{ records, pending int }

// sizeOf measures a text by its commas and brackets.
func sizeOf(src string) (s size) {
	var open []int // members so far
	waiting := 0
	for i := 0; i < len(src); i++ {
		switch src[i] {
		case '"':
			for i++; i < len(src) && src[i] != '"'; i++ {
				if src[i] == '\\' {
					i++
				}
			}
		case ',':
			s.records++
			if n := len(open); n > 0 {
				open[n-1]++
				waiting++
			}
		case '[', '{':
			members := 0
			if rest := strings.TrimLeft(src[i+1:min(i+16, len(src))], " \t\r\n"); rest == "" || rest[0] != src[i]+2 {
				members = 1
				s.records += 2
			}
			open = append(open, members)
			waiting += members
		case ']', '}':
			if n := len(open); n > 0 {
				waiting -= open[n-1]
				open = open[:n-1]
			}
		}
		s.pending = max(s.pending, waiting)
	}
	s.records++
	return s
}

// pack reads the text as a packed value. ok is false if packing would not pay.
func (p *Parser) pack(src string) (v Value, ok bool) {
	if len(src) < minPacked || len(src) >= 1<<31 {
		return v, false
	}
	room := sizeOf(src)
	if room.records*bytesForMember < len(src) {
		return v, false
	}
	return p.packAll(src, room)
}

// packAll reads any text as a packed value, in memory of the given size. A text that is one scalar
// is not packed.
func (p *Parser) packAll(src string, room size) (v Value, ok bool) {
	p.begin(src)
	cache := p.cache // what is read now is read again
	p.cache = nil
	defer func() { p.cache = cache }()
	w := packing{tape: make([]byte, recordSize, room.records*recordSize), room: room.pending}
	p.next()
	start := p.pos
	at := p.packValue(&w)
	end := p.pos
	if p.blanks(); p.pos < len(src) {
		p.fail(errBehind)
	}
	if p.err != nil || at == 0 {
		return v, p.err != nil
	}
	whole := &Member{Key: src, Value: Value{kind: document, text: unsafe.String(&w.tape[0], len(w.tape))}}
	if p.dirty {
		whole.Value.n = 1
	}
	v = Value{kind: Object, n: at, text: src[start:end], first: whole}
	if src[start] == '[' {
		v.kind = List
	}
	return v, true
}

// packValue reads the next value, and returns the place of the record before its members, 0 if it
// has none.
func (p *Parser) packValue(w *packing) uint32 {
	switch p.next() {
	case '{':
		return p.packContainer(w, '}')
	case '[':
		return p.packContainer(w, ']')
	}
	p.value()
	return 0
}

// packContainer reads an object or a list. Its records go to the tape at once until one of its
// members has members of its own, whose records must stand first.
func (p *Parser) packContainer(w *packing, end byte) uint32 {
	if p.depth++; p.depth > maxDepth {
		p.fail(errDepth)
		return 0
	}
	p.pos++
	header, base, n := len(w.tape), len(w.pending), 0
	w.tape = appendRecord(w.tape, 0, 0)
	direct := true
	for p.err == nil && p.next() != end {
		if n > 0 {
			p.expect(',')
			p.next()
		}
		offset := uint32(p.pos)
		if end == '}' {
			p.key()
		}
		if c := p.next(); direct && (c == '[' || c == '{') {
			if w.pending == nil {
				w.pending = make([]byte, 0, w.room*recordSize)
			}
			w.pending = append(w.pending, w.tape[header+recordSize:]...)
			w.tape, direct = w.tape[:header], false
		}
		child := p.packValue(w)
		if direct {
			w.tape = appendRecord(w.tape, offset, child)
		} else {
			w.pending = appendRecord(w.pending, offset, child)
		}
		n++
	}
	if p.err != nil {
		return 0
	}
	p.pos++
	p.depth--
	if !direct {
		header = len(w.tape)
		w.tape = appendRecord(w.tape, 0, 0)
		w.tape = append(w.tape, w.pending[base:]...)
		w.pending = w.pending[:base]
	}
	if end == '}' {
		w.tape = w.tape[:header+recordSize+p.lastOfEach(w.tape[header+recordSize:])]
	}
	if n = len(w.tape)/recordSize - header/recordSize - 1; n == 0 {
		w.tape = w.tape[:header]
		return 0
	}
	binary.LittleEndian.PutUint32(w.tape[header:], uint32(n))
	binary.LittleEndian.PutUint32(w.tape[header+4:], uint32(p.pos))
	return uint32(header / recordSize)
}

// lastOfEach merges the records of repeated keys in place, as dedupe does, and returns how many bytes are left.
func (p *Parser) lastOfEach(list []byte) int {
	if !p.repeated(list) {
		return len(list)
	}
	keep := 0
	place := make(map[string]int, len(list)/recordSize)
	for i := 0; i < len(list); i += recordSize {
		key := p.keyAgain(list[i:])
		to, repeated := place[key]
		if !repeated {
			to, place[key] = keep, keep
			keep += recordSize
		} else {
			p.repeats++
		}
		copy(list[to:to+recordSize], list[i:])
	}
	return keep
}

// keyAgain reads the key of a record once more from the text.
func (p *Parser) keyAgain(record []byte) string {
	again := Parser{src: p.src, pos: int(binary.LittleEndian.Uint32(record)), dirty: p.dirty}
	return again.str()
}

// repeated reports whether two of the records could have the same key.
func (p *Parser) repeated(list []byte) bool {
	const few = 12
	var keys [few]string
	if len(list) > few*recordSize {
		return true
	}
	for i := range len(list) / recordSize {
		keys[i] = p.keyAgain(list[i*recordSize:])
		if slices.Contains(keys[:i], keys[i]) {
			return true
		}
	}
	return false
}

// parserAt returns a parser that stands at an offset of the text of a packed value.
func (v *Value) parserAt(offset uint32) Parser {
	return Parser{src: v.first.Key, pos: int(offset), dirty: v.first.Value.n > 0}
}

func (v *Value) record(at uint32) (a, b uint32) {
	raw := v.first.Value.text[at*recordSize:][:recordSize]
	a = uint32(raw[0]) | uint32(raw[1])<<8 | uint32(raw[2])<<16 | uint32(raw[3])<<24
	b = uint32(raw[4]) | uint32(raw[5])<<8 | uint32(raw[6])<<16 | uint32(raw[7])<<24
	return a, b
}

// packedLen does what Len does, for a packed value.
func (v *Value) packedLen() int {
	n, _ := v.record(v.n)
	return int(n)
}

// packedKey returns the key of member i of a packed object; it shares the memory of the text.
func (v *Value) packedKey(i int) string {
	if v.kind != Object {
		return ""
	}
	offset, _ := v.record(v.n + 1 + uint32(i))
	p := v.parserAt(offset)
	return p.str()
}

// packedItem reads member i of a packed value.
func (v *Value) packedItem(i int) (m Member) {
	if i < 0 || i >= v.packedLen() {
		panic("value: index out of range")
	}
	offset, child := v.record(v.n + 1 + uint32(i))
	p := v.parserAt(offset)
	if v.kind == Object {
		m.Key = ownText(p.key())
	}
	c := p.next()
	if child == 0 {
		m.Value = p.value()
		if m.Value.kind <= String {
			m.Value.text = ownText(m.Value.text)
		}
		return m
	}
	_, end := v.record(child)
	m.Value = Value{kind: Object, n: child, text: p.src[p.pos:end], first: v.first}
	if c == '[' {
		m.Value.kind = List
	}
	return m
}

const digits = "0123456789"

// ownText returns a text in memory of its own if it is short, so that keeping a name does not keep the
// text it came from.
func ownText(s string) string {
	switch {
	case len(s) == 1 && isDigit(s[0]):
		return digits[s[0]-'0' : s[0]-'0'+1]
	case len(s) > cacheLength:
		return s
	}
	return strings.Clone(s)
}

// members returns the members of an object, or the elements of a list or tuple.
func (v Value) members() []Member {
	if !v.packed() {
		return v.items()
	}
	out := make([]Member, v.packedLen())
	for i := range out {
		out[i] = v.packedItem(i)
	}
	return out
}

// item returns member or element i.
func (v *Value) item(i int) Member {
	if v.packed() {
		return v.packedItem(i)
	}
	return v.items()[i]
}

// begin makes the parser ready for a text.
func (p *Parser) begin(src string) {
	p.src, p.pos, p.depth, p.err, p.repeats = src, 0, 0, nil, 0
	p.dirty = !utf8.ValidString(src)
	p.free = nil
}

package value

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxDepth bounds the nesting of arrays and objects.
const maxDepth = 10000

// A Parser reads JSON values from texts and may be used again and again: it keeps
// its working memory between texts. The zero Parser is ready. It is not safe for
// concurrent use.
//
// Long strings of a parsed value share the memory of one copy of the text; keys
// and strings of up to 32 bytes do not, so that keeping an id or a name does not
// keep the text it came from.
type Parser struct {
	src   string
	pos   int
	depth int
	// dirty says that the text holds bytes that are no UTF-8.
	dirty bool
	// stack holds the members of the containers that are open.
	stack []Member
	// free is the unused rest of the current block of members.
	free  []Member
	buf   []byte
	cache *[cacheSize]string
	track bool
	// partial keeps what is complete of a broken list or object.
	partial bool
	path    []string
	places  []string
	count   int
}

// Oddities are what strict readers would refuse and Parse accepts.
type Oddities struct {
	// RepeatedKeys counts the keys that occur twice in their object.
	RepeatedKeys int
	// InvalidUTF8 says that some bytes were read as U+FFFD.
	InvalidUTF8 bool
}

const (
	cacheSize   = 512
	cacheLength = 32
)

// Parse is the function Parse with the memory of p.
func (p *Parser) Parse(data []byte) (Value, error) { return p.ParseString(string(data)) }

// ParseString is the function ParseString with the memory of p.
func (p *Parser) ParseString(s string) (Value, error) {
	if p.cache == nil {
		p.cache = new([cacheSize]string)
	}
	return p.parse(s)
}

// Oddities returns what was odd about the text parsed last.
func (p *Parser) Oddities() Oddities {
	return Oddities{RepeatedKeys: p.count, InvalidUTF8: p.dirty}
}

var (
	errEarly   = io.ErrUnexpectedEOF
	errToken   = errors.New("unexpected character")
	errControl = errors.New("raw control character in a string")
	errEscape  = errors.New("invalid escape in a string")
	errNumber  = errors.New("invalid number")
	errDepth   = errors.New("nested too deeply")
	errBehind  = errors.New("text after the value")
)

func (p *Parser) parse(src string) (Value, error) {
	p.src, p.pos, p.depth, p.count = src, 0, 0, 0
	p.dirty = !utf8.ValidString(src)
	p.path, p.places = p.path[:0], nil
	p.free = nil
	v, err := p.value()
	if err == nil {
		if p.blanks(); p.pos < len(p.src) {
			err = errBehind
		}
	}
	at := p.pos
	clear(p.stack)
	p.stack, p.src, p.free = p.stack[:0], "", nil
	if cap(p.stack) > 1<<16 || cap(p.buf) > 1<<20 {
		p.stack, p.buf = nil, nil
	}
	switch {
	case err == nil || p.partial:
		return v, nil
	case errors.Is(err, errBehind):
		return Value{}, fmt.Errorf("json: text after the value at byte %d", at)
	case errors.Is(err, errEarly):
		return Value{}, fmt.Errorf("json: text ends early at byte %d: %w", at, io.ErrUnexpectedEOF)
	}
	return Value{}, fmt.Errorf("json: %w at byte %d", err, at)
}

func (p *Parser) blanks() {
	for p.pos < len(p.src) {
		switch p.src[p.pos] {
		case ' ', '\n', '\r', '\t':
			p.pos++
		default:
			return
		}
	}
}

// next skips blanks and returns the next byte without reading it.
func (p *Parser) next() (byte, error) {
	p.blanks()
	if p.pos >= len(p.src) {
		return 0, errEarly
	}
	return p.src[p.pos], nil
}

func (p *Parser) value() (Value, error) {
	c, err := p.next()
	if err != nil {
		return Value{}, err
	}
	switch c {
	case '"':
		s, err := p.str()
		return Value{kind: String, text: s}, err
	case '{':
		return p.container(Object, '}')
	case '[':
		return p.container(List, ']')
	case 't':
		return Value{kind: Bool, text: "true"}, p.word("true")
	case 'f':
		return Value{kind: Bool, text: "false"}, p.word("false")
	case 'n':
		return Value{}, p.word("null")
	}
	if c == '-' || isDigit(rune(c)) {
		return p.number()
	}
	return Value{}, errToken
}

func (p *Parser) word(w string) error {
	rest := p.src[p.pos:]
	if strings.HasPrefix(rest, w) {
		p.pos += len(w)
		return nil
	}
	if strings.HasPrefix(w, rest) {
		p.pos = len(p.src)
		return errEarly
	}
	return errToken
}

func (p *Parser) number() (Value, error) {
	start, kind := p.pos, Int
scan:
	for p.pos < len(p.src) {
		switch c := p.src[p.pos]; {
		case c >= '0' && c <= '9', c == '-', c == '+':
		case c == '.', c == 'e', c == 'E':
			kind = Float
		default:
			break scan
		}
		p.pos++
	}
	text := p.src[start:p.pos]
	if !validNumber(text) {
		if p.pos == len(p.src) && validNumber(text+"0") {
			return Value{}, errEarly
		}
		p.pos = start
		return Value{}, errNumber
	}
	return Value{kind: kind, text: p.keep(text)}, nil
}

// container reads an object or a list. Its members gather on the stack, so that
// they can be copied to memory of the right size at the end.
func (p *Parser) container(kind Kind, end byte) (Value, error) {
	if p.depth++; p.depth > maxDepth {
		return Value{}, errDepth
	}
	start, base := p.pos, len(p.stack)
	p.pos++
	c, err := p.next()
	for first := true; err == nil && (c != end || !first); first = false {
		if err = p.member(kind, base); err != nil {
			break
		}
		if c, err = p.next(); err != nil || c == end {
			break
		}
		if c != ',' {
			err = errToken
			break
		}
		p.pos++
	}
	if err == nil {
		p.pos++
	} else if !p.partial {
		return Value{}, err
	}
	p.depth--
	items := p.stack[base:]
	if kind == Object {
		n := len(items)
		items = dedupe(items)
		p.count += n - len(items)
	}
	v := Value{kind: kind, text: p.src[start:p.pos], items: p.copy(items)}
	clear(p.stack[base:])
	p.stack = p.stack[:base]
	return v, err
}

// member reads one element, or one key and its value, onto the stack.
func (p *Parser) member(kind Kind, base int) error {
	var key string
	if kind == Object {
		c, err := p.next()
		if err != nil {
			return err
		}
		if c != '"' {
			return errToken
		}
		if key, err = p.str(); err != nil {
			return err
		}
		if c, err = p.next(); err != nil {
			return err
		}
		if c != ':' {
			return errToken
		}
		p.pos++
	}
	if p.track {
		p.enter(kind, key, base)
	}
	v, err := p.value()
	if err != nil && !(p.partial && v.kind > String) {
		return err
	}
	if p.track {
		p.path = p.path[:len(p.path)-1]
	}
	p.stack = append(p.stack, Member{key, v})
	return err
}

// enter notes the way to the member and, for a repeated key, its place.
func (p *Parser) enter(kind Kind, key string, base int) {
	token := key
	if kind == List {
		token = OfInt(int64(len(p.stack) - base)).text
	}
	p.path = append(p.path, token)
	if kind == List {
		return
	}
	for i := base; i < len(p.stack); i++ {
		if p.stack[i].Key == key {
			var place strings.Builder
			for _, t := range p.path {
				place.WriteString("/" + EscapePointer(t))
			}
			p.places = append(p.places, place.String())
			return
		}
	}
}

// copy moves members off the stack into a block that several containers share.
func (p *Parser) copy(items []Member) []Member {
	n := len(items)
	if n == 0 {
		return nil
	}
	if n > len(p.free) {
		if n > 64 {
			return append([]Member(nil), items...)
		}
		// Blocks follow the size of the text: about one member for 24 bytes.
		p.free = make([]Member, max(n, min(128, (len(p.src)-p.pos)/24)))
	}
	out := p.free[:n:n]
	p.free = p.free[n:]
	copy(out, items)
	return out
}

// keep returns s in memory of its own when it is short.
func (p *Parser) keep(s string) string {
	n := len(s)
	if p.cache == nil || n == 0 || n > cacheLength {
		return s
	}
	h := uint32(n)*0x9e3779b1 ^ uint32(s[0])*0x85ebca6b ^ uint32(s[n-1])*0xc2b2ae35 ^
		uint32(s[n/2])*0x27d4eb2f ^ uint32(s[n/4])*0x165667b1
	slot := &p.cache[(h^h>>15)%cacheSize]
	if *slot != s {
		*slot = strings.Clone(s)
	}
	return *slot
}

// str reads a string whose opening quote is next.
func (p *Parser) str() (string, error) {
	p.pos++
	start := p.pos
	p.plain()
	if p.pos >= len(p.src) {
		return "", errEarly
	}
	if p.src[p.pos] == '"' {
		s := p.src[start:p.pos]
		p.pos++
		if p.dirty {
			s = validText(s)
		}
		return p.keep(s), nil
	}
	p.buf = append(p.buf[:0], p.src[start:p.pos]...)
	for {
		switch {
		case p.pos >= len(p.src):
			return "", errEarly
		case p.src[p.pos] == '"':
			p.pos++
			s := string(p.buf)
			if p.dirty {
				s = validText(s)
			}
			return s, nil
		case p.src[p.pos] != '\\':
			return "", errControl
		}
		if err := p.escape(); err != nil {
			return "", err
		}
		start := p.pos
		p.plain()
		p.buf = append(p.buf, p.src[start:p.pos]...)
	}
}

// plain moves to the next quote, backslash or control character, eight bytes at a
// time: a byte b has the top bit of (b-0x01 of b^c) &^ b set when b equals c.
func (p *Parser) plain() {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	s, i := p.src, p.pos
	for i+8 <= len(s) {
		w := s[i : i+8]
		x := uint64(w[0]) | uint64(w[1])<<8 | uint64(w[2])<<16 | uint64(w[3])<<24 |
			uint64(w[4])<<32 | uint64(w[5])<<40 | uint64(w[6])<<48 | uint64(w[7])<<56
		quote, slash := x^(ones*'"'), x^(ones*'\\')
		if ((quote-ones)&^quote|(slash-ones)&^slash|(x-ones*' ')&^x)&tops != 0 {
			break
		}
		i += 8
	}
	for i < len(s) && s[i] != '"' && s[i] != '\\' && s[i] >= ' ' {
		i++
	}
	p.pos = i
}

// escape reads one escape sequence into the buffer. Half a surrogate pair reads as
// U+FFFD.
func (p *Parser) escape() error {
	if p.pos+1 >= len(p.src) {
		p.pos = len(p.src)
		return errEarly
	}
	c := p.src[p.pos+1]
	if c == 'u' {
		r, err := p.hex(p.pos)
		if err != nil {
			return err
		}
		p.pos += 6
		if utf16.IsSurrogate(r) {
			second, err := p.hex(p.pos)
			if err != nil && errors.Is(err, errEarly) {
				return err
			}
			if pair := utf16.DecodeRune(r, second); err == nil && pair != utf8.RuneError {
				p.pos += 6
				r = pair
			} else {
				r = utf8.RuneError
			}
		}
		p.buf = utf8.AppendRune(p.buf, r)
		return nil
	}
	const from, to = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
	i := strings.IndexByte(from, c)
	if i < 0 {
		return errEscape
	}
	p.buf = append(p.buf, to[i])
	p.pos += 2
	return nil
}

// hex reads the \uXXXX at the given place.
func (p *Parser) hex(at int) (rune, error) {
	if at+6 > len(p.src) {
		if at >= len(p.src) || p.src[at] == '\\' && !strings.Contains(p.src[at:], `"`) {
			return 0, errEarly
		}
		return 0, errEscape
	}
	if p.src[at] != '\\' || p.src[at+1] != 'u' {
		return 0, errEscape
	}
	var r rune
	for _, c := range []byte(p.src[at+2 : at+6]) {
		d := strings.IndexByte(hexDigits, c|0x20)
		if d < 0 || c < '0' {
			return 0, errEscape
		}
		r = r<<4 | rune(d)
	}
	return r, nil
}

// validText replaces each byte that is no UTF-8 with U+FFFD.
func validText(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		b.WriteRune(r)
	}
	return b.String()
}

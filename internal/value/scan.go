package value

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// maxDepth bounds the nesting of arrays and objects.
const maxDepth = 10000

// A Parser reads JSON values from texts and may be used again and again: it keeps its working memory between
// texts. The zero Parser is ready. It is not safe for concurrent use. It is about three times as fast as
// building values from the tokens of the library, and reading logs is most of what scoring without a model
// costs.
//
// Long strings of a parsed value share the memory of one copy of the text; keys and strings of up to 32 bytes
// do not, so that keeping an id or a name does not keep the text it came from.
type Parser struct {
	src   string
	pos   int
	depth int
	// err is the first mistake, which ends the reading at pos.
	err error
	// dirty says that the text holds bytes that are not UTF-8.
	dirty bool
	// stack holds the members of the containers that are open.
	stack []Member
	// free is the unused rest of the current block of members.
	free  []Member
	buf   []byte
	cache *[cacheSize]string
	// repeats counts the keys that occur twice in their object.
	repeats int
}

// Oddities hold what strict readers would refuse and Parse accepts.
type Oddities struct {
	// RepeatedKeys counts the keys that occur twice in their object.
	RepeatedKeys int
	// InvalidUTF8 says that some bytes were no UTF-8.
	InvalidUTF8 bool
}

const (
	cacheSize   = 512
	cacheLength = 32
)

// Parse does what the function Parse does, with the memory of p.
func (p *Parser) Parse(data []byte) (Value, error) { return p.ParseString(string(data)) }

// ParseString does what the function ParseString does, with the memory of p.
func (p *Parser) ParseString(s string) (Value, error) {
	if p.cache == nil {
		p.cache = new([cacheSize]string)
	}
	return p.parse(s)
}

// Oddities returns what was odd about the text parsed last.
func (p *Parser) Oddities() Oddities {
	return Oddities{RepeatedKeys: p.repeats, InvalidUTF8: p.dirty}
}

var (
	errEarly   = errors.New("text ends early")
	errToken   = errors.New("unexpected character")
	errControl = errors.New("raw control character in a string")
	errEscape  = errors.New("invalid escape in a string")
	errNumber  = errors.New("invalid number")
	errDepth   = errors.New("nested too deeply")
	errBehind  = errors.New("text after the value")
)

func (p *Parser) parse(src string) (Value, error) {
	v, packed := p.pack(src)
	if !packed {
		v = p.prefix(src)
	}
	switch {
	case p.err == nil:
		return v, nil
	case errors.Is(p.err, errEarly):
		return Value{}, early(int64(p.pos))
	}
	return Value{}, fmt.Errorf("json: %w at byte %d", p.err, p.pos)
}

// early returns the error of a text that ends inside a value.
func early(at int64) error {
	return fmt.Errorf("json: text ends early at byte %d: %w", at, io.ErrUnexpectedEOF)
}

// prefix reads src up to its end or the first mistake, and returns what is complete of the value.
func (p *Parser) prefix(src string) Value {
	p.begin(src)
	v := p.value()
	if p.blanks(); p.pos < len(src) {
		p.fail(errBehind)
	}
	clear(p.stack)
	p.stack, p.src, p.free = p.stack[:0], "", nil
	if cap(p.stack) > 1<<16 || cap(p.buf) > 1<<20 {
		p.stack, p.buf = nil, nil
	}
	return v
}

// fail ends the reading here with an error, unless it has already ended.
func (p *Parser) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

func (p *Parser) blanks() {
	for p.err == nil && p.pos < len(p.src) {
		switch p.src[p.pos] {
		case ' ', '\n', '\r', '\t':
			p.pos++
		default:
			return
		}
	}
}

// next skips blanks and returns the next byte without reading it, 0 at the end.
func (p *Parser) next() byte {
	p.blanks()
	if p.pos >= len(p.src) {
		p.fail(errEarly)
	}
	if p.err != nil {
		return 0
	}
	return p.src[p.pos]
}

// expect reads the next byte, which must be c.
func (p *Parser) expect(c byte) {
	if p.next() != c {
		p.fail(errToken)
		return
	}
	p.pos++
}

func (p *Parser) value() Value {
	switch c := p.next(); c {
	case '"':
		return Value{kind: String, text: p.str()}
	case '{':
		return p.container(Object, '}')
	case '[':
		return p.container(List, ']')
	case 't':
		return p.word(Bool, "true")
	case 'f':
		return p.word(Bool, "false")
	case 'n':
		return p.word(Null, "null")
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return p.number()
	}
	p.fail(errToken)
	return Value{}
}

func (p *Parser) word(kind Kind, w string) Value {
	rest := p.src[p.pos:]
	switch {
	case strings.HasPrefix(rest, w):
		p.pos += len(w)
		if kind == Bool {
			return Value{kind: Bool, text: w}
		}
	case strings.HasPrefix(w, rest):
		p.pos = len(p.src)
		p.fail(errEarly)
	default:
		p.fail(errToken)
	}
	return Value{}
}

func (p *Parser) number() Value {
	start, end, kind := p.pos, p.pos, Int
	for ; end < len(p.src) && (isDigit(p.src[end]) || strings.IndexByte("+-.eE", p.src[end]) >= 0); end++ {
		if c := p.src[end]; c == '.' || c > '9' {
			kind = Float
		}
	}
	text := p.src[start:end]
	switch {
	case validNumber(text):
		p.pos = end
		return Value{kind: kind, text: p.keep(text)}
	case end == len(p.src) && validNumber(text+"0"):
		p.pos = end
		p.fail(errEarly)
	}
	p.fail(errNumber)
	return Value{}
}

// container reads an object or a list. It gathers the members on the stack, so that it can copy them to memory
// of the right size at the end. Of a broken container it returns the complete members.
func (p *Parser) container(kind Kind, end byte) Value {
	if p.depth++; p.depth > maxDepth {
		p.fail(errDepth)
		return Value{}
	}
	start, base := p.pos, len(p.stack)
	p.pos++
	for p.err == nil && p.next() != end {
		var key string
		if len(p.stack) > base {
			p.expect(',')
		}
		if kind == Object {
			key = p.key()
		}
		if v := p.value(); p.err == nil || v.kind > String {
			p.stack = append(p.stack, Member{key, v})
		}
	}
	if p.err == nil {
		p.pos++
	}
	p.depth--
	items := p.stack[base:]
	if kind == Object {
		n := len(items)
		items = dedupe(items)
		p.repeats += n - len(items)
	}
	v := container(kind, p.copy(items))
	v.text = p.src[start:p.pos]
	clear(p.stack[base:])
	p.stack = p.stack[:base]
	return v
}

// key reads a key and the colon after it.
func (p *Parser) key() (key string) {
	if p.next() != '"' {
		p.fail(errToken)
		return ""
	}
	key = p.str()
	p.expect(':')
	return key
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
		// A block is as large as the text needs: about one member for 24 bytes.
		p.free = make([]Member, max(n, min(128, (len(p.src)-p.pos)/24)))
	}
	out := p.free[:n:n]
	p.free = p.free[n:]
	copy(out, items)
	return out
}

// keep copies s to memory of its own if it is short.
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
func (p *Parser) str() string {
	start, plain := p.pos, true
	p.pos++
	for p.plain(); p.pos < len(p.src) && p.src[p.pos] == '\\'; p.plain() {
		plain = false
		p.pos += 2
	}
	switch {
	case p.pos >= len(p.src):
		p.pos = len(p.src)
		p.fail(errEarly)
		return ""
	case p.src[p.pos] != '"':
		p.fail(errControl)
		return ""
	}
	p.pos++
	if raw := p.src[start:p.pos]; !plain || p.dirty {
		return p.unquote(raw)
	}
	return p.keep(p.src[start+1 : p.pos-1])
}

// unquote returns the text of a JSON string. Half a surrogate pair reads as U+FFFD and its four hexadecimal
// digits, a byte that is no UTF-8 as U+FFFD and its two: another half or another byte is another text.
func (p *Parser) unquote(quoted string) string {
	if p.dirty {
		quoted = markInvalid(quoted)
	}
	var err error
	if p.buf, err = jsontext.AppendUnquote(p.buf[:0], quoted); err != nil {
		p.buf, err = jsontext.AppendUnquote(p.buf[:0], markHalves(quoted))
	}
	if err != nil {
		p.fail(errEscape)
		return ""
	}
	return string(p.buf)
}

// surrogates matches an escaped surrogate pair, half of one, or the beginning of another escape.
var surrogates = regexp.MustCompile(
	`\\(?:u[dD][89abAB][[:xdigit:]]{2}\\u[dD][c-fC-F][[:xdigit:]]{2}|u[dD][89a-fA-F][[:xdigit:]]{2}|.)`)

// markHalves writes the escaped halves of surrogate pairs as U+FFFD and their digits.
func markHalves(s string) string {
	return surrogates.ReplaceAllStringFunc(s, func(escape string) string {
		if len(escape) == len(`\ud800`) {
			return string(utf8.RuneError) + strings.ToLower(escape[2:])
		}
		return escape
	})
}

// markInvalid writes the bytes of a text that are not UTF-8 as U+FFFD and two digits.
func markInvalid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		if r != utf8.RuneError {
			b.WriteRune(r)
			continue
		}
		b.WriteRune(utf8.RuneError)
		if _, size := utf8.DecodeRuneInString(s[i:]); size == 1 {
			fmt.Fprintf(&b, "%02x", s[i])
		}
	}
	return b.String()
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

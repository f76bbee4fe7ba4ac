package value

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// reference reads data with the library's tokenizer, the slow and sure way.
func reference(data []byte) (Value, error) {
	dec := decoder(bytes.NewReader(data))
	v, err := referenceValue(dec)
	if err != nil {
		return Value{}, err
	}
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return Value{}, errBehind
	}
	return v, nil
}

func referenceValue(dec *jsontext.Decoder) (Value, error) {
	tok, err := dec.ReadToken()
	if err != nil {
		return Value{}, err
	}
	switch tok.Kind() {
	case '"':
		return OfString(tok.String()), nil
	case '0':
		return OfNumber(tok.String()), nil
	case 't', 'f':
		return OfBool(tok.Bool()), nil
	case '[':
		var elems []Value
		for dec.PeekKind() != ']' {
			v, err := referenceValue(dec)
			if err != nil {
				return Value{}, err
			}
			elems = append(elems, v)
		}
		_, err := dec.ReadToken()
		return OfList(elems...), err
	case '{':
		var members []Member
		for dec.PeekKind() != '}' {
			key, err := dec.ReadToken()
			if err != nil {
				return Value{}, err
			}
			name := key.String()
			v, err := referenceValue(dec)
			if err != nil {
				return Value{}, err
			}
			members = append(members, Member{name, v})
		}
		_, err := dec.ReadToken()
		return OfObject(members...), err
	}
	return Value{}, nil
}

func FuzzParserAgreesWithTheLibrary(f *testing.F) {
	for _, s := range []string{
		`{"a":[1,2.5,"x",null,true]}`, `[1e999,-0, -0.0E+10]`, `"\ud800"`, `"\ud83d\ude00"`, `"\ud800\u0041"`, `"\ud800\ud800\udc00"`,
		`"\ud8\nx"`, `"\ud8\ud800"`, `"\ud800\ud8\n"`, `"\ud83d\ud\"c"`,
		`{"a":1,"a":2}`, "\"\xff\xfe é\"", "\"\xed\xa0\x80\"", `[[[]],{}]`, `[1,]`, `{"a":}`, `{,}`, `[1 2]`, "\"a\x01\"", "\x00", `"\/\b\f\n\r\t\"\\"`,
		`tru`, `nul`, `-`, `1.`, `01`, `"\u12`, `"\x"`, " \t\r\n1 ", `{"a" 1}`, `"12345678901234567890123456789012345678"`,
		`{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"j":10,"k":11,"l":12,"m":13,"a":14}`,
	} {
		f.Add([]byte(s))
	}
	var p Parser
	f.Fuzz(func(t *testing.T, data []byte) {
		want, wantErr := reference([]byte(markHalves(markInvalid(string(data)))))
		got, err := p.Parse(data)
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%q: error %v, the library says %v", data, err, wantErr)
		}
		if got.JSON() != want.JSON() {
			t.Fatalf("%q: %s, the library says %s", data, got.JSON(), want.JSON())
		}
		if err == nil && !p.Oddities().InvalidUTF8 {
			again, err := ParseString(got.Raw())
			if err != nil || again.JSON() != got.JSON() {
				t.Fatalf("%q: raw text %q reads as %s, %v", data, got.Raw(), again.JSON(), err)
			}
		}
	})
}

// TestBrokenHalf: an escape that begins like half of a pair and has fewer than four digits is an error.
func TestBrokenHalf(t *testing.T) {
	for _, text := range []string{`"\ud8\nx"`, `"\ud8zz"`, `"\ud800\ud8\n"`, `"\ud83d\udc\t."`} {
		if v, err := ParseString(text); err == nil || !strings.HasPrefix(err.Error(), "json: invalid escape in a string at byte ") {
			t.Errorf("%s is %s, %v", text, v.JSON(), err)
		}
	}
}

func TestRawIsTheTextOfContainers(t *testing.T) {
	v := parse(t, ` { "a" : [ 1 , 2.50 ] , "a" : { "b" : 1 } } `)
	if got, want := v.Field("a").Raw(), `{ "b" : 1 }`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := v.Text(); got != "" {
		t.Errorf("an object has the text %q", got)
	}
	if got, want := v.With("c", OfInt(1)).Raw(), `{"a":{"b":1},"c":1}`; got != want {
		t.Errorf("after an edit: got %q, want %q", got, want)
	}
}

func TestParserIsReusable(t *testing.T) {
	var p Parser
	first, err := p.Parse([]byte(`{"name":"first","list":[1,2,3]}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Parse([]byte(`{"name":["broken"`)); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a cut text: %v", err)
	}
	second, err := p.Parse([]byte(`{"name":"other","name":"second","list":[4]}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Oddities(); got != (Oddities{RepeatedKeys: 1}) {
		t.Errorf("oddities %+v", got)
	}
	if empty, err := p.Parse([]byte(`{"":""}`)); err != nil || empty.JSON() != `{"":""}` {
		t.Errorf("empty texts: %s, %v", empty.JSON(), err)
	}
	if got := first.JSON() + second.JSON(); got != `{"name":"first","list":[1,2,3]}{"name":"second","list":[4]}` {
		t.Error(got)
	}
}

func TestDepthIsBounded(t *testing.T) {
	deep := strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth)
	if _, err := ParseString(deep); err != nil {
		t.Errorf("%d levels: %v", maxDepth, err)
	}
	if _, err := ParseString("[" + deep + "]"); err == nil {
		t.Error("no bound on the nesting")
	}
}

func BenchmarkParser(b *testing.B) {
	text := strings.Repeat("Please cancel my order, it was a mistake. ", 10)
	doc := []byte(`{"id":"c1","messages":[{"role":"user","content":"` + text + `"},{"role":"assistant","content":null,"tool_calls":[{"id":"t1","type":"function","function":{"name":"cancel_order","arguments":"{\"order_id\":987}"}}]},{"role":"tool","tool_call_id":"t1","content":"{\"ok\":true}"}]}`)
	b.SetBytes(int64(len(doc)))
	b.ReportAllocs()
	var p Parser
	for b.Loop() {
		if _, err := p.Parse(doc); err != nil {
			b.Fatal(err)
		}
	}
}

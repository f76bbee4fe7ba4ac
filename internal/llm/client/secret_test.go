package client

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

// TestRedactorSeesThroughEscapes: a key that a server spells with escapes is gone from
// the text, and from what the text says when it is decoded, at every depth.
func TestRedactorSeesThroughEscapes(t *testing.T) {
	const key = "sk-canary/0123.456789"
	r := newRedactor(key)
	spelled := func(from, to int, form string) string {
		var b strings.Builder
		for i, c := range []byte(key) {
			if i >= from && i < to {
				fmt.Fprintf(&b, form, c)
			} else {
				b.WriteByte(c)
			}
		}
		return b.String()
	}
	for _, tt := range []struct {
		text  string
		depth int
	}{
		{key, 1}, {spelled(0, len(key), `\u%04x`), 1}, {spelled(0, len(key), `\u%04X`), 1}, {spelled(3, 5, `\u%04x`), 1},
		{spelled(0, 2, `\\u%04x`), 2}, {spelled(0, len(key), `\\\\u%04x`), 3}, {spelled(0, len(key), `\u005cu%04x`), 2},
		{strings.ReplaceAll(key, "/", `\/`), 1}, {strings.ReplaceAll(key, "/", `\\\/`), 2}, {spelled(1, 4, `\\x%02x`), 1},
	} {
		got := string(r.body([]byte(`{"content":"a ` + tt.text + ` b"}`)))
		if want := `{"content":"a [redacted] b"}`; got != want {
			t.Errorf("%s: got %s", tt.text, got)
		}
		if r.text("x "+tt.text) != "x [redacted]" {
			t.Errorf("%s stays in a text", tt.text)
		}
		var v struct{ Content string }
		if err := json.Unmarshal([]byte(got), &v); err != nil {
			t.Errorf("%s: the rest is no JSON any more: %v", tt.text, err)
		}
	}
	for _, innocent := range []string{`{"content":"sk-canary/0123"}`, `{"a":"\u0073k-other\\u0061 \\x41"}`, "", `\`} {
		if got := string(r.body([]byte(innocent))); got != innocent {
			t.Errorf("%s became %s", innocent, got)
		}
	}
}

// TestRedactorOfHalfEscapes: a key that looks like an escape itself is found where a server has escaped only other
// characters of it.
func TestRedactorOfHalfEscapes(t *testing.T) {
	for key, text := range map[string]string{
		"sk-a%2Bb-0123456789": "%73k-a%2Bb-0123456789", "sk-a&amp;b-0123456789": "&#115;k-a&amp;b-0123456789", `sk-a\u0062c-012345`: `\u0073k-a\u0062c-012345`,
		"user-key-0123": `\user\-\key-0123`,
	} {
		if got := newRedactor(key).text("x " + text + " y"); got != "x [redacted] y" {
			t.Errorf("%s: %s", text, got)
		}
	}
}

// TestRedactorOfChangedCase: base64 of a key in another case is found to its first and last digit, wherever the key stands in a group of three bytes.
func TestRedactorOfChangedCase(t *testing.T) {
	const key = "sk-canary-01234567890"                                // 21 bytes are 28 digits
	for before, want := range map[string]int{"": 0, "a": 2, "ab": 3} { // digits that are not of the key alone
		for _, form := range []string{strings.ToLower(in64(base64.RawStdEncoding)(before + key)), strings.ToUpper(in64(base64.RawStdEncoding)(before + key))} {
			got := newRedactor(key).text("x " + form + " y")
			rest := strings.TrimSuffix(strings.TrimPrefix(got, "x "), " y")
			head, tail, found := strings.Cut(rest, redacted)
			if !found || len(head) != want || len(tail) > 2 {
				t.Errorf("%d bytes before: %s became %s", len(before), form, got)
			}
		}
	}
}

// wrapped breaks a text into lines, as MIME does.
func wrapped(text string, width int) string {
	var out []string
	for part := range slices.Chunk([]byte(text), width) {
		out = append(out, string(part))
	}
	return strings.Join(out, "\r\n")
}

// TestRedactorFindsEveryForm: a key that a server repeats in any escaping is gone, and what
// stood around it is not.
func TestRedactorFindsEveryForm(t *testing.T) {
	in64 := in64(base64.StdEncoding)
	for _, key := range []string{
		"sk-canary-0123456789", `sk-"quoted"-01234`, `sk-\back\slash\`, "pa+ss/wo=rd+/==", "8-bytes!", `"\/+=&%#`, "<b>&amp;%41",
		"key with blanks", "schlüssel-ß-😀",
	} {
		r := newRedactor(key)
		for name, form := range map[string]string{
			"as it is":                key,
			"JSON":                    inJSON(key),
			"JSON twice":              inJSON(inJSON(key)),
			"JSON four times":         inJSON(inJSON(inJSON(inJSON(key)))),
			"escapes":                 allEscaped(key),
			"escapes twice":           allEscaped(allEscaped(key)),
			"escapes in JSON":         inJSON(allEscaped(key)),
			"escapes in braces":       allEntities(key, `\u{%x}`),
			"hexadecimal":             fmt.Sprintf("%x", key),
			"hexadecimal, upper case": fmt.Sprintf("%X", key),
			"HTML":                    html.EscapeString(key),
			"HTML numbers":            allEntities(key, "&#%d;"),
			"HTML hexadecimal":        allEntities(key, "&#X%X;"),
			"HTML twice":              html.EscapeString(allEntities(key, "&#%d;")),
			"HTML in JSON":            inJSON(html.EscapeString(key)),
			"in a query":              url.QueryEscape(key),
			"in a path":               url.PathEscape(key),
			"percent":                 percentEncoded(key),
			"percent twice":           percentEncoded(percentEncoded(key)),
			"percent in JSON in HTML": html.EscapeString(inJSON(percentEncoded(key))),
			"base64":                  in64(key),
			"base64 of more":          in64("user:" + key + "\n"),
			"base64 of other more":    in64("token " + key + "."),
			"base64 for URLs":         base64.RawURLEncoding.EncodeToString([]byte("a?" + key)),
			"base64 in JSON":          allEscaped(in64(key)),
			"base64 in a query":       url.QueryEscape(in64(key)),
			"JSON in base64":          in64(inJSON(key)),
			"base64 in base64":        in64("x " + in64("y "+key)),
			"upper case":              strings.ToUpper(key),
			"lower case":              strings.ToLower(key),
			"escapes in upper case":   strings.ToUpper(allEscaped(key)),
			"entities in upper case":  strings.ToUpper(html.EscapeString(key)),
			"broken":                  key[:4] + "\n" + key[4:],
			"broken twice in JSON":    inJSON(key[:2] + "\r\n" + key[2:4] + "\n" + key[4:]),
			"broken hexadecimal":      wrapped(fmt.Sprintf("%x", key), 6),
		} {
			got := r.text("a " + form + " b")
			if got != "a [redacted] b" {
				t.Errorf("%s, %s: %s became %s", key, name, form, got)
			}
		}
		if got := newRedactor("\xff" + key).text("a \xff" + key + " b"); got != "a [redacted] b" {
			t.Errorf("%s: after a byte that is not UTF-8 it became %s", key, got)
		}
		octal := allEntities(key, `\%03o`)
		if got := r.text(octal + " " + inJSON(octal)); !strings.Contains(key, "ü") && got != "[redacted] [redacted]" {
			t.Errorf("%s: octal escapes became %s", key, got)
		}
		if got := r.text(strings.ToLower(in64(key))); len(got) > len(redacted)+8 {
			t.Errorf("%s: base64 in lower case became %s", key, got)
		}
		for _, width := range []int{4, 8, 19, 76} {
			form := wrapped(in64(key), width)
			if got := r.text(form); len(got) > len(redacted)+len("==\r\n")+4 {
				t.Errorf("%s: base64 in lines of %d became %q", key, width, got)
			}
		}
		if got := r.text("cut off: " + key[:len(key)*3/4]); len(key) > 8 && got != "cut off: [redacted]" {
			t.Errorf("%s: cut off became %s", key, got)
		}
	}
}

// TestRedactorLeavesJSON: what is left of a body after a key is gone from it is JSON with the
// same other members.
func TestRedactorLeavesJSON(t *testing.T) {
	for _, key := range []string{`"quoted-key"`, `back\slashes\`, `\"both\"ends\`, "n-after-newline", "0041-in-an-escape"} {
		r := newRedactor(key)
		for _, content := range []string{key, "x\n" + key + "\n", `he said "` + key + `"`, `{"inner":` + strconv.Quote(key) + `}`, "A" + key[1:] + "\u0001" + key} {
			body, err := json.Marshal(map[string]string{"before": "b", "content": content, "next": "n"})
			if err != nil {
				t.Fatal(err)
			}
			var v map[string]string
			if got := r.body(body); json.Unmarshal(got, &v) != nil || v["before"] != "b" || v["next"] != "n" || strings.Contains(v["content"], key) {
				t.Errorf("%s became %s", body, got)
			}
		}
	}
}

func inJSON(s string) string {
	data, _ := json.Marshal(s)
	return string(data[1 : len(data)-1])
}

// allEscaped returns a text all of whose characters are escapes of JSON.
func allEscaped(s string) string {
	var b strings.Builder
	for _, unit := range utf16.Encode([]rune(s)) {
		fmt.Fprintf(&b, `\u%04x`, unit)
	}
	return b.String()
}

func allEntities(s, form string) string {
	var b strings.Builder
	for _, r := range s {
		fmt.Fprintf(&b, form, r)
	}
	return b.String()
}

func percentEncoded(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		fmt.Fprintf(&b, "%%%02x", c)
	}
	return b.String()
}

// escaping is what a server can do to a text before it repeats it, and how that is undone; a
// change of case is not.
type escaping struct {
	do    func(string) string
	undo  func(string) (string, error)
	isB64 bool
}

var escapings = [...]escaping{
	{do: inJSON, undo: fromJSON}, {do: allEscaped, undo: fromJSON},
	{do: func(s string) string { return strings.ReplaceAll(inJSON(s), "/", `\/`) }, undo: fromJSON},
	{do: html.EscapeString, undo: fromHTML},
	{do: func(s string) string { return allEntities(s, "&#%d;") }, undo: fromHTML},
	{do: func(s string) string { return allEntities(s, "&#x%x;") }, undo: fromHTML},
	{do: url.QueryEscape, undo: url.QueryUnescape}, {do: url.PathEscape, undo: url.PathUnescape},
	{do: percentEncoded, undo: url.PathUnescape}, {do: strings.ToUpper}, {do: strings.ToLower},
	{do: in64(base64.StdEncoding), undo: from64(base64.StdEncoding), isB64: true},
	{do: in64(base64.RawURLEncoding), undo: from64(base64.RawURLEncoding), isB64: true},
}

func fromJSON(s string) (out string, err error) {
	err = json.Unmarshal([]byte(`"`+s+`"`), &out)
	return out, err
}

func in64(by *base64.Encoding) func(string) string {
	return func(s string) string { return by.EncodeToString([]byte(s)) }
}

func from64(by *base64.Encoding) func(string) (string, error) {
	return func(s string) (string, error) {
		data, err := by.DecodeString(s)
		return string(data), err
	}
}

func fromHTML(s string) (string, error) { return html.UnescapeString(s), nil }

// FuzzRedact escapes a key by a chain of up to five escapings, some of them with texts around
// it, as servers do that quote each other: the key is in nothing that the rest says when it is
// decoded. The one thing that cannot be undone is a change of case in base64, which is found
// if it is that of the key itself.
func FuzzRedact(f *testing.F) {
	f.Add("sk-canary-0123456789", []byte{0, 7, 11}, "before ", " after")
	f.Add(`a"b\c/d+e=f`, []byte{129, 139, 134}, `\`, `"`)
	f.Add("8-bytes+", []byte{6, 6, 136, 0}, "100%", "41")
	f.Add(`\n\u0041%41&amp;`, []byte{3, 9}, "&#", ";")
	f.Add("0041nnnn", []byte{128}, `\u`, "=")
	f.Fuzz(func(t *testing.T, key string, chain []byte, before, after string) {
		key += strings.Repeat("k", max(0, minSecret-len(key)))
		if !utf8.ValidString(key+before+after) || strings.Contains(redacted, strings.ToLower(key)) {
			t.Skip() // JSON has no form of it; or it is the word in its place
		}
		form, cased := key, false
		var done []escaping
		for _, by := range chain[:min(len(chain), 5)] {
			e := escapings[int(by%128)%len(escapings)]
			in := form
			if by >= 128 && len(done) == 0 {
				in = before + form + after
			} else if by >= 128 {
				in = before + " " + form + " " + after // else its end could be taken for a part of form
			}
			out := e.do(in)
			if e.undo == nil {
				if !foldable(in, out, done) {
					continue
				}
				cased = true
			}
			form, done = out, append(done, e)
		}
		got := newRedactor(key).text("a " + form + " b")
		if strings.Contains(got, form) {
			t.Fatalf("%q by %v: %q survives in %q", key, chain, form, got)
		}
		rest := strings.TrimSuffix(strings.TrimPrefix(got, "a "), " b")
		for _, e := range slices.Backward(done) {
			if e.undo == nil {
				continue
			}
			if said, err := e.undo(rest); err == nil {
				rest = said
			}
		}
		if !cased && strings.Contains(strings.ReplaceAll(rest, redacted, ""), key) && !strings.Contains(before+after, key) {
			t.Errorf("%q by %v: it is said by %q, which is left of %q", key, chain, rest, form)
		}
	})
}

// foldable reports whether a change of case can be told: it changes letters of ASCII alone,
// and no base64 but that of the key itself.
func foldable(in, out string, done []escaping) bool {
	lowIn, lowOut := strings.ToLower(in), strings.ToLower(out)
	if lowIn != lowOut || len(in) != len(out) {
		return false
	}
	return len(done) == 0 || !slices.ContainsFunc(done[1:], func(e escaping) bool { return e.isB64 })
}

func BenchmarkRedact(b *testing.B) {
	for name, text := range map[string]string{
		"escapes": `the customer said \"caf\u00e9\" and no more; `,
		"answer":  `{\"explanation\":\"The user asks to cancel the order, and the call cancels it.\\nIt fits.\",\"output\":4} `,
		"plain":   "the customer asked for another appointment in the morning, and no more; ",
	} {
		b.Run(name, func(b *testing.B) {
			r := newRedactor("sk-canary-0123456789-abcdefghijklmnopqrstuvwxyz")
			body := []byte(strings.Repeat(text, 9000/len(text)))
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				r.body(body)
			}
		})
	}
}

// TestSecretsOfAnEndpoint: what no reply may contain: keys, passwords and hidden values, whole and word by word.
func TestSecretsOfAnEndpoint(t *testing.T) {
	e := Endpoint{
		APIKey:  NewSecret("key"),
		Headers: []Param{{Name: "a", Value: NewSecret("Token one")}, {Name: "b", Value: NewSecret("plain"), Plain: true}},
		Query:   []Param{{Name: "c", Value: NewSecret("two")}},
	}
	want := []string{"key", "word", "bWU6d29yZA==", "Token one", "Token", "one", "two", "two"}
	if got := e.secrets(url.UserPassword("me", "word")); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := (Endpoint{}).secrets(nil); !slices.Equal(got, []string{""}) {
		t.Errorf("of no endpoint: %q", got)
	}
	for _, secret := range []Secret{{}, NewSecret(""), NewSecret("sekret")} {
		shown := map[bool]string{false: redacted}[secret.IsZero()]
		text, err := secret.MarshalText()
		if secret.String() != shown || string(text) != shown || err != nil || fmt.Sprintf("%x", secret) != shown ||
			secret.Reveal() != map[bool]string{false: "sekret"}[secret.IsZero()] {
			t.Errorf("a secret is shown as %s, %s", secret.String(), text)
		}
	}
	if got := newRedactor("1234567", "12345678").text("1234567, 12345678"); got != "1234567, [redacted]" {
		t.Errorf("short words are replaced: %s", got)
	}
	if got := (redactor{}).text("a key"); got != "a key" {
		t.Errorf("without secrets: %s", got)
	}
}

// TestMatch: where a secret ends in a text: in any case, broken by lines, with a plus sign for a blank, or cut off by the
// end of the text after half of it, but four bytes at least.
func TestMatch(t *testing.T) {
	for _, tt := range []struct {
		text, secret string
		want         int
	}{
		{"sk-key", "sk-key", 6}, {"sk-key and more", "sk-key", 6}, {"SK-KeyZ", "sk-keyz", 7}, {"sk\n-k\r\ney", "sk-key", 9},
		{"\nsk-key", "sk-key", -1}, {"sk-kex", "sk-key", -1}, {"ab\ncd", "ab\ncd", 5}, {"a+b", "a b", 3}, {"a b", "a+b", -1},
		{"a-b", "a b", -1}, {"[bcd", "{bcd", -1}, {"@bcd", "`bcd", -1}, {"sk-k", "sk-keys0", 4}, {"sk-", "sk-keys0", -1},
		{"s\nk-key", "sk-key", 7}, {"SK-KEX", "sk-key", -1}, {"sk+key", "sk-key", -1},
		{"sk-k", "sk-key", 4}, {"sk-", "sk-key", -1}, {"0123456789", "01234567890123456789", 10}, {"012345678", "01234567890123456789", -1},
	} {
		if got := match([]byte(tt.text), 0, tt.secret); got != tt.want {
			t.Errorf("%q in %q ends at %d, want %d", tt.secret, tt.text, got, tt.want)
		}
	}
	if got := lower("@A[Z`a{z0É"); got != "@a[z`a{z0É" {
		t.Error(got)
	}
	for text, want := range map[string]int{"ab==c": 4, "ab=": 3, "ab===": 4, "ab": 2, "abc=": 2} {
		if got := paddingEnd([]byte(text), 2); got != want {
			t.Errorf("the padding of %s ends at %d, want %d", text, got, want)
		}
	}
	if got := newRedactor("sk%2D12345").text("sk-12345 sk%2D12345"); got != "[redacted] [redacted]" {
		t.Errorf("a key that looks like an escape, of eight bytes without: %s", got)
	}
}

// TestRedactorAnywhere: a secret, or half of one at the end, is found wherever it stands, and however many there are.
func TestRedactorAnywhere(t *testing.T) {
	const key, other = "sk-canary-0123456789", "sk-planted-9876543210"
	r := newRedactor(key, other)
	for before := range 50 {
		x := strings.Repeat("x", before)
		for end := len(key) / 2; end <= len(key); end++ {
			if got := r.text(x + key[:end]); got != x+redacted {
				t.Errorf("%d bytes after %d others: %s", end, before, got)
			}
		}
		if got := r.text(x + " " + key + " y"); got != x+" [redacted] y" {
			t.Errorf("between others, after %d bytes: %s", before, got)
		}
	}
	one, two := in64(base64.StdEncoding)(key), in64(base64.RawURLEncoding)(other)
	for text, want := range map[string]string{
		one: redacted, one + "!" + two + "!": "[redacted]![redacted]!", two + " " + key + " " + one: "[redacted] [redacted] [redacted]",
		key + other + key: "[redacted][redacted][redacted]",
	} {
		if got := r.text(text); got != want {
			t.Errorf("%s became %s", text, got)
		}
	}
}

// TestBase64OfSecrets: a secret is found in base64 of both alphabets, from any digit on, as deep as is asked for.
func TestBase64OfSecrets(t *testing.T) {
	const key = "~~?>~~?>~~?>" // its digits are those in which the alphabets differ
	n := newRedactor(key).secrets()
	std, forURLs := in64(base64.RawStdEncoding), in64(base64.RawURLEncoding)
	for before := range 3 {
		text := strings.Repeat("a", before) + key
		for from := range 4 {
			for _, form := range []string{std("xyzxyz" + text), forURLs("xyzxyz" + text)} {
				digits := []byte(form[from:])
				if !n.inDigits(digits, 1) || string(digits) != form[from:] {
					t.Errorf("%s from digit %d on: not found, or changed to %s", form, from, digits)
				}
			}
		}
	}
	if deep := []byte(std(std(std(key)))); n.inDigits(deep, 1) || !n.inDigits(deep, 2) {
		t.Errorf("%s is decoded as deep as nobody asked for, or not as deep", deep)
	}
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_"
	for c := range 256 {
		if want := c < utf8.RuneSelf && strings.ContainsRune(digits, rune(c)); digit64[c] != want {
			t.Errorf("%#x is a digit: %v", c, !want)
		}
	}
	if n.inDigits([]byte(std("nothing of that kind here")), 4) {
		t.Error("a secret where there is none")
	}
}

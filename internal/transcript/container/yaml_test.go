package container

import (
	"bufio"
	"io"
	"strings"
	"testing"
)

// TestCassettes: the items of a recording come as lines of JSON, or the recording is refused.
func TestCassettes(t *testing.T) {
	for text, want := range map[string]string{
		"interactions:\n- a: 1\n  b: [true, ~, 1.5, 0x10, 'x', 2026-01-01]\n\n- c: |\n    one\n\n    two\nversion: 1\n- d: 2\n": "{\"a\":1,\"b\":[true,null,1.5,\"0x10\",\"x\",\"2026-01-01\"]}\n{\"c\":\"one\\n\\ntwo\\n\"}\n",
		"interactions:\n  - a: 1\n  - b: 2":                          "{\"a\":1}\n{\"b\":2}\n",
		"messages:\n- a: !!binary |\n    QUJD\n    REVG\n":           "{\"a\":\"QUJDREVG\"}\n",
		"interactions:\n- request: {body: x, uri: u, method: GET}\n": "{\"request\":{\"uri\":\"u\",\"method\":\"GET\",\"body\":\"x\"}}\n",
		"requests:\n- {body: x, uri: u, method: GET}\n- {uri: v, method: GET}\nresponses:\n- b: 1\n- b: 2\n": "{\"request\":{\"uri\":\"u\",\"method\":\"GET\",\"body\":\"x\"},\"response\":{\"b\":1}}\n" +
			"{\"request\":{\"uri\":\"v\",\"method\":\"GET\"},\"response\":{\"b\":2}}\n",
		"interactions:\n- a:\n  - 1\n  - 2\n- b: 2\n":              "{\"a\":[1,2]}\n{\"b\":2}\n",
		"interactions:\n- a: 1\n-\n b: 2\n":                        "{\"a\":1}\n{\"b\":2}\n",
		"interactions:\n- a: 1\n# note\n#\n- b: 2\nend\n- c: 3\n":  "{\"a\":1}\n{\"b\":2}\n",
		"interactions:\n- a: 1\nx\n- b: 2\n":                       "{\"a\":1}\n",
		"interactions:\n- a: 1\nrequests:\n- b: 1\n":               "{\"a\":1}\n",
		"interactions:\n- a: 1\nresponses:\n- b: 1\n":              "{\"a\":1}\n",
		"interactions:\n- 1":                                       "1\n",
		"interactions:\n- method: GET\n  a: 1\n- uri: u\n  a: 1\n": "{\"method\":\"GET\",\"a\":1}\n{\"uri\":\"u\",\"a\":1}\n",
		"interactions:\n- {body: x, url: u, method: GET}\n":        "{\"request\":{\"url\":\"u\",\"method\":\"GET\",\"body\":\"x\"}}\n",
		"requests:\n- body: x\n  uri: u\n  method: GET\nresponses:\n- b: 1\n- b: 2\n": "{\"request\":{\"uri\":\"u\"," +
			"\"method\":\"GET\",\"body\":\"x\"},\"response\":{\"b\":1}}\n",
		"interactions:\n- a: {\n": "! the YAML of the item in line 2 cannot be read",
		"interactions:\n- a: &x [1,1,1,1]\n  b: &y [*x,*x,*x,*x,*x]\n  c: &z [*y,*y,*y,*y]\n  d: [*z,*z,*z,*z,*z]\n": "! the YAML of the item in line 2 repeats itself by aliases",
		"interactions:\n- a: " + strings.Repeat("x", headSize+2000) + "\n":                                           "! longer than the limit",
	} {
		if !cassetteBegins.MatchString(text) {
			t.Errorf("%q is no recording", text)
		}
		in, err := openCassette(bufio.NewReader(strings.NewReader(text)), 1000)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(in)
		if broken, message := strings.CutPrefix(want, "! "); message {
			if err == nil || !strings.Contains(err.Error(), broken) {
				t.Errorf("%.60q: %s, %v; want %s", text, got, err, broken)
			}
		} else if string(got) != want || err != nil {
			t.Errorf("%.60q: %s, %v; want %s", text, got, err, want)
		}
	}
}

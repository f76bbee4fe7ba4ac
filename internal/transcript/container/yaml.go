package container

// Recordings as YAML: cassettes of vcrpy, pydantic-ai, go-vcr and Ruby's VCR, and of Claude Code's streams. Each item
// of the list is a record; the rest is dropped. Binary data stays base64, and an anchor holds within one item.

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/judgekit/judge/internal/value"
)

// cassetteBegins matches the beginning of a recording up to its list.
var cassetteBegins = regexp.MustCompile(`^(---\s*\n)?((#|version:|recorded_with:)[^\n]*\n)*((http_)?interactions|requests|messages):\s*\n *- `)

// openCassette reads the items of a recording one by one.
func openCassette(in *bufio.Reader, limit int) (io.Reader, error) {
	c := cassette{source: &bounded{in: in, limit: limit + headSize}}
	c.lines = bufio.NewReader(c.source)
	return rows(0, c.next), nil
}

type cassette struct {
	source *bounded
	lines  *bufio.Reader
	// dash is the beginning of an item: the list's indentation and a dash.
	dash []byte
	// item is the text of the current item, which began in line from.
	item       []byte
	line, from int
	ended      bool
	// asked holds the requests of a recording that lists its responses after them (langchain-tests).
	asked []value.Value
	// paired says that the recording is one of these; answers says that the list of responses has begun.
	paired, answers bool
}

// next returns the next item, or the next request with its response.
func (c *cassette) next() (value.Value, error) {
	for {
		asks := !c.answers
		v, err := c.nextItem()
		switch {
		case err != nil || !c.paired:
			return v, err
		case asks:
			c.asked = append(c.asked, v.Field("request"))
		case len(c.asked) > 0:
			v = value.Pairs("request", c.asked[0]).With("response", v)
			c.asked = c.asked[1:]
			return v, nil
		}
	}
}

func (c *cassette) nextItem() (value.Value, error) {
	if len(c.asked) == 0 { // waiting requests count towards the limit
		c.source.n = 0
	}
	for !c.ended {
		text, err := c.lines.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return value.Value{}, err
		}
		c.line++
		if c.dash == nil && bytes.HasPrefix(bytes.TrimLeft(text, " "), []byte("- ")) {
			c.dash = text[:bytes.IndexByte(text, '-')+1]
		}
		begins := c.dash != nil && bytes.HasPrefix(text, c.dash)
		turns := c.paired && bytes.HasPrefix(text, []byte("responses:"))
		c.paired = c.paired || c.dash == nil && bytes.HasPrefix(text, []byte("requests:"))
		before, from := c.item, c.from
		switch indent := len(text) - len(bytes.TrimLeft(text, " ")); {
		case begins:
			c.item, c.from = text, c.line
		case turns:
			c.item, c.answers = nil, true
		case indent < len(c.dash) && len(bytes.TrimSpace(text)) > 0 && text[indent] != '#':
			c.ended = true
		case c.dash != nil:
			c.item = append(c.item, text...)
		}
		c.ended = c.ended || err != nil
		if (begins || turns) && len(before) > 0 {
			return itemValue(before, from)
		}
	}
	if last := c.item; len(last) > 0 {
		c.item = nil
		return itemValue(last, c.from)
	}
	return value.Value{}, io.EOF
}

// itemValue parses an item of the list.
func itemValue(item []byte, line int) (value.Value, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(item, &doc); err != nil {
		return value.Value{}, &Broken{Message: fmt.Sprintf("the YAML of the item in line %d cannot be read: %v", line, err)}
	}
	nodes := len(item)
	v := yamlValue(&doc, &nodes).Head().Head()
	if nodes < 0 {
		return v, &Broken{Message: fmt.Sprintf("the YAML of the item in line %d repeats itself by aliases", line)}
	}
	if v.HasAny("uri", "url") && v.Has("method") { // it is from a list of requests
		return value.Pairs("request", addressFirst(v)), nil
	}
	if request := v.Field("request"); request.Kind() == value.Object {
		v = v.With("request", addressFirst(request))
	}
	return v, nil
}

// addressFirst moves a request's address to the front, because detection may not see the end of it.
func addressFirst(request value.Value) value.Value {
	at, key := request.FirstKey("uri", "url")
	first := value.Pairs(key, at, "method", request.Field("method"))
	for name, member := range request.Members() {
		first = first.With(name, member)
	}
	return first
}

// yamlValue converts a node to a value; a document becomes a list with one element. It creates at
// most left nodes.
func yamlValue(n *yaml.Node, left *int) value.Value {
	if *left--; *left < 0 {
		return value.Value{}
	}
	switch n.Kind {
	case yaml.AliasNode:
		return yamlValue(n.Alias, left)
	case yaml.DocumentNode, yaml.SequenceNode:
		var list []value.Value
		for _, e := range n.Content {
			list = append(list, yamlValue(e, left))
		}
		return value.OfList(list...)
	case yaml.MappingNode:
		var members []value.Member
		for i := 0; i+1 < len(n.Content); i += 2 {
			members = append(members, value.Member{Key: n.Content[i].Value, Value: yamlValue(n.Content[i+1], left)})
		}
		return value.OfObject(members...)
	}
	switch n.ShortTag() {
	case "!!null", "!!bool", "!!int", "!!float":
		if v, err := value.ParseString(strings.ToLower(n.Value)); err == nil && v.Kind() != value.String {
			return v
		}
		if n.ShortTag() == "!!null" {
			return value.Value{}
		}
	case "!!binary":
		return value.OfString(strings.Join(strings.Fields(n.Value), ""))
	}
	return value.OfString(n.Value)
}

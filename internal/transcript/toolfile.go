package transcript

import (
	"errors"
	"fmt"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// ParseToolFile reads the inventory that a file holds: a list of definitions in any form
// of parseTools, the same under "tools", an MCP tools/list reply, or an OpenAPI 3
// document, whose operations become tools. The error says what was found instead, or
// which tool cannot be read.
func ParseToolFile(v value.Value) ([]Tool, error) {
	list, err := toolList(v)
	if err != nil {
		return nil, err
	}
	tools, notes := parseTools(list)
	if len(notes) > 0 {
		return nil, fmt.Errorf("%s: %s", notes[0].Place, notes[0].Detail)
	}
	if len(tools) == 0 {
		return nil, errors.New("the list of tools is empty")
	}
	seen := map[string]bool{}
	for i := range tools {
		if seen[tools[i].Name] {
			return nil, fmt.Errorf("two tools are called %s", quote(tools[i].Name))
		}
		seen[tools[i].Name] = true
	}
	return tools, nil
}

const toolFileForms = "want a list of tool definitions, an OpenAPI 3 document, " +
	"or the reply to an MCP tools/list request"

func toolList(v value.Value) (value.Value, error) {
	if v.IsList() {
		return v, nil
	}
	if v.Kind() != value.Object {
		return v, fmt.Errorf("this is %s; %s", v.Kind().WithArticle(), toolFileForms)
	}
	if v.Has("openapi") {
		if version := v.Field("openapi").Text(); !strings.HasPrefix(version, "3.") {
			return v, fmt.Errorf("this is an OpenAPI document of version %s; version 3 is read", quote(version))
		}
		return openAPITools(v)
	}
	if reply := v.Field("result"); v.Has("jsonrpc") && reply.Kind() == value.Object {
		v = reply
	}
	list := v.Field("tools")
	switch next := v.Field("nextCursor").Text(); {
	case list.IsList() && next != "":
		return v, errors.New("the reply is one page of several (it has a nextCursor): " +
			"put the tools of all pages into one list")
	case list.IsList():
		return list, nil
	case v.Has("swagger"):
		return v, errors.New("this is a Swagger 2 document: convert it to OpenAPI 3")
	case v.Has("jsonrpc") && v.Has("error"):
		return v, fmt.Errorf("this is a JSON-RPC error reply: %s", quote(v.Field("error").JSON()))
	case v.Has("name") || v.Field("function").Has("name"):
		return v, fmt.Errorf("this is one tool definition; put it into a list")
	}
	return v, fmt.Errorf("this is an object with the keys %s; %s", firstKeys(v), toolFileForms)
}

func firstKeys(v value.Value) string {
	var keys []string
	for key := range v.Members() {
		if len(keys) == 6 {
			keys = append(keys, "…")
			break
		}
		keys = append(keys, quote(key))
	}
	if len(keys) == 0 {
		return "(none)"
	}
	return strings.Join(keys, ", ")
}

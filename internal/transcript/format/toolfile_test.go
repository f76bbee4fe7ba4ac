package format

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/value"
)

const petAPI = `{"openapi":"3.0.3","info":{"title":"Pets","version":"1"},"servers":[{"url":"/v1"}],
"paths":{
 "/pets/{petId}":{
  "parameters":[{"name":"petId","in":"path","required":true,"schema":{"type":"integer"}},{"name":"verbose","in":"query","schema":{"type":"string"}}],
  "get":{"operationId":"getPet","summary":"Shows a pet","parameters":[{"$ref":"#/components/parameters/Verbose"}],"responses":{"200":{}}},
  "put":{"operationId":"updatePet","description":"Changes a pet","requestBody":{"required":true,"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Pet"}}}}},
  "delete":{"parameters":[{"name":"Authorization","in":"header","schema":{"type":"string"}}]}},
 "/tags":{"post":{"operationId":"addTags","requestBody":{"$ref":"#/components/requestBodies/Tags"}}}},
"components":{
 "parameters":{"Verbose":{"name":"verbose","in":"query","description":"All fields","schema":{"type":"boolean"}}},
 "requestBodies":{"Tags":{"content":{"text/plain":{},"application/json":{"schema":{"type":"array","items":{"type":"string"}}}}}},
 "schemas":{
  "Named":{"type":"object","required":["name"],"properties":{"name":{"type":"string","nullable":true},"id":{"type":"integer","readOnly":true}}},
  "Pet":{"allOf":[{"$ref":"#/components/schemas/Named"},{"type":"object","required":["age"],"properties":{
   "age":{"type":"integer","minimum":0,"exclusiveMinimum":true},"mother":{"$ref":"#/components/schemas/Pet"},"default":{"$ref":"#/components/schemas/Kind"}}}]},
  "Kind":{"type":"string","enum":["cat","dog"],"default":"cat"}}}}`

func TestToolFileOpenAPI(t *testing.T) {
	got := toolFile(t, petAPI)
	pet := `"petId":{"type":"integer"}`
	want := []string{
		`getPet (Shows a pet) {"type":"object","properties":{"verbose":{"type":"boolean","description":"All fields"},` + pet + `},"required":["petId"]}`,
		`updatePet (Changes a pet) {"type":"object","properties":{` + pet + `,"verbose":{"type":"string"},"name":{"type":["string","null"]},` +
			`"age":{"type":"integer","exclusiveMinimum":0},"mother":{},` +
			`"default":{"type":"string","enum":["cat","dog"],"default":"cat"}},"required":["petId","name","age"]}`,
		`delete_pets_petId () {"type":"object","properties":{` + pet + `,"verbose":{"type":"string"}},"required":["petId"]}`,
		`addTags () {"type":"object","properties":{"body":{"type":"array","items":{"type":"string"}}},"required":[]}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func toolFile(t *testing.T, text string) []string {
	t.Helper()
	v, err := value.ParseString(text)
	if err != nil {
		t.Fatal(err)
	}
	tools, repeated, err := ParseToolFile(v)
	if err != nil {
		return []string{"error: " + err.Error()}
	}
	var out []string
	for _, name := range repeated {
		out = append(out, "repeated: "+name)
	}
	for _, tool := range tools {
		out = append(out, tool.Name+" ("+tool.Description+") "+tool.Parameters.JSON())
	}
	return out
}

// TestParametersOfOpenAPI: where an operation may have the schemas of its parameters, and OpenAPI's own keywords.
func TestParametersOfOpenAPI(t *testing.T) {
	for op, want := range map[string]string{
		`{"parameters":[{"name":"a","in":"query","content":{"application/json":{"schema":{"type":"object"}}}}]}`: `get_p ()` +
			` {"type":"object","properties":{"a":{"type":"object"}},"required":[]}`,
		`{"parameters":[{"name":"a","in":"query","schema":{"type":"string","nullable":true,"enum":["x"]}},{"name":"b",` +
			`"in":"query","schema":{"nullable":true}},{"name":"c","in":"query","schema":{"type":"integer","nullable":false}}]}`: `get_p () {"type":"object",` +
			`"properties":{"a":{"type":["string","null"],"enum":["x",null]},"b":{},"c":{"type":"integer"}},"required":[]}`,
		`{"parameters":[{"name":"Accept","in":"header"},{"name":"Accept","in":"query","required":true},{"in":"query"},` +
			`{"name":"x-a","in":"header","description":"D","schema":{"description":"own"}}]}`: `get_p () {"type":"object",` +
			`"properties":{"Accept":null,"x-a":{"description":"own"}},"required":["Accept"]}`,
		`{"requestBody":{"content":{"text/plain":{"schema":{"type":"string"}}}}}`: `get_p () {"type":"object",` +
			`"properties":{},"required":[]}`,
		`{"requestBody":{"required":true,"content":{"*/*":{"schema":{"oneOf":[]}}}}}`: `get_p () {"type":"object",` +
			`"properties":{"body":{"oneOf":[]}},"required":["body"]}`,
		`{"requestBody":{"required":true,"content":{"application/*":{"schema":{"allOf":[{"properties":{"a":{},` +
			`"b":{"readOnly":true}},"required":["a","b"]},{"properties":{"c":{}}}]}}}}}`: `get_p () {"type":"object",` +
			`"properties":{"a":{},"c":{}},"required":["a"]}`,
		`{"requestBody":{"content":{"application/json":{"schema":{"allOf":[{"type":"string"}]}}}}}`: `get_p () ` +
			`{"type":"object","properties":{"body":{"allOf":[{"type":"string"}]}},"required":[]}`,
		`{"requestBody":{"content":{"application/json":{"schema":{"properties":{"n":{"minimum":1,"exclusiveMinimum":true,` +
			`"maximum":5,"exclusiveMaximum":false},"m":{"exclusiveMaximum":true}},"required":["n"]}}}}}`: `get_p () ` +
			`{"type":"object","properties":{"n":{"maximum":5,"exclusiveMinimum":1},"m":{}},"required":[]}`,
		`{"summary":" S ","description":" D "}`: "get_p (S \n D) {\"type\":\"object\",\"properties\":{},\"required\":[]}",
	} {
		got := toolFile(t, `{"openapi":"3.0.0","paths":{"/p":{"get":`+op+`}}}`)
		if len(got) != 1 || got[0] != want {
			t.Errorf("%s:\n got %q\nwant %q", op, got, want)
		}
	}
	got := toolFile(t, `{"openapi":"3.0.0","paths":{"/p/{id}.json":{"get":{"summary":"S"}},"/q":{"$ref":"#/paths/~1p~1%7Bid%7D.json"}}}`)
	if diff := cmp.Diff([]string{`get_p_id_json (S) {"type":"object","properties":{},"required":[]}`,
		`get_q (S) {"type":"object","properties":{},"required":[]}`}, got); diff != "" {
		t.Error(diff)
	}
	d := &openAPI{nodes: maxRefNodes - 1}
	if d.inline(value.OfInt(1), nil); d.err != nil {
		t.Errorf("the last part: %v", d.err)
	}
	d.inline(value.OfInt(1), nil)
	if d.err == nil || d.err.Error() != "the schemas unfold to more than 100000 parts" {
		t.Errorf("one part more: %v", d.err)
	}
}

func TestToolFileForms(t *testing.T) {
	mcp := `{"name":"find","title":"Find","description":"Finds","inputSchema":{"type":"object","properties":{"id":{"type":"integer"}}}}`
	find := `find (Finds) {"type":"object","properties":{"id":{"type":"integer"}}}`
	for text, want := range map[string]string{
		`[` + mcp + `]`:           find,
		`{"tools":[` + mcp + `]}`: find,
		`{"jsonrpc":"2.0","id":1,"result":{"tools":[` + mcp + `]}}`:                    find,
		`{"jsonrpc":"2.0","id":1,"result":{"tools":[` + mcp + `],"nextCursor":"abc"}}`: `error: the reply is one page of several (it has a nextCursor): put the tools of all pages into one list`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32601}}`:                             `error: this is a JSON-RPC error reply: "{\"code\":-32601}"`,
		`[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}]`: `f () {"type":"object"}`,
		mcp:                          `error: this is one tool definition; put it into a list`,
		`[` + mcp + `,{"x":1}]`:      `error: tools[1]: a tool has no name: "{\"x\":1}"`,
		`[]`:                         `error: the list of tools is empty`,
		`7`:                          `error: this is an integer; ` + toolFileForms,
		`{}`:                         `error: this is an object with the keys (none); ` + toolFileForms,
		`{"info":{},"paths":{}}`:     `error: this is an object with the keys "info", "paths"; ` + toolFileForms,
		`{"find":` + mcp + `}`:       `error: this is an object with the keys "find"; ` + toolFileForms,
		`{"swagger":"2.0"}`:          `error: this is a Swagger 2 document: convert it to OpenAPI 3`,
		`{"openapi":"4.0"}`:          `error: this is an OpenAPI document of version "4.0"; version 3 is read`,
		`{"openapi":"3.1.0"}`:        `error: the OpenAPI document has no operation under paths`,
		`{"tools":{"a":{}},"x":"y"}`: `error: this is an object with the keys "tools", "x"; ` + toolFileForms,
		`{"openapi":"3.1.0","paths":{"/a":{"get":{"operationId":"a","parameters":[{"$ref":"x.yaml#/a"}]}}}}`: `error: the reference "x.yaml#/a" leads out of the document: bundle it into one file`,
		`{"openapi":"3.1.0","paths":{"/a":{"$ref":"#/paths/~1a"}}}`:                                          `error: the OpenAPI document has no operation under paths`,
		`{"openapi":"3.1.0","paths":{"/a":{"get":{"operationId":"a","parameters":[{"$ref":"#/b"}]}}}}`:       `error: the reference "#/b" leads nowhere`,
	} {
		if got := toolFile(t, text); len(got) != 1 || got[0] != want {
			t.Errorf("%s:\n got %q\nwant %q", text, got, want)
		}
	}
}

// TestToolFileRepeats: of tools of one name the first counts, and the others are named.
func TestToolFileRepeats(t *testing.T) {
	got := toolFile(t, `[{"name":"f","description":"first","parameters":{"type":"object"}},{"name":"g"},{"name":"f","description":"second"},{"name":"f"}]`)
	want := []string{"repeated: f", "repeated: f", `f (first) {"type":"object"}`, "g () null"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func FuzzToolFile(f *testing.F) {
	f.Add(petAPI)
	f.Add(`{"openapi":"3.0.0","paths":{"/a":{"post":{"requestBody":{"content":{"x/json":{"schema":{"allOf":[{"$ref":"#/paths"}]}}}}}}}}`)
	f.Add(`{"result":{"tools":[{"name":"f","inputSchema":{}}]},"jsonrpc":"2.0"}`)
	f.Fuzz(func(t *testing.T, text string) {
		v, err := value.ParseString(text)
		if err != nil {
			return
		}
		if tools, _, err := ParseToolFile(v); err == nil && len(tools) == 0 {
			t.Fatal("neither a tool nor an error")
		}
	})
}

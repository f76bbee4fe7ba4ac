// MCP JSON-RPC messages.
// Written by: proxies and inspectors between an MCP client and a server, one message a line or a list of
// them. A file is one connection, which is one conversation without texts.
// Read: modelcontextprotocol/go-sdk 1.8.0, versions 2024-11-05 to 2026-07-28; no handshake is needed.
// Lost: messages that are neither calls of a tool nor lists of tools, which are counted.

package format

import (
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

var mcpJSONRPC = format{
	name:   "mcp-jsonrpc",
	mark:   "jsonrpc 2.0",
	detect: of(isRPC),
	read:   (*draft).readRPC,
	parts:  rpcParts,
}

func isRPC(f value.Value) bool {
	return f.Field("jsonrpc").Text() == "2.0" || f.Head().Field("jsonrpc").Text() == "2.0"
}

// rpcParts puts all messages of a file together; a batch contains several.
func rpcParts(v value.Value, add func(part)) {
	if v.IsList() {
		for _, e := range v.Elements() {
			rpcParts(e, add)
		}
		return
	}
	add(part{trace: "connection", text: v.Raw()})
}

// rpc reads the messages of one connection.
type rpc struct {
	*draft
	// asked holds the requests without a response, by id: the call, or -1 for a request that is not a call.
	asked map[string][]int
	// repeated marks calls whose server asked for more input: the client repeats the call.
	repeated map[int]bool
}

func (d *draft) readRPC(list value.Value) error {
	r := rpc{draft: d, asked: map[string][]int{}, repeated: map[int]bool{}}
	for i, v := range list.Elements() {
		at := d.place("messages", i)
		switch method := v.Field("method").Text(); {
		case method == "tools/call" && v.Has("id"):
			r.request(v, at)
		case method != "":
			if v.Has("id") {
				r.ask(v, -1)
			}
			if method != "tools/list" {
				d.drop(method)
			}
		default:
			r.response(v, at)
		}
	}
	return nil
}

func (r *rpc) ask(v value.Value, call int) {
	id := v.Field("id").JSON()
	r.asked[id] = append(r.asked[id], call)
}

// request reads a tools/call. A call that answers its server's question is the same call.
func (r *rpc) request(v value.Value, at string) {
	params := v.Field("params")
	name, args := params.Field("name").Text(), params.Field("arguments")
	if params.HasAny("inputResponses", "requestState") {
		for i := range r.Calls {
			if r.repeated[i] && r.Calls[i].Name == name {
				delete(r.repeated, i)
				r.ask(v, i)
				return
			}
		}
	}
	if args.IsNull() {
		args = value.OfObject() // arguments are optional
	}
	c := transcript.Call{Place: at, ID: v.Field("id").Text(), Name: name}
	r.arguments(&c, args, true)
	r.ask(v, len(r.Calls))
	r.call(r.message(transcript.Message{Role: transcript.Assistant}, at), c)
}

// response reads the reply to a request: the result of a call, or a list of tools.
func (r *rpc) response(v value.Value, at string) {
	result, failure := v.Field("result"), v.Field("error")
	if tools := result.Field("tools"); tools.IsList() {
		r.taken(v, -1)
		r.moreTools(tools)
		return
	}
	isResult := !failure.IsNull() || result.HasAny("content", "structuredContent", "isError", "resultType")
	call := r.taken(v, b2i(isResult)-1)
	switch kind := result.Field("resultType").Text(); {
	case call >= 0 && kind != "" && kind != "complete":
		r.repeated[call] = true
		r.drop("request of input")
		return
	case call < 0 && !isResult:
		r.drop("response of no tool")
		return
	case call < 0 && r.others(v):
		r.drop("response of no tool")
		return
	}
	m := transcript.Message{}
	if call >= 0 {
		m.ResultID, m.ToolName = r.Calls[call].ID, r.Calls[call].Name
	}
	content := result.Field("content")
	if !failure.IsNull() {
		m.IsError, content = true, failure
		m.Extra = value.Pairs("jsonrpc_error", failure.Field("code"))
	} else {
		readFlag(&m, result.Field("isError"))
	}
	i := r.result(m, content, at)
	if structured := result.Field("structuredContent"); !structured.IsNull() {
		r.Messages[i].Output = structured
		r.Messages[i].Extra = r.Messages[i].Extra.With("structured_content", structured)
	}
}

// others reports whether a response answers a request that was not a call.
func (r *rpc) others(v value.Value) bool {
	id := v.Field("id").JSON()
	waiting := r.asked[id]
	r.asked[id] = waiting[min(1, len(waiting)):]
	return len(waiting) > 0
}

// taken returns the call that a response answers; -1 if none. kind is -1 if the response
// cannot be a call's: client and server number their requests separately.
func (r *rpc) taken(v value.Value, kind int) int {
	id := v.Field("id").JSON()
	for i, call := range r.asked[id] {
		if call < 0 == (kind < 0) {
			r.asked[id] = append(r.asked[id][:i:i], r.asked[id][i+1:]...)
			return call
		}
	}
	return -1
}

package format

import "github.com/judgekit/judge/internal/value"

var requestResponse = format{
	name:   "request-response",
	mark:   "a request and its response",
	detect: loosely(of(isExchange)),
	read:   (*draft).readExchanges,
	parts:  exchangeParts,
}

// isExchange reports whether a record contains a request to a model and its response.
func isExchange(f value.Value) bool {
	request, reply := exchangeSides(f)
	if f.Has("messages") && !f.Field("response").HasAny("choices", "candidates", "content", "output", "message") {
		return false // with messages, the rest of the record is not a model's reply
	}
	if request.IsNull() || reply.IsNull() {
		return false
	}
	prompt, _ := found(request, promptPaths...)
	answer, _ := found(reply, replyPaths...)
	return !prompt.IsNull() && (!answer.IsNull() || reply.Kind() == value.String || isStream(reply) || looksLikeMessages(reply))
}

// exchangeSides returns the request and the response of a record; null if they are missing.
func exchangeSides(v value.Value) (request, reply value.Value) {
	reply, _ = v.First("response", "output", "outputs", "completion", "reply", "result")
	request, _ = v.First("request", "input", "inputs", "req", "kwargs", "prompt", "query")
	request, reply = request.Decoded(), reply.Decoded()
	request, reply = request.Inside("body"), reply.Inside("body")
	if prompt, _ := found(request, promptPaths...); prompt.IsNull() && v.Has("messages") {
		request = v // LiteLLM and OpenHands keep the messages beside the response
	} else {
		request = under("input", request)
	}
	if answer := v.Field("output"); answer.Kind() == value.Object && reply.Len() == answer.Len() {
		reply = value.Pairs("output", answer).With("message", answer.Field("message"))
		if reply.Field("message").IsNull() {
			reply = answer
		}
	}
	return request, reply
}

// exchangeParts groups requests by their trace, if they have one: the next request of a trace
// repeats the conversation so far.
func exchangeParts(v value.Value, add func(part)) {
	trace := v.FirstText(rowKeys...)
	add(part{conversation: trace, alone: trace == "", text: v.Raw()})
}

// readExchanges reads requests and their responses: LiteLLM's standard logging payload
// ({messages, response, model_parameters, trace_id}; documentation of October 2026), {request,
// response} and {input, output}. Lost: replies beyond the first choice.
func (d *draft) readExchanges(list value.Value) error {
	v := list.Head()
	d.ID = v.FirstText(conversationKeys...)
	if list.Len() > 1 {
		d.ID = v.FirstText(rowKeys...)
	}
	d.labels(v.Field("labels"))
	d.Extra = foreign(v, "id", "request", "response", "messages", "input", "output", "tools", "labels")
	if tools, _ := found(v, toolPaths...); !tools.IsNull() {
		d.useTools(tools)
	}
	return d.exchanges(list, func(one *draft, e value.Value) error {
		request, reply := exchangeSides(e)
		return one.exchange(request, reply)
	})
}

package format

import "github.com/judgekit/judge/internal/value"

var gemini = format{
	name: "gemini",
	mark: "contents or candidates",
	bare: geminiContent,
	detect: func(p *probe) confidence {
		if areGeminiChunks(p.records) {
			return no
		}
		return max(listOf(geminiContent)(p), of(func(f value.Value) bool {
			contents := f.Field("contents")
			return contents.IsList() && (contents.Len() == 0 || contents.Head().Has("parts")) || f.Field("candidates").IsList()
		})(p))
	},
	read: (*draft).readGemini,
}

func geminiContent(m value.Value) bool {
	part := m.Field("parts").Head()
	return m.Field("parts").IsList() && !part.Has("type") && !part.Has("part_kind") &&
		part.HasAny("text", "functionCall", "function_call", "functionResponse", "function_response", "inlineData")
}

// readGemini reads requests and replies of the Gemini API (generateContent, v1beta of 2026; google-genai 1.x
// writes the same with snake_case keys): {contents, systemInstruction, tools}, {candidates}, and a bare list of
// contents. Lost: thought signatures, safety ratings, candidates beyond the first.
func (d *draft) readGemini(v value.Value) error {
	if v.IsList() {
		return d.messageList(v, "")
	}
	d.ID = v.FirstText(conversationKeys...)
	d.Extra = foreign(v, "contents", "candidates", "systemInstruction", "system_instruction", "tools", "id",
		"config", "request", "response")
	return d.exchange(v, v.Inside("response"))
}

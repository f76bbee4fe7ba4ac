// Anthropic's Messages.
//
// Written by: clients of the Messages API: {system, tools, messages} with content blocks.
// Read: anthropic-sdk-go v1.84 (2026), with server tools and MCP blocks.
// Lost: signatures of thinking; images and documents are kept as parts without their bytes.

package format

import (
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// readAnthropic reads a record of Anthropic messages: {system, tools, messages} and
// the further keys of native records.
func (d *draft) readAnthropic(v value.Value) error {
	if system := v.Field("system"); !system.IsNull() {
		d.messageOf(transcript.System, system, "system")
		v = v.Without("system")
	}
	return d.readChat(v)
}

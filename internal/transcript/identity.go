package transcript

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"strconv"

	"github.com/judgekit/judge/internal/value"
)

// The canonical form of a conversation is one line of JSON for each part, in this
// order: tools, messages, calls, the reference, labels, sample, extra. Its SHA-256
// is the content hash. It does not depend on the id, the file, the format, the
// notes, or on how a result was found; numbers that are equal and keys in another
// order count as the same, except in the texts of arguments, which count as
// written.

// hashVersion is part of every hash: a new canonical form is a new identity.
const hashVersion = "transcript/v1"

// ContentHash returns the hex SHA-256 of the conversation's content. Two logs of
// the same conversation have the same hash, also after WriteNative.
func (c *Conversation) ContentHash() string {
	b := append([]byte(hashVersion), '\n')
	b = c.canonicalTools(b)
	ordinals := c.ordinals()
	for i := range c.Messages {
		b = c.canonicalMessage(b, i, ordinals)
	}
	b = c.canonicalReference(b)
	b = canonical(append(b, "sample "...), c.Sample)
	b = canonical(append(b, "\nextra "...), c.Extra)
	return sum(b)
}

// CallHashes returns, for each call, the hex SHA-256 of what a judge of the call may
// see: the tools, everything before the call, and the message that makes it with
// all its calls. It is the identity of a call across files. A call that was only
// proposed is identified by itself.
func (c *Conversation) CallHashes() []string {
	out := make([]string, len(c.Calls))
	h := sha256.New()
	b := c.canonicalTools(append([]byte(hashVersion), '\n'))
	ordinals := c.ordinals()
	for i := range c.Messages {
		b = c.canonicalMessage(b, i, ordinals)
		if len(c.Messages[i].Calls) == 0 {
			continue
		}
		h.Write(b)
		b = b[:0]
		for _, k := range c.Messages[i].Calls {
			if c.Calls[k].Proposed {
				out[k] = sum(c.canonicalCall(nil, k))
				continue
			}
			out[k] = sumBehind(h, strconv.AppendInt([]byte("call "), int64(ordinals[k]), 10))
		}
	}
	return out
}

// sumBehind returns the sum of what was written to h and of tail, and leaves h as
// it was.
func sumBehind(h hash.Hash, tail []byte) string {
	// The standard library's SHA-256 is a hash.Cloner, whose Clone does not fail.
	clone, err := h.(hash.Cloner).Clone()
	if err != nil {
		return ""
	}
	clone.Write(tail)
	return hex.EncodeToString(clone.Sum(nil))
}

// ordinals numbers the calls that were made: calls that are only proposed do not
// count, since reading with them or without them is no other content.
func (c *Conversation) ordinals() []int {
	n := 0
	out := make([]int, len(c.Calls))
	for i := range c.Calls {
		out[i] = n
		n += b2i(!c.Calls[i].Proposed)
	}
	return out
}

// sum returns the hex SHA-256 of b.
func sum(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

func canonical(b []byte, v value.Value) []byte {
	return value.AppendJSON(b, v, value.Format{SortKeys: true, ExactNumbers: true})
}

func (c *Conversation) canonicalTools(b []byte) []byte {
	for i := range c.Tools {
		b = append(canonical(append(b, "tool "...), c.Tools[i].Raw), '\n')
	}
	return b
}

func (c *Conversation) canonicalMessage(b []byte, i int, ordinals []int) []byte {
	m := &c.Messages[i]
	b = value.AppendQuoted(b, string(m.Role))
	b = strconv.AppendBool(append(b, ' '), m.HasContent)
	if m.Parts.IsNull() {
		b = value.AppendQuoted(b, m.Content)
	} else {
		b = canonical(b, m.Parts)
	}
	b = value.AppendQuoted(b, m.Reasoning)
	b = value.AppendQuoted(b, m.ToolName)
	b = value.AppendQuoted(b, m.ResultID)
	b = strconv.AppendBool(b, m.IsError)
	if m.Result >= 0 {
		b = strconv.AppendInt(append(b, ' '), int64(ordinals[m.Result]), 10)
	}
	b = append(canonical(append(b, ' '), m.Extra), '\n')
	for _, k := range m.Calls {
		if !c.Calls[k].Proposed {
			b = c.canonicalCall(b, k)
		}
	}
	return b
}

func (c *Conversation) canonicalCall(b []byte, i int) []byte {
	call := &c.Calls[i]
	b = value.AppendQuoted(append(b, "call "...), call.ID)
	b = value.AppendQuoted(b, call.Name)
	b = value.AppendQuoted(b, call.RawArguments)
	b = value.AppendQuoted(b, call.Executor)
	for _, flag := range []bool{call.Malformed, call.Literal, call.Custom, call.Context} {
		b = strconv.AppendInt(b, int64(b2i(flag)), 10)
	}
	return append(canonical(append(b, ' '), call.Arguments), '\n')
}

func (c *Conversation) canonicalReference(b []byte) []byte {
	if c.Expected != nil {
		// Known calls, even none of them, are a reference; unknown ones are not.
		if c.Expected.Calls != nil {
			b = append(b, "expected\n"...)
		}
		for i := range c.Expected.Calls {
			e := &c.Expected.Calls[i]
			b = value.AppendQuoted(b, e.Name)
			b = value.AppendQuoted(b, e.Requestor)
			for _, name := range e.Compare {
				b = value.AppendQuoted(append(b, ','), name)
			}
			b = strconv.AppendBool(b, e.Compare == nil)
			if !e.Allowed.IsNull() {
				b = canonical(append(b, " allowed "...), e.Allowed)
			}
			b = append(canonical(append(b, ' '), e.Arguments), '\n')
		}
		for _, o := range c.Expected.Outputs {
			b = append(value.AppendQuoted(append(b, "output "...), o), '\n')
		}
	}
	for _, l := range c.Labels {
		b = value.AppendQuoted(append(b, "label "...), l.Name)
		b = strconv.AppendInt(append(b, ' '), int64(l.CallIndex), 10)
		b = strconv.AppendFloat(append(b, ' '), l.Value, 'g', -1, 64)
		b = append(value.AppendQuoted(append(b, ' '), l.Text), '\n')
	}
	return b
}

package transcript

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"github.com/judgekit/judge/internal/value"
)

// hashVersion is part of every hash: if the canonical form changes, all hashes must change.
const hashVersion = "transcript/v2\n"

// Hashes returns hex SHA-256 hashes that identify the conversation and its calls across files. They cover the
// native form as lines of canonical JSON: the tools, the messages, and the reference with the labels and all
// other keys. They do not depend on the id, the file, the format, the notes, or how a result was found. Equal
// numbers, and keys in another order, give the same hash, except in the texts of arguments, which are hashed as
// written. Two logs of the same conversation have the same hashes, also after WriteNative.
//
// The hash of a call covers what a judge of the call may see: the tools, everything before the call, and the
// call's message with all its calls. A call that was only proposed is hashed alone.
func (c *Conversation) Hashes() (content string, calls []string) {
	h := sha256.New()
	h.Write([]byte(hashVersion))
	var line []byte
	write := func(v value.Value) {
		line = append(canonical(line[:0], v), '\n')
		h.Write(line)
	}
	for i := range c.Tools {
		write(c.Tools[i].Raw)
	}
	calls = make([]string, len(c.Calls))
	made := 0
	for i := range c.Messages {
		m := &c.Messages[i]
		write(c.nativeMessage(m))
		for _, k := range m.Calls {
			if c.Calls[k].Proposed {
				calls[k] = Digest(canonical(nil, nativeCall(&c.Calls[k])))
				continue
			}
			made++
			calls[k] = Digest(strconv.AppendInt(h.Sum(nil), int64(made), 10))
		}
	}
	write(value.OfObject(c.nativeRest()...))
	return hex.EncodeToString(h.Sum(nil)), calls
}

func Digest(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

func canonical(b []byte, v value.Value) []byte {
	return value.AppendJSON(b, v, value.Format{SortKeys: true, ExactNumbers: true})
}

// Package logs reads logs of agent conversations: the thin public face of the
// reader that the judge command uses.
//
// It promises that every conversation and every tool call of a log comes out
// exactly once and in order; that arguments are kept as they were written and
// decoded, with all digits; that one bad record costs only itself; and that memory
// grows with the largest conversation, not with the log. The format is detected
// and may be compressed; Formats lists what can be read.
package logs

import (
	"context"
	"errors"
	"io"
	"iter"
	"os"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/transcript/format"
	"github.com/judgekit/judge/internal/value"
)

// The parts of a conversation.
type (
	// Conversation is one logged conversation.
	Conversation = transcript.Conversation
	// Message is one message of a conversation.
	Message = transcript.Message
	// Call is one tool call with its result.
	Call = transcript.Call
	// Tool is one entry of the agent's tool inventory.
	Tool = transcript.Tool
	// Expected holds the calls and the answers of the reference.
	Expected = transcript.Expected
	// ExpectedCall is one call of the reference.
	ExpectedCall = transcript.ExpectedCall
	// Label is an outcome known from elsewhere.
	Label = transcript.Label
	// Note is one oddity of a log.
	Note = transcript.Note
	// Source says where a conversation is.
	Source = transcript.Source
	// Problem is a record that could not be read; reading goes on after it.
	Problem = transcript.Problem
	// FormatError says that a file as a whole cannot be read.
	FormatError = transcript.FormatError
	// Options says how a log is read.
	Options = format.Options
	// IDs makes ids unique across several logs.
	IDs = format.IDs
	// Value is a JSON value that keeps digits and the order of keys.
	Value = value.Value
)

// Formats returns the names of the formats that can be read.
func Formats() []string { return format.Formats() }

// Read iterates over the conversations of the log r. name is used in places and in
// made-up ids. A record that cannot be read comes as a *Problem in place of a
// conversation, and the iteration goes on; any other error is the last.
func Read(name string, r io.Reader) iter.Seq2[*Conversation, error] {
	return ReadWith(context.Background(), name, r, Options{})
}

// ReadWith is Read with options, until ctx is done.
func ReadWith(ctx context.Context, name string, r io.Reader, opts Options) iter.Seq2[*Conversation, error] {
	return format.Open(ctx, name, r, opts).All()
}

// Open iterates over the conversations of several files, one after the other, with
// ids that are unique among them. A file that cannot be opened or read to its end
// is an error other than a *Problem; the iteration goes on with the next file.
func Open(paths ...string) iter.Seq2[*Conversation, error] {
	return func(yield func(*Conversation, error) bool) {
		opts := Options{IDs: &IDs{}}
		for _, path := range paths {
			if !readFile(path, opts, yield) {
				return
			}
		}
	}
}

// readFile yields the conversations of one file and reports whether the iteration goes on.
func readFile(path string, opts Options, yield func(*Conversation, error) bool) bool {
	in, err := os.Open(path)
	if err != nil {
		return yield(nil, err)
	}
	defer in.Close()
	for c, err := range ReadWith(context.Background(), path, in, opts) {
		if !yield(c, err) {
			return false
		}
	}
	return true
}

// WriteNative writes a conversation as one line of the native format.
func WriteNative(w io.Writer, c *Conversation) error { return transcript.WriteNative(w, c) }

// IsProblem reports whether err is a single record that could not be read, so that
// there may be more after it.
func IsProblem(err error) bool {
	var p *Problem
	return errors.As(err, &p)
}

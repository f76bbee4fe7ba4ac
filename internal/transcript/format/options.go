package format

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/transcript/container"
)

// defaultMaxConversationBytes is the limit of one conversation's JSON.
const defaultMaxConversationBytes = 64 << 20

// Options says how a log is read. The zero Options is right for most logs.
type Options struct {
	// Format holds one of Formats, "" to detect it.
	Format string
	// Map says where the records keep what a conversation is made of, instead of a format;
	// nil for a known format.
	Map *Mapping
	// MaxConversationBytes limits the JSON of one conversation; a longer one is a
	// Problem and reading goes on after it. 0 means 64 MiB.
	MaxConversationBytes int
	// Tools is the inventory of conversations whose log holds none.
	Tools []transcript.Tool
	// TextCalls makes calls of what the agent wrote as text, and results of what follows
	// as "API output:" or "Observation:". Calls without a result have Proposed set.
	// Without it messages that look like calls are only noted (CallInText).
	TextCalls bool
	// Gold holds the replayed outcomes of a τ-bench file, line k for element k (see
	// tauGold); nil if there are none.
	Gold io.Reader
	// IDs makes ids unique across the files of a run; nil for this file only.
	IDs *IDs
	// Parallel says how many goroutines decode; 0 and 1 mean none beside the caller.
	// The order and the result are the same.
	Parallel int
}

// containerOptions says how files are opened whose conversations have at most limit bytes, 0 for
// the default.
func containerOptions(limit int) container.Options {
	return container.Options{Limit: cmp.Or(limit, defaultMaxConversationBytes), Column: isColumn, Forms: []container.Form{
		{Name: "otlp-proto", Is: isExport, Open: openExport},
		{Name: "otlp-proto", Is: isSized, Open: openSized},
		{Name: eventStream.name, Is: isEventStream, Open: openEventStream},
		{Name: "zip", Magic: "PK\x03\x04", Open: openEval},
	}}
}

// isColumn reports whether a reader knows the name of a column of a table.
func isColumn(name string) bool {
	known := slices.Concat(messagePaths, roleKeys, contentKeys[:3], rowQuestions, rowAnswers, rowTruths,
		[]string{"request", "inputs", "trace", "tools", "spans", "context.trace_id"})
	return slices.ContainsFunc(known, func(k string) bool { return strings.EqualFold(name, k) })
}

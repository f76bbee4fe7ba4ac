package format

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/transcript/container"
)

// defaultMaxConversationBytes is the default limit for one conversation's JSON.
const defaultMaxConversationBytes = 64 << 20

// Options says how to read a log. The zero Options fits most logs.
type Options struct {
	// Format is a name in Formats; "" means to detect it.
	Format string
	// Map says where the parts of a conversation are in a record, instead of a format; nil for a known format.
	Map *Mapping
	// MaxConversationBytes limits the JSON of one conversation. A longer one is a Problem, and
	// reading goes on after it. 0 means 64 MiB.
	MaxConversationBytes int
	// Tools is the inventory for conversations whose log has none.
	Tools []transcript.Tool
	// TextCalls turns what the agent wrote as text into calls, and a following "API output:" or
	// "Observation:" into results. Calls without a result have Proposed set. If it is not set,
	// messages that look like calls are only noted (CallInText).
	TextCalls bool
	// Gold reads the replayed outcomes of a τ-bench file, line k for element k (see tauGold); nil if none.
	Gold io.Reader
	// IDs makes ids unique across the files of a run; nil means only within this file.
	IDs *IDs
	// Parallel is the number of goroutines that decode; with 0 and 1 the caller decodes. Order and
	// result do not depend on it.
	Parallel int
}

// containerOptions returns the options for opening files whose conversations have at most limit
// bytes, 0 for the default.
func containerOptions(limit int) container.Options {
	return container.Options{Limit: cmp.Or(limit, defaultMaxConversationBytes), Column: isColumn, Forms: []container.Form{
		{Name: "otlp-proto", Is: isExport, Open: openExport},
		{Name: "otlp-proto", Is: isSized, Open: openSized},
		{Name: eventStream.name, Is: isEventStream, Open: openEventStream},
		{Name: "zip", Magic: "PK\x03\x04", Open: openEval},
	}}
}

// isColumn reports whether a reader knows a column with this name.
func isColumn(name string) bool {
	known := slices.Concat(messagePaths, roleKeys, contentKeys[:3], rowQuestions, rowAnswers, rowTruths,
		[]string{"request", "inputs", "trace", "tools", "spans", "context.trace_id"})
	return slices.ContainsFunc(known, func(k string) bool { return strings.EqualFold(name, k) })
}

package format

import (
	"github.com/judgekit/judge/internal/transcript/container"
	"github.com/judgekit/judge/internal/value"
)

var tempo = format{
	name:   "tempo",
	mark:   "batches of spans",
	detect: of(isTempo),
	read:   (*draft).readSpans,
	parts:  otlpParts,
	in:     container.Layout{List: "batches", Lines: true},
}

func isTempo(f value.Value) bool {
	list := f.Field("batches")
	b := list.Head()
	return list.IsList() && (b.IsNull() || b.HasAny("resource", "scopeSpans", "instrumentationLibrarySpans"))
}

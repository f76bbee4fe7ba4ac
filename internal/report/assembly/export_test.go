package assembly

import (
	"github.com/judgekit/judge/internal/report"
)

// BuildTable is Build with every score at hand.
func BuildTable(in report.Inputs, cfg Config) (*report.Report, error) {
	return buildTable(in, cfg.withDefaults(), nil)
}

// NewChunkedBuilder is NewBuilder that adds up after so many scores.
func NewChunkedBuilder(m *report.Manifest, cfg Config, limit int) *Builder {
	return newBuilder(m, cfg, limit)
}

package report

// BuildTable is Build with every score at hand.
func BuildTable(in Inputs, cfg Config) (*Report, error) {
	return buildTable(in, cfg.withDefaults(), nil)
}

// NewChunkedBuilder is NewBuilder that adds up after so many scores.
func NewChunkedBuilder(m *Manifest, cfg Config, limit int) *Builder { return newBuilder(m, cfg, limit) }

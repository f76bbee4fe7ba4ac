package report

// NewChunkedBuilder is NewBuilder that adds up after so many scores.
func NewChunkedBuilder(m *Manifest, cfg Config, limit int) *Builder { return newBuilder(m, cfg, limit) }

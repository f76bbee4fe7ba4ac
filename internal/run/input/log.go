package input

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"runtime"

	"golang.org/x/sync/errgroup"
)

// Log is one input file.
type Log struct {
	// Name is the path as the user gave it.
	Name string
	// Open opens it from its beginning; a run reads a log more than once.
	Open func() (io.ReadCloser, error)
	// Gold opens the replayed outcomes that stand beside a τ-bench file; nil where
	// there are none.
	Gold func() (io.ReadCloser, error)
}

// Hash returns the hex SHA-256 of every log's bytes.
func Hash(logs []Log) ([]string, error) {
	sums := make([]string, len(logs))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, log := range logs {
		g.Go(func() error {
			sum, err := hashOne(log)
			sums[i] = sum
			return err
		})
	}
	return sums, g.Wait()
}

func hashOne(log Log) (sum string, err error) {
	f, err := log.Open()
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("read %s: %w", log.Name, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

package run

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/judgekit/judge/internal/value"
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

// hashLogs returns the hex SHA-256 of every log's bytes.
func hashLogs(logs []Log) ([]string, error) {
	sums := make([]string, len(logs))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, log := range logs {
		g.Go(func() error {
			sum, err := hashLog(log)
			sums[i] = sum
			return err
		})
	}
	return sums, g.Wait()
}

func hashLog(log Log) (sum string, err error) {
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

// digest returns the hex SHA-256 of a value's canonical text.
func digest(v value.Value) string {
	sum := sha256.Sum256([]byte(v.Canonical()))
	return hex.EncodeToString(sum[:])
}

// derive returns a secret that follows from the run's identity and a purpose: the
// same run has the same one whenever and wherever it is run.
func derive(identity, purpose string) []byte {
	sum := sha256.Sum256([]byte("judge/" + purpose + "/" + identity))
	return sum[:]
}

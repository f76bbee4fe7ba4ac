package run

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/judgekit/judge/internal/value"
)

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

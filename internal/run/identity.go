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

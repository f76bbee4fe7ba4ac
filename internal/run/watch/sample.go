package watch

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Share is a part of all conversations, above 0 and at most 1.
type Share float64

// ParseShare parses "10%" or 0.1.
func ParseShare(text string) (Share, error) {
	digits, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	x, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	if percent {
		x /= 100
	}
	if err != nil || !(x > 0 && x <= 1) {
		return 0, fmt.Errorf("%q: want a share such as 10%%, above 0 and at most 100%%", text)
	}
	return Share(x), nil
}

// Holds reports whether a conversation is in the sample. It depends only on the name: a
// conversation stays in the sample however it grows, and a larger share contains the smaller one.
func (s Share) Holds(name string) bool { return fraction("sample\x00"+name) < float64(s) }

// fraction maps texts to numbers in 0..1, evenly spread.
func fraction(text string) float64 {
	sum := sha256.Sum256([]byte(text))
	return float64(binary.BigEndian.Uint64(sum[:])) / math.MaxUint64
}

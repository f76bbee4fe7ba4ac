package rubrics

import "github.com/judgekit/judge/internal/value"

// Source returns the stored record on one line of compact JSON, keys in the
// file's order: what SHA is the digest of.
func (r *Rubric) Source() string {
	v, err := value.Parse(r.raw)
	if err != nil {
		return ""
	}
	return v.JSON()
}

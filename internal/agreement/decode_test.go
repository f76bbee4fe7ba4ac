package agreement

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/truth"
)

// number is a JSON number, boolean (0 or 1) or null (missing).
type number float64

func (x *number) UnmarshalJSON(raw []byte) error {
	switch s := string(raw); s {
	case "null":
		*x = number(math.NaN())
	case "true":
		*x = 1
	case "false":
		*x = 0
	default:
		var v float64
		if err := json.Unmarshal(raw, &v); err != nil {
			return fmt.Errorf("%.40s is not a number, boolean or null", s)
		}
		*x = number(v)
	}
	return nil
}

// column is a JSON list of numbers in which null is missing.
type column []float64

func (c *column) UnmarshalJSON(raw []byte) error {
	var v []number
	if err := json.Unmarshal(raw, &v); err != nil {
		return err
	}
	*c = make(column, len(v))
	for i, x := range v {
		(*c)[i] = float64(x)
	}
	return nil
}

// names is a list of cluster or stratum names; numbers and booleans count by
// their text.
type names []string

func (n *names) UnmarshalJSON(raw []byte) error {
	var v []json.RawMessage
	if err := json.Unmarshal(raw, &v); err != nil {
		return err
	}
	*n = make(names, len(v))
	for i, r := range v {
		var s string
		if err := json.Unmarshal(r, &s); err != nil || len(r) == 0 || r[0] != '"' {
			s = string(r)
		}
		(*n)[i] = s
	}
	return nil
}

// ids numbers the names; no names are nil, which takes each item by itself.
func (n names) ids() []int {
	if n == nil {
		return nil
	}
	return stat.ClusterIDs(n)
}

// seed is an unsigned 64-bit number, written as a number or, since it may exceed
// 2⁵³, as a decimal string.
type seed uint64

func (s *seed) UnmarshalJSON(raw []byte) error {
	text := string(raw)
	if len(text) > 1 && text[0] == '"' {
		text = text[1 : len(text)-1]
	}
	v, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return fmt.Errorf("seed %.40s is not a whole number below 2^64", raw)
	}
	*s = seed(v)
	return nil
}

// count is a whole number; 3.0 is one too.
type count int

func (c *count) UnmarshalJSON(raw []byte) error {
	var v float64
	if err := json.Unmarshal(raw, &v); err != nil || v != math.Trunc(v) || math.Abs(v) > 1e15 {
		return fmt.Errorf("%.40s is not a whole number", raw)
	}
	*c = count(v)
	return nil
}

// lambda is a number or "auto".
type lambda float64

func (l *lambda) UnmarshalJSON(raw []byte) error {
	if string(raw) == `"auto"` {
		*l = truth.AutoLambda
		return nil
	}
	var v float64
	if err := json.Unmarshal(raw, &v); err != nil || v < 0 {
		return fmt.Errorf(`lambda %.40s is neither a number >= 0 nor "auto"`, raw)
	}
	*l = lambda(v)
	return nil
}

// label is a category: a number, or a text that is replaced by its position.
type label struct {
	number float64
	text   string
	isText bool
}

func (l *label) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '"' {
		l.isText = true
		return json.Unmarshal(raw, &l.text)
	}
	var x number
	err := json.Unmarshal(raw, &x)
	l.number = float64(x)
	return err
}

// coder maps labels to numbers: themselves, or their position when any declared
// label is a text.
type coder struct {
	labels []label
	text   bool
	at     map[label]int
}

func newCoder(labels []label) coder {
	c := coder{labels: labels, at: make(map[label]int, len(labels))}
	for i, l := range labels {
		c.text = c.text || l.isText
		c.at[l] = i
	}
	return c
}

// scale returns the declared scale as numbers.
func (c coder) scale() []float64 {
	out := make([]float64, len(c.labels))
	for i, l := range c.labels {
		out[i] = l.number
		if c.text {
			out[i] = float64(i)
		}
	}
	return out
}

func (c coder) code(v []label) ([]float64, error) {
	out := make([]float64, len(v))
	for i, l := range v {
		switch {
		case !l.isText && (math.IsNaN(l.number) || !c.text):
			out[i] = l.number
		default:
			k, ok := c.at[l]
			if !ok {
				return nil, fmt.Errorf("item %d: %q is not a declared category", i+1, l.text)
			}
			out[i] = float64(k)
		}
	}
	return out, nil
}

// decode reads input and params into one struct; params may be absent.
func decode(input, params json.RawMessage, in, par any) error {
	if err := json.Unmarshal(input, in); err != nil {
		return fmt.Errorf("input: %w", err)
	}
	if par == nil || len(params) == 0 {
		return nil
	}
	if err := json.Unmarshal(params, par); err != nil {
		return fmt.Errorf("params: %w", err)
	}
	return nil
}

// alphaParam is the common parameter.
type alphaParam struct {
	Alpha *float64 `json:"alpha"`
}

func (p alphaParam) alpha() float64 {
	if p.Alpha == nil {
		return 0.05
	}
	return *p.Alpha
}

func orDefault(v *float64, fallback float64) float64 {
	if v == nil {
		return fallback
	}
	return *v
}

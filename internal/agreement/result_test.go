package agreement

import (
	"bytes"
	"encoding/json"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/stat"
)

// Field is one named output.
type Field struct {
	Key   string
	Value any // Opt, int, bool, string, slices of these, or Result
}

// Result is a JSON object that keeps the order of its fields. Numbers in it are
// finite; undefined ones are null.
type Result []Field

// Get returns the value of a field, nil when there is none.
func (r Result) Get(key string) any {
	for _, f := range r {
		if f.Key == key {
			return f.Value
		}
	}
	return nil
}

// MarshalJSON writes the fields in order.
func (r Result) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, f := range r {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := json.Marshal(f.Key)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(plain(f.Value))
		if err != nil {
			return nil, err
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// plain turns values that may be undefined into numbers and nulls.
func plain(v any) any {
	switch v := v.(type) {
	case stat.Opt:
		return v.Pointer()
	case []stat.Opt:
		return plainAll(v)
	case [][]stat.Opt:
		return plainAll(v)
	case [][][]stat.Opt:
		return plainAll(v)
	}
	return v
}

func plainAll[T any](list []T) []any {
	out := make([]any, len(list))
	for i, v := range list {
		out[i] = plain(v)
	}
	return out
}

// interval adds the two ends of an interval.
func (r Result) interval(low, high string, iv stat.Interval) Result {
	return append(r, Field{low, iv.Low}, Field{high, iv.High})
}

// jackknifed adds the standard error and the interval by cluster.
func (r Result) jackknifed(j interval.Jackknifed) Result {
	return append(r, Field{"cluster_se", j.SE}).interval("cluster_low", "cluster_high", j.CI)
}

// opts turns plain numbers into values that are checked to be finite.
func opts(v []float64) []stat.Opt {
	out := make([]stat.Opt, len(v))
	for i, x := range v {
		out[i] = stat.Some(x)
	}
	return out
}

// optRows is opts for rows; a nil row is undefined in every place.
func optRows(rows [][]float64, width int) [][]stat.Opt {
	out := make([][]stat.Opt, len(rows))
	for i, row := range rows {
		out[i] = opts(row)
		if row == nil {
			out[i] = make([]stat.Opt, width)
		}
	}
	return out
}

// list makes an empty list of a nil one, which JSON would write as null.
func list[T any](v []T) []T {
	if v == nil {
		return []T{}
	}
	return v
}

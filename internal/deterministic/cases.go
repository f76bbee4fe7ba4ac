package deterministic

import (
	"errors"
	"fmt"
	"slices"

	"github.com/judgekit/judge/internal/value"
)

// cases scores case lines and remembers the scorers that they ask for. The zero
// cases is ready; it is safe for concurrent use.
type cases struct{ scorers cache[madeScorer] }

type madeScorer struct {
	scorer Scorer
	err    error
}

// score appends the answer to a case line, {"id", "scorer", "config", "actual", "expected",
// "tools", "sample"}: {"id","result":{…}} or {"id","error":{"kind","message"}} without a
// line feed. The error means that the line is no case.
func (c *cases) score(dst []byte, p *value.Parser, line []byte) ([]byte, error) {
	v, err := p.Parse(line)
	if err != nil {
		return dst, err
	}
	if v.Kind() != value.Object {
		return dst, fmt.Errorf("is a %s, not an object", v.Kind())
	}
	name, ok := v.Field("scorer").Str()
	if !ok {
		return dst, errors.New("scorer: is missing, must be the name of a scorer")
	}
	dst = append(dst, `{"id":`...)
	dst = value.AppendJSON(dst, v.Field("id"), value.Format{})
	result, err := c.run(name, v)
	if err != nil {
		return appendError(dst, err), nil
	}
	dst = append(dst, `,"result":`...)
	dst = value.AppendJSON(dst, result.object(), value.Format{})
	return append(dst, '}'), nil
}

// caseKeys are the keys of a case: the input, and what other programs note in it.
var caseKeys = [...]string{"id", "scorer", "config", "actual", "expected", "tools", "sample", "want", "source", "note"}

func (c *cases) run(name string, v value.Value) (Result, error) {
	for i := range v.Len() {
		if key := v.KeyAt(i); !slices.Contains(caseKeys[:], key) {
			return Result{}, configError(key, "is no key of a case%s", hint(key, caseKeys[:]))
		}
	}
	s, err := c.scorer(name, v.Field("config"))
	if err != nil {
		return Result{}, err
	}
	return s.Score(Input{
		Actual: v.Field("actual"), Expected: v.Field("expected"),
		Tools: v.Field("tools"), Sample: v.Field("sample"),
	})
}

// scorer returns the scorer of a name and configuration, made once.
func (c *cases) scorer(name string, config value.Value) (Scorer, error) {
	found := c.scorers.get(name+"\n"+config.Raw(), func(key string) madeScorer {
		if copied, err := value.ParseString(key[len(name)+1:]); err == nil {
			config = copied
		}
		s, err := New(key[:len(name)], config)
		return madeScorer{s, err}
	})
	return found.scorer, found.err
}

func appendError(dst []byte, err error) []byte {
	failure := failureOf(err)
	dst = append(dst, `,"error":{"kind":`...)
	dst = value.AppendQuoted(dst, failure.Kind)
	dst = append(dst, `,"message":`...)
	dst = value.AppendQuoted(dst, failure.Message)
	return append(dst, "}}"...)
}

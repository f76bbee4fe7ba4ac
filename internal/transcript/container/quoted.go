package container

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"regexp"

	"github.com/judgekit/judge/internal/value"
)

// quotedBegins matches the beginning of a JSON string that contains an object or a list.
var quotedBegins = regexp.MustCompile(`^"(\\[nrt]| )*[{\[]`)

// openQuoted reads JSON that was encoded twice: one or more strings that contain the JSON of a log.
func openQuoted(in *bufio.Reader, limit int) (io.Reader, error) {
	source := &bounded{in: in, limit: limit + headSize}
	texts := json.NewDecoder(source)
	return rows(0, func() (value.Value, error) {
		source.n = 0
		var text string
		if err := texts.Decode(&text); err != nil {
			return value.Value{}, brokenText(err)
		}
		v, err := value.ParseString(text)
		if err != nil {
			return value.Value{}, &Broken{Message: "a string of the file does not hold JSON: " + err.Error()}
		}
		return v, nil
	}), nil
}

// brokenText turns JSON errors into a Broken; other errors come from the reader.
func brokenText(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return CutShort(io.EOF)
	case errors.As(err, &syntax), errors.As(err, &kind):
		return &Broken{Message: "the file begins with a string that holds JSON, but goes on with something else: " + err.Error()}
	}
	return err
}

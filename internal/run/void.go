package run

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges"
)

// voiding says why a score does not count; of a cascade's it names the void tiers, and
// whether the cascade leaves errors to people.
type voiding struct {
	why   string
	tiers []int
	open  bool
}

// apply writes the stream at path anew with the changes.
func (c *changes) apply(path string) error {
	if len(c.void) == 0 {
		return nil
	}
	err := rewrite(path, func(n int, line []byte) ([]byte, error) {
		if v, ok := c.void[n]; ok {
			return v.apply(line)
		}
		return line, nil
	})
	if err != nil {
		return fmt.Errorf("amend %s: %w", path, err)
	}
	return nil
}

// rewrite replaces a file of lines by what edit makes of each line behind the first,
// counted from 0; the slice is edit's own.
func rewrite(path string, edit func(n int, line []byte) ([]byte, error)) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	file, err := os.OpenFile(path+".amended", os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	from, out := bufio.NewReaderSize(in, 1<<16), bufio.NewWriterSize(file, 1<<16)
	for n := -1; ; n++ {
		line, err := from.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if len(line) == 0 {
			break
		}
		if n >= 0 {
			if line, err = edit(n, line); err != nil {
				return err
			}
		}
		if _, err := out.Write(line); err != nil {
			return err
		}
	}
	if err := errors.Join(out.Flush(), file.Close()); err != nil {
		return err
	}
	return os.Rename(path+".amended", path)
}

// apply turns the line of a score into that of an answer that does not count, which
// is an error to all that look at it: it escalates, and a cascade that rests on it is
// unresolved.
func (v voiding) apply(line []byte) ([]byte, error) {
	s, err := score.Parse(bytes.TrimSpace(line))
	if err != nil {
		return nil, err
	}
	if s.Status == score.Scored {
		s.Status, s.Value, s.Passed, s.Label, s.Confidence = score.Unscored, nil, nil, "", nil
		s.Error = &score.Failure{Kind: judges.KindContextCut, Message: v.why}
	}
	s.Details = s.Details.With("escalate", value.OfBool(v.open))
	if climb := s.Details.Field("cascade"); !climb.IsNull() {
		climb = climb.With("unresolved", value.OfBool(v.open))
		s.Details = s.Details.With("cascade", climb.With("tiers", voidTiers(climb.Field("tiers"), v.tiers)))
	}
	var out bytes.Buffer
	err = score.Encode(&out, &s)
	return out.Bytes(), err
}

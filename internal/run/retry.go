package run

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/judges"
)

// judgement names one judgement of a run.
type judgement struct{ judge, key string }

// chooseAgain notes the judgements in the scores of a run directory that ended without a
// score for one of the plan's Retry kinds: the answers that the journal has to them are
// not taken. A run that was interrupted has no scores yet.
func (p *Plan) chooseAgain(dir string) error {
	p.again = map[judgement]bool{}
	if len(p.Retry) == 0 {
		return nil
	}
	path := filepath.Join(dir, directory.ScoresFile)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	for s, err := range score.Read(f, path) {
		if err != nil {
			return err
		}
		if s.Error != nil && s.CallIndex != nil && slices.Contains(p.Retry, s.Error.Kind) {
			p.again[judgement{s.Judge, judges.RequestKey(s.ConversationID, *s.CallIndex, s.Name)}] = true
		}
	}
	return nil
}

// staleFor says of the requests of a judge whether their answers are to be had anew; nil
// for none.
func (p *Plan) staleFor(judge string) func(key string) bool {
	if len(p.again) == 0 {
		return nil
	}
	return func(key string) bool { return p.again[judgement{judge, key}] }
}

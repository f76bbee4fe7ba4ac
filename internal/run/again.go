package run

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/judgekit/judge/internal/llm/client"
	"github.com/judgekit/judge/internal/llm/journal"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/judges"
)

// openReused opens the journals of the earlier runs whose answers are taken.
func (in *Instruments) openReused() error {
	for _, dir := range in.reuse {
		m, err := directory.ReadManifest(dir)
		if err != nil {
			return &TaskError{fmt.Errorf("reuse: %w", err)}
		}
		j, err := journal.Read(filepath.Join(dir, directory.ExchangesFile))
		if err != nil {
			return &TaskError{fmt.Errorf("reuse %s: %w", dir, err)}
		}
		in.reused = append(in.reused, client.Source{Journal: j, Canary: instrument.PromptOptions(m.RunID).Canary})
	}
	return nil
}

// again has the judgements that are asked again although the journal answers them, by judge and
// request key.
type again map[string]map[string]bool

// of returns a function that reports whether a request of a judge is sent again; nil for none.
func (a again) of(judge string) func(key string) bool {
	if len(a[judge]) == 0 {
		return nil
	}
	return func(key string) bool { return a[judge][key] }
}

// chooseAgain finds the judgements in the scores of a run directory that ended without a
// score for one of the kinds. A run that was interrupted has no scores yet.
func chooseAgain(dir string, kinds []string) (again, error) {
	out := again{}
	_, err := os.Stat(filepath.Join(dir, directory.ScoresFile))
	if len(kinds) == 0 || errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	for s, err := range directory.Scores(dir) {
		if err != nil {
			return nil, err
		}
		if s.Error == nil || s.Source != score.Judge || !slices.Contains(kinds, s.Error.Kind) {
			continue
		}
		if out[s.Judge] == nil {
			out[s.Judge] = map[string]bool{}
		}
		for _, name := range []string{s.Name, judges.TogetherKey} {
			out[s.Judge][judges.RequestKey(s.ConversationID, judges.TargetOf(&s), name)] = true
		}
	}
	return out, nil
}

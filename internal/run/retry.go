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

// openReused opens the journals of the earlier runs whose answers may be reused.
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

// retries holds, by judge and request key, the judgements for which a new answer is requested
// although the journal has one.
type retries map[string]map[string]bool

// ofJudge returns a function that reports whether a request of a judge must be sent again; nil if
// none.
func (r retries) ofJudge(judge string) func(key string) bool {
	if len(r[judge]) == 0 {
		return nil
	}
	return func(key string) bool { return r[judge][key] }
}

// chooseRetries finds the judgements in a run directory that ended without a score, for one of the
// given kinds of failure. An interrupted run has no scores yet.
func chooseRetries(dir string, kinds []string) (retries, error) {
	out := retries{}
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

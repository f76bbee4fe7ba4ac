package directory

import (
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
)

// CreateScores creates the score stream in a run directory, with PartEnding after its name.
func CreateScores(dir, runID string) (*Buffered, error) {
	f, err := Create(filepath.Join(dir, ScoresFile) + PartEnding)
	if err != nil {
		return nil, err
	}
	w, err := score.NewWriter(f, runID)
	return f, errors.Join(err, w.Flush())
}

// Open reads the manifest of a run directory and the inputs of its report. If the scores are not
// those of a complete run, the error is a *Partial, and the inputs hold what there is.
func Open(dir string) (*Manifest, report.Inputs, error) {
	m, err := ReadManifest(dir)
	if err != nil {
		return nil, report.Inputs{}, err
	}
	scores := func() iter.Seq2[score.Score, error] { return Scores(dir) }
	some := func(conversations ...string) iter.Seq2[score.Score, error] { return ScoresOf(dir, conversations...) }
	return m, report.Inputs{Manifest: m.Manifest, Scores: scores, ScoresOf: some}, m.Whole(dir)
}

// Scores reads the scores in a run directory; if the run did not finish, those that exist.
func Scores(dir string) iter.Seq2[score.Score, error] { return readScores(dir, score.Read) }

// ScoresOf reads the scores of some conversations.
func ScoresOf(dir string, conversations ...string) iter.Seq2[score.Score, error] {
	return readScores(dir, func(r io.Reader, name string) iter.Seq2[score.Score, error] {
		return score.ReadOf(r, name, conversations...)
	})
}

func readScores(
	dir string, read func(r io.Reader, name string) iter.Seq2[score.Score, error],
) iter.Seq2[score.Score, error] {
	return func(yield func(score.Score, error) bool) {
		path := filepath.Join(dir, ScoresFile)
		f, err := os.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			path += PartEnding
			f, err = os.Open(path)
		}
		if err != nil {
			yield(score.Score{}, err)
			return
		}
		defer f.Close()
		read(f, path)(yield)
	}
}

package directory

import (
	"bytes"
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/render"
	"github.com/judgekit/judge/internal/score"
)

// Scores reads the scores of a run directory; of a run that never came to its end, those
// that there are.
func Scores(dir string) iter.Seq2[score.Score, error] {
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
		r, err := score.NewReader(f, path, score.ReaderConfig{})
		if err != nil {
			yield(score.Score{}, err)
			return
		}
		for s, err := range r.All() {
			if !yield(s, err) {
				return
			}
		}
	}
}

// Inputs makes the inputs of a report out of a run directory. Where its scores are not
// those of a whole run, the error is a *Partial, and the inputs are of what there is.
func Inputs(dir string) (report.Inputs, error) {
	m, err := ReadManifest(dir)
	if err != nil {
		return report.Inputs{}, err
	}
	return report.Inputs{Manifest: m.Manifest, Scores: func() iter.Seq2[score.Score, error] { return Scores(dir) }}, m.Whole(dir)
}

// WriteReports writes report.json, report.md and report.html.
func WriteReports(dir string, r *report.Report) error {
	for _, file := range []struct {
		name   string
		format render.Format
	}{{ReportFile, render.JSONFormat}, {MarkdownFile, render.MarkdownFormat}, {HTMLFile, render.HTMLFormat}} {
		var b bytes.Buffer
		if err := render.Report(&b, r, file.format, render.Config{}); err != nil {
			return err
		}
		if err := replace(filepath.Join(dir, file.name), b.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

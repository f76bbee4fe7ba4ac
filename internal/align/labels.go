package align

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/judgekit/judge/internal/labels"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/run"
	"github.com/judgekit/judge/internal/run/directory"
)

// Labelled names a run and the labels of its items.
type Labelled struct {
	Dir, RunID string
	Rows       []measure.LabelRow
	// Whole says that labels of the call as a whole count as labels by the rubric.
	Whole bool
	// Sample says that the rows are the run's labels.jsonl, which gives the pass rate an interval.
	// By names whose labels count; "" means the person with the most.
	Sample bool
	By     string
}

// ReadLabels reads the labels of the run in dir: those in filled tables, and those from judge view
// if no table or their own file is named. The first label of an item counts. alpha is the error
// rate with which people's labels are chosen. problems are unusable lines of labels.jsonl.
func ReadLabels(dir string, m *directory.Manifest, files []string, by string, alpha float64) (of Labelled,
	problems []string, err error) {
	of = Labelled{Dir: dir, RunID: m.RunID, By: by, Sample: len(files) == 0}
	if of.Sample {
		files = []string{filepath.Join(dir, labels.FileName)}
	}
	for _, file := range files {
		var rows []measure.LabelRow
		if filepath.Base(file) == labels.FileName {
			var more []string
			rows, more, err = fromView(file, dir, m, by, alpha)
			problems = append(problems, more...)
		} else {
			rows, err = fromSheet(file, m)
		}
		if err != nil {
			return of, problems, err
		}
		for _, row := range rows {
			same := func(o measure.LabelRow) bool {
				return o.ConversationID == row.ConversationID && o.CallIndex == row.CallIndex && o.Turn == row.Turn &&
					o.Scope == row.Scope
			}
			if !slices.ContainsFunc(of.Rows, same) {
				of.Rows = append(of.Rows, row)
			}
		}
	}
	return of, problems, nil
}

// fromSheet reads a filled table.
func fromSheet(file string, m *directory.Manifest) ([]measure.LabelRow, error) {
	in, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return measure.ReadSheet(in, file, m.Rubrics)
}

// fromView reads the labels from judge view.
func fromView(file, dir string, m *directory.Manifest, by string, alpha float64) ([]measure.LabelRow, []string, error) {
	if from := filepath.Dir(file); !directory.Same(from, dir) {
		return nil, nil, fmt.Errorf("%s is of another run; judge align %s has the labels of that run", file, from)
	}
	people, problems, err := run.People(dir, m.RunID, by, alpha)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("%s has no labels: label calls with\n  judge view %s\nor give a filled table with "+
			"--labels FILE", dir, dir)
	}
	if err != nil {
		return nil, nil, err
	}
	return people.Rows, problems, nil
}

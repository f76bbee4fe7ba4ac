package columns

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/judgekit/judge/internal/report"
)

// schema is the version of the JSON form.
const schema = "judge.agree/2"

// Report is everything the comparison found.
type Report struct {
	Schema string `json:"schema"`
	Table  Table  `json:"table"`
	// Gold is empty where judges are compared with each other.
	Gold    string   `json:"gold,omitempty"`
	Judges  []string `json:"judges"`
	Cluster string   `json:"cluster,omitempty"`
	// Clusters is their number, 0 without a cluster column.
	Clusters int      `json:"clusters"`
	By       []string `json:"by,omitempty"`
	Reading  Reading  `json:"reading"`
	Alpha    float64  `json:"alpha"`
	Columns  []Column `json:"columns"`
	// Pairs are the judges against gold, or every two judges.
	Pairs []Pair `json:"pairs"`
	// Panels are the panels of all judges, and the judge that always gives gold's commoner
	// verdict, against gold; Ranking orders judges and panels.
	Panels  []Pair   `json:"panels,omitempty"`
	Ranking *Ranking `json:"ranking,omitempty"`
	// Blind is the ranking where there is no gold.
	Blind *BlindRanking `json:"ranking_without_gold,omitempty"`
	// People compares each judge with the people of the table.
	People []Likeness `json:"people,omitempty"`
	// Panel is the agreement of all judges among themselves.
	Panel    *Panel           `json:"panel,omitempty"`
	Warnings []report.Warning `json:"warnings"`
}

// Table says what was read.
type Table struct {
	Name       string   `json:"name"`
	Format     string   `json:"format"`
	Rows       int      `json:"rows"`
	Unreadable int      `json:"unreadable"`
	Problems   []string `json:"problems,omitempty"`
}

// Reading says how the columns were interpreted.
type Reading struct {
	// Kinds are verdicts, categories and values, as far as both sides have them.
	Kinds      []string `json:"kinds"`
	Scale      string   `json:"scale"`
	Categories []string `json:"categories,omitempty"`
	Threshold  string   `json:"threshold,omitempty"`
	GoldCut    string   `json:"gold_threshold,omitempty"`
}

// Column counts what is in a column.
type Column struct {
	Name    string      `json:"name"`
	Role    string      `json:"role"`
	Numbers int         `json:"numbers"`
	Missing int         `json:"missing"`
	Pass    []WordCount `json:"pass_words,omitempty"`
	Fail    []WordCount `json:"fail_words,omitempty"`
	// Unknown words, and those declared missing, count as missing.
	Unknown  []WordCount `json:"unknown_words,omitempty"`
	NoValues []WordCount `json:"missing_words,omitempty"`
}

// WordCount is a word with its number and the line where it first occurs.
type WordCount struct {
	Word  string `json:"word"`
	Count int    `json:"count"`
	Line  int    `json:"line"`
}

// size is how many items there are, in how many clusters (0 without a cluster column).
type size struct {
	N        int `json:"n"`
	Clusters int `json:"clusters"`
}

// Pair is one comparison. A is gold where there is gold, B the judge.
type Pair struct {
	A string `json:"a"`
	B string `json:"b"`
	size
	// MissingA and MissingB are rows without a value on that side; a row may be both.
	MissingA int `json:"missing_a"`
	MissingB int `json:"missing_b"`
	// Confusion counts verdicts, nil where there are none; "judge" is B.
	Confusion *report.Confusion `json:"confusion,omitempty"`
	// Matrix counts pairs of categories: rows are A's, columns B's.
	Matrix   [][]int          `json:"matrix,omitempty"`
	Measures Measures         `json:"measures"`
	Bins     []report.Bin     `json:"reliability,omitempty"`
	Strata   []Split          `json:"strata,omitempty"`
	Warnings []report.Warning `json:"warnings"`
}

// Measure is one number with its interval, counts and method.
type Measure struct {
	Name  string `json:"-"`
	Label string `json:"label"`
	report.Estimate
	size
	// Method is how the interval was made.
	Method string `json:"interval,omitempty"`
	Note   string `json:"note,omitempty"`
	// Share says that it is a share.
	Share bool `json:"percent,omitempty"`
}

// Measures is a list that is an object in JSON, in the order of the list.
type Measures []Measure

// get returns the first measure there is of those names, nil where there is none.
func (m Measures) get(names ...string) *Measure {
	for _, name := range names {
		for i := range m {
			if m[i].Name == name {
				return &m[i]
			}
		}
	}
	return nil
}

// MarshalJSON writes an object with the measures' names as keys.
func (m Measures) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, one := range m {
		if i > 0 {
			b.WriteByte(',')
		}
		text, err := json.Marshal(one)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%q:%s", one.Name, text)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// Split is one comparison split by a column.
type Split struct {
	By     string    `json:"by"`
	Strata []Stratum `json:"strata"`
	// Pooled are all items; Macro is the mean over strata, each counting once.
	Pooled Stratum `json:"pooled"`
	Macro  Stratum `json:"macro"`
}

// Stratum are the items of one value of the column split by.
type Stratum struct {
	Name string `json:"name"`
	N    int    `json:"n"`
	// Small strata are too small to read alone.
	Small     bool              `json:"small"`
	Confusion *report.Confusion `json:"confusion,omitempty"`
	Measures  Measures          `json:"measures"`
}

// Ranking orders judges by Youden's J, or by kappa where they have categories.
type Ranking struct {
	// By is youden or kappa.
	By     string   `json:"by"`
	Judges []Ranked `json:"judges"`
}

// Ranked is one judge, panel or constant answer in a ranking, the best first, with its
// difference from the best on the N items that both judged; the best itself and the constant
// answer have none.
type Ranked struct {
	Judge string `json:"judge"`
	N     int    `json:"n"`
	report.FromBest
}

// BlindRanking orders judges by their verdicts alone, the best first. Family is the model
// family of all of them, "" where the names say none or several.
type BlindRanking struct {
	Judges []BlindRank `json:"judges"`
	Family string      `json:"one_family,omitempty"`
	// Opposed are the judges with a J below 0 by the model: they say the opposite of the others.
	Opposed []string `json:"opposed,omitempty"`
}

// BlindRank is one judge beside the others: the mean of its kappas with each, and how often
// it has the verdict of most of them.
type BlindRank struct {
	Judge     string          `json:"judge"`
	PassRate  report.Estimate `json:"pass_rate"`
	MeanKappa report.Estimate `json:"mean_kappa_with_others"`
	Majority  report.Estimate `json:"same_as_majority"`
}

// Likeness compares a judge with people who labelled the same items.
type Likeness struct {
	Judge string `json:"judge"`
	size
	report.HumanLikeness
}

// Panel is the agreement of three or more judges, or of two without gold.
type Panel struct {
	Raters   []string `json:"raters"`
	Measures Measures `json:"measures"`
}

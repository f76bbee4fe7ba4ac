package columns

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"github.com/judgekit/judge/internal/agreement/stat"
)

// Schema is the version of the JSON form.
const Schema = "judge.agree/1"

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
	// Resamples is the largest number of bootstrap resamples that was used.
	Resamples int      `json:"resamples"`
	Seed      uint64   `json:"seed"`
	Columns   []Column `json:"columns"`
	// Pairs are the judges against gold, or every two judges.
	Pairs []Pair `json:"pairs"`
	// Against compares every further judge with the first.
	Against []Difference `json:"against_first,omitempty"`
	// Panel is the agreement of all judges among themselves.
	Panel    *Panel    `json:"panel,omitempty"`
	Warnings []Warning `json:"warnings"`
}

// Table says what was read.
type Table struct {
	Name       string   `json:"name"`
	Format     string   `json:"format"`
	Rows       int      `json:"rows"`
	Unreadable int      `json:"unreadable"`
	Problems   []string `json:"problems,omitempty"`
}

// Reading says what the columns were taken for.
type Reading struct {
	// Kinds are verdicts, categories and values, as far as both sides have them.
	Kinds      []string `json:"kinds"`
	Scale      string   `json:"scale"`
	Categories []string `json:"categories,omitempty"`
	Threshold  string   `json:"threshold,omitempty"`
	GoldCut    string   `json:"gold_threshold,omitempty"`
}

// Column counts what stands in a column.
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

// WordCount is a word with its number and the line where it first stands.
type WordCount struct {
	Word  string `json:"word"`
	Count int    `json:"count"`
	Line  int    `json:"line"`
}

// Pair is one comparison. A is gold where there is gold, B the judge.
type Pair struct {
	A        string `json:"a"`
	B        string `json:"b"`
	N        int    `json:"n"`
	Clusters int    `json:"clusters"`
	// MissingA and MissingB are rows without a value on that side; a row may be both.
	MissingA int `json:"missing_a"`
	MissingB int `json:"missing_b"`
	// Confusion counts verdicts, nil where there are none.
	Confusion *Confusion `json:"confusion,omitempty"`
	// Matrix counts pairs of categories: rows are A's, columns B's.
	Matrix   [][]int   `json:"matrix,omitempty"`
	Measures Measures  `json:"measures"`
	Bins     []Bin     `json:"reliability,omitempty"`
	Strata   []Split   `json:"strata,omitempty"`
	Warnings []Warning `json:"warnings"`
}

// Confusion counts verdicts; "judge" is B.
type Confusion struct {
	BothPass      int `json:"both_pass"`
	JudgeOnlyPass int `json:"judge_only_pass"`
	JudgeOnlyFail int `json:"judge_only_fail"`
	BothFail      int `json:"both_fail"`
}

// Measure is one number with all that is needed to read it. Value is nil where it is
// undefined, and Reason says why; Low and High are nil where there is no interval.
type Measure struct {
	Name     string   `json:"-"`
	Label    string   `json:"label"`
	Value    *float64 `json:"value"`
	Low      *float64 `json:"low,omitempty"`
	High     *float64 `json:"high,omitempty"`
	Reason   string   `json:"reason,omitempty"`
	N        int      `json:"n"`
	Clusters int      `json:"clusters"`
	// Method is how the interval was made.
	Method string `json:"interval,omitempty"`
	Note   string `json:"note,omitempty"`
	// Percent says that it is a share.
	Percent bool `json:"percent,omitempty"`
}

// Measures is a list that is an object in JSON, in the order of the list.
type Measures []Measure

// Get returns the measure of that name, nil where there is none.
func (m Measures) Get(name string) *Measure {
	for i := range m {
		if m[i].Name == name {
			return &m[i]
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

// Bin is one bin of the reliability diagram of the confidence.
type Bin struct {
	N          int     `json:"n"`
	Confidence float64 `json:"confidence"`
	Accuracy   float64 `json:"accuracy"`
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
	Small     bool       `json:"small"`
	Confusion *Confusion `json:"confusion,omitempty"`
	Measures  Measures   `json:"measures"`
}

// Difference is how much better a judge agrees with gold than the first one, on the
// items that both judged.
type Difference struct {
	Judge string  `json:"judge"`
	First string  `json:"first"`
	Diff  Measure `json:"agreement_difference"`
	// P is two-sided; Holm corrects it for the number of judges. nil where undefined.
	P    *float64 `json:"p"`
	Holm *float64 `json:"p_holm"`
}

// Panel is the agreement of three or more judges, or of two without gold.
type Panel struct {
	Raters   []string `json:"raters"`
	Measures Measures `json:"measures"`
}

// Warning is a remark that belongs beside a number.
type Warning struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

// WriteJSON writes the report as one indented object.
func (r *Report) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}

// rounded keeps 6 decimals, so that a report is the same on every machine.
func rounded(f float64) *float64 {
	const digits = 1e6
	if math.Abs(f) < 1e9 {
		f = math.Round(f*digits) / digits
	}
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil
	}
	f += 0 // -0 becomes 0
	return &f
}

func (m *Measure) set(o stat.Opt) {
	m.Value, m.Reason = nil, string(o.Reason)
	if o.Valid {
		m.Value, m.Reason = rounded(o.Value), ""
	}
}

func (m *Measure) between(iv stat.Interval, method string) {
	if m.Value != nil && iv.Low.Valid && iv.High.Valid {
		m.Low, m.High, m.Method = rounded(iv.Low.Value), rounded(iv.High.Value), method
	}
}

// ReasonText says a reason in words.
func ReasonText(code string) string {
	if text, ok := reasonTexts[code]; ok {
		return text
	}
	return code
}

var reasonTexts = map[string]string{
	string(stat.NoItems):              "no items",
	string(stat.OneClass):             "one class only",
	string(stat.ZeroVariance):         "nothing varies",
	string(stat.NoChanceDisagreement): "chance alone would always agree",
	string(stat.TooFew):               "too few items",
	string(stat.NotApplicable):        "does not apply",
	tooManyValues:                     "too many different values",
}

const tooManyValues = "too_many_values"

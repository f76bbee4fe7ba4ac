package calibration

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
)

// The samples that a row of the sheet can come from.
const (
	// Random rows are all calls of randomly drawn conversations: estimates rest on
	// them.
	Random = "random"
	// Queue rows are the most telling disagreements: worth a look, but no sample.
	Queue = "queue"
)

// Row is one item to be labelled.
type Row struct {
	ConversationID string
	// CallIndex is -1 for the conversation as a whole.
	CallIndex int
	Tool      string
	Place     string
	// Passed is nil while the row is not filled in.
	Passed *bool
	Note   string
	Sample string
	// Probability is the chance with which a Random row's conversation was drawn,
	// in (0,1]; 0 for Queue rows.
	Probability float64
}

// SheetConfig says how much is to be labelled.
type SheetConfig struct {
	// Conversations is how many are drawn at random, 0 for 30.
	Conversations int
	// Calls is about how many judged calls are to be labelled, in place of
	// Conversations: as many conversations are drawn as have so many on average.
	Calls int
	// Queue is how many of the disagreements are added, 0 for 50, negative for none.
	Queue int
	Seed  uint64
}

var header = []string{"conversation_id", "call_index", "tool", "place", "label", "note", "sample", "probability"}

// Sheet draws conversations and lists all their judged calls, and the first of the
// queue. Rows stand by conversation and call, so that their order tells nothing.
func Sheet(in report.Inputs, queue report.Disagreements, cfg SheetConfig) ([]Row, error) {
	cfg.Conversations, cfg.Queue = cmp.Or(cfg.Conversations, 30), cmp.Or(cfg.Queue, 50)
	items := map[itemKey]Row{}
	convs := map[string]bool{}
	for s, err := range in.Scores() {
		var bad *score.LineError
		if errors.As(err, &bad) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read scores: %w", err)
		}
		if s.Source != score.Judge || s.CallIndex == nil {
			continue
		}
		r := Row{ConversationID: strings.Clone(s.ConversationID), CallIndex: *s.CallIndex, Tool: strings.Clone(s.Tool), Place: strings.Clone(s.Place)}
		convs[r.ConversationID] = true
		items[itemKey{r.ConversationID, r.CallIndex}] = r
	}
	if cfg.Calls > 0 && len(items) > 0 {
		// Not drawn until there are enough: that would favour short conversations.
		cfg.Conversations = max(1, (cfg.Calls*len(convs)+len(items)-1)/len(items))
	}
	drawn, probability := draw(convs, cfg.Conversations, cfg.Seed)
	var out []Row
	for key, r := range items {
		if drawn[key.conv] {
			r.Sample, r.Probability = Random, probability
			out = append(out, r)
		}
	}
	added := 0
	for _, d := range queue.Items {
		if added >= cfg.Queue {
			break
		}
		r, judged := items[itemKey{d.ConversationID, callOf(d.CallIndex)}]
		if d.CallIndex == nil || !judged || drawn[d.ConversationID] || slices.ContainsFunc(out, func(o Row) bool { return o.key() == r.key() }) {
			continue
		}
		added++
		r.Sample, r.Place = Queue, cmp.Or(r.Place, d.Place)
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.ConversationID, b.ConversationID), cmp.Compare(a.CallIndex, b.CallIndex))
	})
	for i := range out {
		if in.Place != nil {
			out[i].Place = cmp.Or(in.Place(out[i].ConversationID, out[i].CallIndex), out[i].Place)
		}
	}
	return out, nil
}

type itemKey struct {
	conv string
	call int
}

func (r Row) key() itemKey { return itemKey{r.ConversationID, r.CallIndex} }

func callOf(i *int) int {
	if i == nil {
		return -1
	}
	return *i
}

// draw takes the n conversations whose seeded hashes are lowest: a random sample
// that does not depend on the order of the stream.
func draw(convs map[string]bool, n int, seed uint64) (drawn map[string]bool, probability float64) {
	ids := make([]string, 0, len(convs))
	for id := range convs {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b string) int {
		return cmp.Or(cmp.Compare(hash(seed, a), hash(seed, b)), cmp.Compare(a, b))
	})
	n = min(n, len(ids))
	drawn = map[string]bool{}
	for _, id := range ids[:n] {
		drawn[id] = true
	}
	if len(ids) == 0 {
		return drawn, 0
	}
	return drawn, float64(n) / float64(len(ids))
}

func hash(seed uint64, id string) uint64 {
	sum := sha256.Sum256(append(binary.BigEndian.AppendUint64(nil, seed), id...))
	return binary.BigEndian.Uint64(sum[:])
}

// WriteSheet writes the sheet as CSV. Ids that a spreadsheet would take for a
// formula get a quote before them, which ReadSheet takes off again.
func WriteSheet(w io.Writer, rows []Row) error {
	out := csv.NewWriter(w)
	all := [][]string{header}
	for _, r := range rows {
		label := ""
		if r.Passed != nil {
			label = map[bool]string{true: "pass", false: "fail"}[*r.Passed]
		}
		all = append(all, []string{guard(r.ConversationID), strconv.Itoa(r.CallIndex), guard(r.Tool), guard(r.Place), label, guard(r.Note), r.Sample, strconv.FormatFloat(r.Probability, 'f', -1, 64)})
	}
	if err := out.WriteAll(all); err != nil {
		return fmt.Errorf("write labels: %w", err)
	}
	return nil
}

func guard(text string) string {
	if text != "" && strings.ContainsRune("=+-@'\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}

// ReadSheet reads a sheet, filled in or not. Labels are pass or fail, 1 or 0, yes
// or no, true or false, in any case; an empty one is not labelled. The first row
// that cannot be read is the error, with file, line and column.
func ReadSheet(in io.Reader, name string) ([]Row, error) {
	r := csv.NewReader(in)
	r.FieldsPerRecord = -1
	head, err := r.Read()
	if err != nil {
		return nil, fmt.Errorf("%s:1: no label sheet: the first line must name the columns %s", name, strings.Join(header, ","))
	}
	if len(head) > 0 {
		head[0] = strings.TrimPrefix(head[0], "\ufeff")
	}
	column := map[string]int{}
	for i, h := range head {
		column[strings.TrimSpace(h)] = i
	}
	for _, want := range []string{"conversation_id", "call_index", "label"} {
		if _, ok := column[want]; !ok {
			return nil, fmt.Errorf("%s:1: column %s is missing", name, want)
		}
	}
	var out []Row
	seen := map[itemKey]int{}
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			var syntax *csv.ParseError
			if errors.As(err, &syntax) {
				return nil, fmt.Errorf("%s:%d: no CSV: a quote is open or misplaced", name, syntax.Line)
			}
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		line, _ := r.FieldPos(0)
		row, err := rowOf(record, column)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, line, err)
		}
		if first, twice := seen[row.key()]; twice {
			return nil, fmt.Errorf("%s:%d: conversation %s call %d stands on line %d already", name, line, row.ConversationID, row.CallIndex, first)
		}
		seen[row.key()] = line
		out = append(out, row)
	}
}

func rowOf(record []string, column map[string]int) (Row, error) {
	get := func(name string) string {
		if i, ok := column[name]; ok && i < len(record) {
			return strings.TrimPrefix(strings.TrimSpace(record[i]), "'")
		}
		return ""
	}
	r := Row{ConversationID: get("conversation_id"), Tool: get("tool"), Place: get("place"), Note: get("note"), Sample: get("sample"), CallIndex: -1}
	if r.ConversationID == "" {
		return r, errors.New("conversation_id: must not be empty")
	}
	if text := get("call_index"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < -1 {
			return r, fmt.Errorf("call_index: %q is no call number", text)
		}
		r.CallIndex = n
	}
	switch text := strings.ToLower(get("label")); text {
	case "":
	case "pass", "1", "yes", "true", "1.0":
		r.Passed = new(true)
	case "fail", "0", "no", "false", "0.0":
		r.Passed = new(false)
	default:
		return r, fmt.Errorf("label: %q is none of pass, fail, 1, 0, yes, no, true, false, or empty", text)
	}
	if text := get("probability"); text != "" {
		p, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(p) || p < 0 || p > 1 {
			return r, fmt.Errorf("probability: %q is no number from 0 to 1", text)
		}
		r.Probability = p
	}
	return r, nil
}

package calibration

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
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
	// Call is the call in one line, name and arguments, cut where it is long; "" where
	// the log is not at hand.
	Call  string
	Place string
	// Passed says whether the call as a whole is right; nil while the row is not filled
	// in. ByRubric are the labels of single rubrics by name.
	Passed   *bool
	ByRubric map[string]bool
	Note     string
	Sample   string
	// Probability is the chance with which a Random row's conversation was drawn,
	// in (0,1]; 0 for Queue rows.
	Probability float64
}

// Labelled reports whether the row holds any label.
func (r Row) Labelled() bool { return r.Passed != nil || len(r.ByRubric) > 0 }

// LabelColumn is the column for the label of the whole call.
const LabelColumn = "label"

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

package measure

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/labels"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/sorting"
)

// The samples to which a row of the sheet can belong.
const (
	// RandomSample marks randomly drawn calls of randomly drawn conversations: estimates are based on them.
	RandomSample = "random"
	// QueueSample marks the first disagreements: they are for review and are not a sample.
	QueueSample = "queue"
)

// LabelRow is one item to label.
type LabelRow struct {
	ConversationID string
	// CallIndex is -1 for a turn and for the whole conversation. Scope is labels.Result for a call
	// with its result, labels.Turn for a turn (from 1), else "".
	CallIndex, Turn int
	Scope           string
	Tool            string
	// Call is the call in one line, name and arguments, cut if it is long; "" without a log.
	Call  string
	Place string
	// Whole is the label of the item as a whole, ByRubric holds the labels by single rubrics.
	Whole    labels.Answer
	ByRubric map[string]labels.Answer
	Note     string
	Sample   string
	// Probability is the probability, in (0,1], with which a Random row was drawn: its
	// conversation's, times its own within the conversation; 0 for Queue rows.
	Probability float64
	// Said holds the labels that people gave blind in the random order, if they are known.
	Said []PersonLabel
	// Rank is the place of a Random row's conversation in the random order, from 1; 0 if unknown,
	// as in an older sheet. Seed is the order's seed, 0 in a sheet.
	Rank int
	Seed uint64
	// PerConversation counts the drawn calls per conversation, 0 means all.
	PerConversation int
}

// PersonLabel is one person's label of an item, by a rubric or, with "", as a whole.
type PersonLabel struct {
	Who, Rubric string
	labels.Answer
}

// LabelColumn is the column for the label of the whole call.
const LabelColumn = "label"

// itemKey identifies an item: by its call (-1 for a conversation) or by its turn.
type itemKey struct {
	conv, scope string
	index       int
}

// newKey returns the key of an item, from the names that scores and labels use.
func newKey(conversation string, call, turn int, scope string) itemKey {
	switch scope {
	case labels.Turn:
		return itemKey{conversation, scope, turn}
	case labels.Result:
		return itemKey{conversation, scope, call}
	}
	return itemKey{conversation, "", call}
}

func (k itemKey) compare(other itemKey) int {
	return cmp.Or(cmp.Compare(k.conv, other.conv), cmp.Compare(k.scope, other.scope), cmp.Compare(k.index, other.index))
}

// kind returns the key's kind of item: a rubric asks about items of one kind.
func (k itemKey) kind() itemKey {
	return itemKey{scope: k.scope, index: min(k.index, 0)}
}

func (r *LabelRow) key() itemKey { return newKey(r.ConversationID, r.CallIndex, r.Turn, r.Scope) }

// Item returns a row's item.
func (r *LabelRow) Item() labels.Item {
	return labels.Item{Conversation: r.ConversationID, Call: r.CallIndex, Turn: r.Turn, Scope: r.Scope}
}

// filled reports whether a row has a label.
func (r *LabelRow) filled() bool { return r.Whole.Given() || len(r.ByRubric) > 0 }

// keyOfScore returns the key of a score's item.
func keyOfScore(s *score.Score) itemKey {
	return newKey(s.ConversationID, callOf(s.CallIndex), s.Turn, s.Scope)
}

func callOf(i *int) int {
	if i == nil {
		return -1
	}
	return *i
}

// SheetConfig says how much should be labelled.
type SheetConfig struct {
	// Conversations is the number of conversations to draw at random; 0 means 30.
	Conversations int
	// Calls is about how many judged calls should be labelled, instead of Conversations. The number
	// of conversations then follows from the mean number of calls.
	Calls int
	// PerConversation is the number of calls to draw per conversation; 0 means all.
	PerConversation int
	// Queue is the number of disagreements to add: 0 means 50, a negative number none.
	Queue int
	Seed  uint64
}

// Sheet draws conversations and some of the judged items of each kind, and adds the first rows of
// the queue. Conversations are in the random order in which they were drawn, so that people who
// stop early still have a random sample.
func Sheet(in report.Inputs, queue report.Disagreements, cfg SheetConfig) ([]LabelRow, error) {
	items, convs := map[itemKey]LabelRow{}, map[string]map[itemKey][]int{}
	for s, err := range judgements(in) {
		if err != nil {
			return nil, err
		}
		r := LabelRow{CallIndex: callOf(s.CallIndex), Turn: s.Turn, Tool: strings.Clone(s.Tool),
			Place: strings.Clone(s.Place), ConversationID: strings.Clone(s.ConversationID)}
		if s.Scope == labels.Result || s.Scope == labels.Turn {
			r.Scope = strings.Clone(s.Scope)
		}
		key := r.key()
		if _, known := items[key]; !known {
			if convs[r.ConversationID] == nil {
				convs[r.ConversationID] = map[itemKey][]int{}
			}
			convs[r.ConversationID][key.kind()] = append(convs[r.ConversationID][key.kind()], key.index)
		}
		items[key] = r
	}
	conversations := cmp.Or(cfg.Conversations, 30)
	if cfg.Calls > 0 {
		conversations = PlannedConversations(func(yield func(int) bool) {
			for _, kinds := range convs {
				n := 0
				for _, list := range kinds {
					n += min(len(list), cmp.Or(cfg.PerConversation, len(list)))
				}
				if !yield(n) {
					return
				}
			}
		}, cfg.Calls)
	}
	drawn := map[string]int{}
	order := UntaughtFirst(LabelOrder(maps.Keys(convs), cfg.Seed), &in.Manifest)
	for i, id := range order[:min(conversations, len(order))] {
		drawn[id] = i + 1
	}
	var out []LabelRow
	for id, rank := range drawn {
		for kind, all := range convs[id] {
			some := DrawnCalls(id, all, cfg.PerConversation, cfg.Seed)
			for _, index := range some {
				r := items[itemKey{id, kind.scope, index}]
				r.Sample, r.Rank, r.PerConversation = RandomSample, rank, cfg.PerConversation
				r.Probability = float64(len(drawn)*len(some)) / float64(len(convs)*len(all))
				out = append(out, r)
			}
		}
	}
	left := cmp.Or(cfg.Queue, 50)
	for _, d := range queue.Items {
		key := newKey(d.ConversationID, callOf(d.CallIndex), d.Turn, d.Level)
		r, judged := items[key]
		if left <= 0 || !judged || drawn[d.ConversationID] > 0 {
			continue
		}
		left--
		delete(items, key)
		r.Sample, r.Place = QueueSample, cmp.Or(r.Place, d.Place)
		out = append(out, r)
	}
	sorting.Stable(out, func(a, b LabelRow) int {
		queue := cmp.Compare(asNumber(a.Sample == QueueSample), asNumber(b.Sample == QueueSample))
		return cmp.Or(queue, cmp.Compare(a.Rank, b.Rank), a.key().compare(b.key()))
	})
	return out, nil
}

// OwnColumns returns the rubrics for which the label of a call as a whole is no answer: those with
// categories, and those about items other than calls.
func OwnColumns(in report.Inputs) ([]string, error) {
	own := map[string]bool{}
	for _, r := range in.Manifest.Rubrics {
		own[r.Name] = len(r.Categories) > 0
	}
	for s, err := range judgements(in) {
		if err != nil {
			return nil, err
		}
		if _, known := own[s.Name]; known && s.Scope != "" {
			own[s.Name] = true
		}
	}
	var out []string
	for _, r := range in.Manifest.Rubrics {
		if own[r.Name] {
			out = append(out, r.Name)
		}
	}
	return out, nil
}

// LabelOrder puts conversations into the random order of a seed, by their seeded hashes. Any
// beginning of it is a random sample, whatever the order of the stream.
func LabelOrder(conversations iter.Seq[string], seed uint64) []string {
	return slices.SortedFunc(conversations, func(a, b string) int {
		return cmp.Or(cmp.Compare(drawHash(seed, a), drawHash(seed, b)), cmp.Compare(a, b))
	})
}

// InTurn alternates between the rows of two lists, each in the random order of its conversations and calls.
func InTurn(a, b []LabelRow, most int) (out []LabelRow) {
	for _, list := range [][]LabelRow{a, b} {
		sorting.Stable(list, func(x, y LabelRow) int {
			return cmp.Or(cmp.Compare(drawHash(0, x.ConversationID), drawHash(0, y.ConversationID)), x.key().compare(y.key()))
		})
	}
	for i := 0; i < max(len(a), len(b)); i++ {
		for _, list := range [][]LabelRow{a, b} {
			if i < len(list) && len(out) < most {
				out = append(out, list[i])
			}
		}
	}
	return out
}

// UntaughtFirst moves conversations whose labels shaped a rubric of the run to the end: new labels
// of them would not measure it.
func UntaughtFirst(order []string, m *report.Manifest) []string {
	taught := map[string]bool{}
	for i := range m.Rubrics {
		maps.Copy(taught, m.Rubrics[i].MadeFrom.Set())
	}
	if len(taught) == 0 {
		return order
	}
	sorting.Stable(order, func(a, b string) int {
		return cmp.Compare(asNumber(taught[labels.Mark(a)]), asNumber(taught[labels.Mark(b)]))
	})
	return order
}

// DrawnCalls returns the drawn calls of a conversation in order: the first n (0 means all) by their
// seeded hashes.
func DrawnCalls(conversation string, calls []int, n int, seed uint64) []int {
	if n == 0 || n >= len(calls) {
		return calls
	}
	hash := func(call int) uint64 { return drawHash(seed, fmt.Sprintf("%s\x00%d", conversation, call)) }
	drawn := slices.SortedFunc(slices.Values(calls), func(a, b int) int {
		return cmp.Or(cmp.Compare(hash(a), hash(b)), cmp.Compare(a, b))
	})[:n]
	slices.Sort(drawn)
	return drawn
}

// PlannedConversations returns how many conversations have about the wanted number of drawn items; drawn yields
// the number of each conversation. Drawing until there are enough items would favour short conversations.
func PlannedConversations(drawn iter.Seq[int], wanted int) int {
	conversations, sum := 0, 0
	for n := range drawn {
		conversations, sum = conversations+1, sum+n
	}
	if sum == 0 {
		return 0
	}
	return min(conversations, max(1, (wanted*conversations+sum-1)/sum))
}

func drawHash(seed uint64, id string) uint64 {
	sum := sha256.Sum256(append(binary.BigEndian.AppendUint64(nil, seed), id...))
	return binary.BigEndian.Uint64(sum[:])
}

// maxDeferred is the share of the conversations, or of their calls, that may be left undecided
// while the others still count as a random sample.
const maxDeferred = 0.05

// labelOf returns a row's label for a rubric; whole says that the label of the whole call counts if
// the rubric has none.
func (r *LabelRow) labelOf(rubric string, whole bool) labels.Answer {
	if own := r.ByRubric[rubric]; own.Given() || !whole {
		return own
	}
	return r.Whole
}

// VerdictOf returns whether the item passes by a rubric, nil if no label says so; whole says that
// the label of the whole item counts if the rubric has none.
func (r LabelRow) VerdictOf(rubric string, whole bool) *bool {
	return r.labelOf(rubric, whole).Verdict()
}

// labelProgress says how far the labelling of the random sample has come, for one rubric.
type labelProgress struct {
	// rank is the rank of each labelled conversation, 0 if unknown; all holds the conversations in the
	// rows, seeds the seeds of their random orders.
	rank  map[string]int
	all   map[string]bool
	seeds map[uint64]bool
	last  int // the highest rank of a labelled conversation
	// drawn is the number of calls that were drawn per labelled conversation, 0 means all.
	drawn map[string]int
}

func progressOf(rows []LabelRow, rubric string, whole bool) labelProgress {
	p := labelProgress{rank: map[string]int{}, all: map[string]bool{}, seeds: map[uint64]bool{},
		drawn: map[string]int{}}
	for _, r := range rows {
		if r.Sample != RandomSample {
			continue
		}
		p.all[r.ConversationID] = true
		if r.labelOf(rubric, whole).Given() {
			if n := r.PerConversation; n > 0 {
				p.drawn[r.ConversationID] = min(cmp.Or(p.drawn[r.ConversationID], n), n)
			}
			p.rank[r.ConversationID] = r.Rank
			p.seeds[r.Seed] = true
			p.last = max(p.last, r.Rank)
		}
	}
	return p
}

// chosen says why the labelled conversations are a selection and not a random sample; "" if they
// follow the random order, except for deferred items. calls yields the conversations of all judged
// calls, and whether each has a label.
func chosen(p labelProgress, calls iter.Seq2[string, bool]) string {
	labelled := len(p.rank)
	for _, rank := range p.rank {
		if rank == 0 { // an older sheet is a sample only if it is completely filled in
			if missing := len(p.all) - labelled; float64(missing) > maxDeferred*float64(len(p.all)) {
				return fmt.Sprintf(words.UnorderedSheet, missing, len(p.all))
			}
			return ""
		}
	}
	if len(p.seeds) > 1 {
		return words.SeveralOrders
	}
	if missing := p.last - labelled; float64(missing) > maxDeferred*float64(p.last) {
		return fmt.Sprintf(words.SkippedConversations, p.last, missing)
	}
	judged, given, count, open := map[string]int{}, map[string]int{}, 0, 0
	for id, has := range calls {
		if rank := p.rank[id]; rank > 0 && rank < p.last {
			judged[id], given[id] = judged[id]+1, given[id]+int(asNumber(has))
		}
	}
	for id, n := range judged {
		drawn := min(n, cmp.Or(p.drawn[id], n))
		count, open = count+drawn, open+max(0, drawn-given[id])
	}
	if float64(open) > maxDeferred*float64(count) {
		return fmt.Sprintf(words.SkippedCalls, open, count)
	}
	return ""
}

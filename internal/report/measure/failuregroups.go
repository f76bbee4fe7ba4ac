package measure

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/groups"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/sorting"
)

const (
	// maxGroups limits the listed groups of failing calls, maxGroupCalls the calls of each.
	maxGroups     = 100
	maxGroupCalls = 50
	// maxGroupTools limits how many tools of a group are named.
	maxGroupTools = 10
)

// addReason records why a score fails its item. It takes four bytes for each item up to the last failing one.
func (t *table) addReason(level string, number uint32, s *score.Score) {
	if level != report.CallLevel && level != report.ConversationLevel {
		return
	}
	why := t.why[level]
	if more := int(number) + 1 - len(why); more > 0 {
		why = append(why, make([]uint32, more)...)
		t.why[level] = why
	}
	why[number] = t.reasons.Number(why[number], groups.Of(s, t.manifest.LeadingJudge()))
}

func renumberedReasons(why, numbers []uint32) []uint32 {
	out := make([]uint32, len(numbers))
	for old, reason := range why {
		out[numbers[old]] = reason
	}
	return out
}

// signatureOf returns why an item fails; by is the instrument that fails it.
func (t *table) signatureOf(i item, by report.Instrument) groups.Signature {
	level, tool := report.ConversationLevel, ""
	if i.call >= 0 {
		level, tool = report.CallLevel, t.tools.list[i.tool]
	}
	if why := t.why[level]; int(i.number) < len(why) && why[i.number] > 0 {
		return t.reasons.At(why[i.number]).Signature
	}
	return groups.Signature{Tool: tool, Kind: by.Title()}
}

// failureGroups groups the failing items, largest group first.
func (b *Builder) failureGroups(r *report.Report, fails []failure) {
	signatures, counts := map[item]groups.Signature{}, map[groups.Signature]int{}
	for _, f := range fails {
		s := b.signatureOf(f.of, r.Failing.By)
		signatures[f.of] = s
		counts[s]++
	}
	into, members, examples := groups.Merge(counts), map[groups.Signature][]item{}, map[groups.Signature]item{}
	for _, f := range fails {
		if group := into[signatures[f.of]]; members[group] == nil {
			members[group], examples[group] = []item{}, f.of
		}
	}
	for _, i := range b.inLogOrder(fails) {
		group := into[signatures[i]]
		members[group] = append(members[group], i)
	}
	merged := map[groups.Signature][]string{}
	for s, group := range into {
		if s != group {
			merged[group] = append(merged[group], s.ID())
		}
	}
	order := slices.SortedFunc(maps.Keys(members), func(x, y groups.Signature) int {
		return cmp.Or(cmp.Compare(len(members[y]), len(members[x])), x.Compare(y))
	})
	r.Failing.Groups = len(order)
	meanings := b.reasons.Meanings()
	for _, s := range order[:min(len(order), maxGroups)] {
		g := b.failureGroup(s, members[s])
		g.Share = *report.Rounded(float64(g.Count) / float64(len(fails)))
		slices.Sort(merged[s])
		g.Merged = merged[s]
		g.Name = words.GroupName(&g, meanings[s.Kind])
		g.Example = b.failingItem(b.byKey[r.Failing.By], b.references(), examples[s])
		r.FailureGroups = append(r.FailureGroups, g)
	}
}

// failureGroup describes a group by its items, which are in log order.
func (b *Builder) failureGroup(s groups.Signature, items []item) report.FailureGroup {
	g := s.Group()
	g.Count, g.Tools, g.First = len(items), b.toolsByCount(items), b.caseOf(items[0])
	g.First.Place = b.placeOf(items[0])
	for _, i := range items[:min(len(items), maxGroupCalls)] {
		g.Calls = append(g.Calls, b.caseOf(i).ItemName())
	}
	return g
}

// inLogOrder sorts the failing items by their places.
func (b *Builder) inLogOrder(fails []failure) []item {
	places, out := map[uint32]string{}, make([]item, len(fails))
	for n, f := range fails {
		out[n] = f.of
		if at := f.of.conversation; places[at] == "" {
			places[at] = placeOrder(b.about[at].place)
		}
	}
	sorting.Stable(out, func(x, y item) int {
		return cmp.Or(cmp.Compare(places[x.conversation], places[y.conversation]), x.compare(y))
	})
	return out
}

// placeOrder returns a key that sorts places in log order: line 9 before line 10.
func placeOrder(place string) string {
	file, line, _ := strings.Cut(place, ":")
	if n, err := strconv.Atoi(line); err == nil {
		return fmt.Sprintf("%s:%012d", file, n)
	}
	return place
}

// toolsByCount returns the tools of calls, most frequent first, then by name.
func (b *Builder) toolsByCount(items []item) []string {
	counts, out := map[uint32]int{}, []string{}
	for _, i := range items {
		if i.call >= 0 {
			counts[i.tool]++
		}
	}
	for _, tool := range byCount(counts)[:min(len(counts), maxGroupTools)] {
		if name := b.tools.list[tool]; name != "" {
			out = append(out, name)
		}
	}
	return out
}

// byCount returns the keys, highest count first, then in order.
func byCount[K cmp.Ordered](counts map[K]int) []K {
	return slices.SortedFunc(maps.Keys(counts), func(x, y K) int {
		return cmp.Or(cmp.Compare(counts[y], counts[x]), cmp.Compare(x, y))
	})
}

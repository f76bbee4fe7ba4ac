package planted

import (
	"fmt"
	"slices"

	"github.com/judgekit/judge/internal/sorting"
)

// maxRepeated limits how many blocks are attacked, judged with reversed examples, and judged one at a time.
const maxRepeated = 40

// The number of a judge's requests: for a block without its mutants (original, equivalent, retest),
// for attacks on one block, and for judging one block twice with one request at a time.
const (
	blockCost  = 3
	attackCost = 5
	aloneCost  = 2
)

// Log is a planted log.
type Log struct {
	// Lines holds the conversations in the native format, one per line.
	Lines [][]byte
	// Bases counts the bases by tier, Conversations their conversations; Requests counts the
	// requests of one judge with one rubric.
	Bases                   map[Tier]int
	Conversations, Requests int
	// Counts counts the variants of each kind, and the mutants by operator and dose.
	Counts map[string]int
}

// stratum is a part of the blocks. Blocks are drawn from all parts in turn, so that a small budget
// is spread evenly.
type stratum struct {
	name   string
	blocks []int // the remaining ones
	taken  int
	cost   int
	take   func(block int)
}

// Log chooses what is judged and writes it. With a budget, all operators and doses get about
// equally many mutants.
func (p *Planter) Log() *Log {
	p.cut()
	chosen := make([]choice, len(p.blocks))
	list, spent := p.strata(chosen), 0
	for {
		at := -1
		for i := range list {
			if len(list[i].blocks) > 0 && (at < 0 || list[i].taken < list[at].taken) {
				at = i
			}
		}
		if at < 0 {
			break
		}
		s := &list[at]
		block, cost := s.blocks[0], s.cost
		if s.blocks = s.blocks[1:]; !chosen[block].in {
			cost += blockCost
		}
		if s.taken++; p.cfg.Budget == 0 || spent+cost <= p.cfg.Budget {
			spent += cost
			chosen[block].in = true
			s.take(block)
		}
	}
	return p.write(chosen)
}

// choice says which variants of a block are judged.
type choice struct {
	in, attacked, reversed, alone bool
	mutants                       []int
}

func (p *Planter) strata(chosen []choice) (list []stratum) {
	repeated := []stratum{
		{name: "attack", cost: attackCost, take: func(b int) { chosen[b].attacked = true }},
		{name: "reversed", cost: 1, take: func(b int) { chosen[b].reversed = true }},
		{name: "alone", cost: aloneCost, take: func(b int) { chosen[b].alone = true }},
	}
	for b := range p.blocks {
		for m := range p.blocks[b].Mutants {
			name := p.blocks[b].Mutants[m].Operator + "/" + p.blocks[b].Mutants[m].Dose
			at := slices.IndexFunc(list, func(s stratum) bool { return s.name == name })
			if at < 0 {
				at = len(list)
				list = append(list, stratum{name: name, cost: 1, take: func(b int) {
					for m := range p.blocks[b].Mutants {
						if v := &p.blocks[b].Mutants[m]; v.Operator+"/"+v.Dose == name {
							chosen[b].mutants = append(chosen[b].mutants, m)
						}
					}
				}})
			}
			list[at].blocks = append(list[at].blocks, b)
		}
		for i := range repeated {
			if s := &repeated[i]; len(s.blocks) < maxRepeated {
				s.blocks = append(s.blocks, b)
			}
		}
	}
	sorting.Stable(list, func(x, y stratum) int { return slices.Compare([]byte(x.name), []byte(y.name)) })
	return append(list, repeated...)
}

// write builds the log from the chosen blocks.
func (p *Planter) write(chosen []choice) *Log {
	out := &Log{Bases: map[Tier]int{}, Counts: map[string]int{}}
	from, equivalents, attacked := map[string]bool{}, map[string]int{}, 0
	for i := range p.blocks {
		b, c := &p.blocks[i], &chosen[i]
		if !c.in {
			continue
		}
		s := newSite(&b.Base, &p.cfg)
		original := s.until(Plan{Kind: Original, Retest: true, Reversed: c.reversed, Alone: c.alone,
			Discarded: b.discarded.Object()})
		list := []Variant{original}
		if len(b.Equivalents) > 0 {
			rare := slices.MinFunc(b.Equivalents, func(x, y Variant) int {
				return equivalents[x.Operator] - equivalents[y.Operator]
			})
			equivalents[rare.Operator]++
			list = append(list, rare)
		}
		slices.Sort(c.mutants)
		for _, m := range c.mutants {
			list = append(list, b.Mutants[m])
		}
		if c.attacked && len(c.mutants) > 0 {
			list = append(list, s.attacks(b.Mutants[c.mutants[attacked%len(c.mutants)]], attacked)...)
			attacked++
		}
		out.Bases[b.Tier]++
		from[b.Conversation.ID] = true
		for k := range list {
			out.add(&list[k])
		}
	}
	out.Conversations = len(from)
	return out
}

func (l *Log) add(v *Variant) {
	name := v.Kind
	l.Counts[v.Kind]++
	if v.Operator != "" && (v.Kind == Mutant || v.Kind == Equivalent) {
		if name = v.Operator; v.Dose != "" {
			name += "-" + v.Dose
		}
		l.Counts[name]++
		if v.Dose != "" {
			l.Counts[v.Operator]++
		}
	}
	l.Requests++
	if v.Retest {
		l.Requests++
	}
	if v.Reversed {
		l.Requests++
	}
	if v.Alone {
		l.Requests += aloneCost
	}
	l.Lines = append(l.Lines, v.line(fmt.Sprintf("%s/%d/%s", v.Plan.Conversation, v.Plan.Call, name)))
}

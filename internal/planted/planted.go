// Package planted plants one named fault each into calls that are assumed to be right. It also makes variants
// of these calls with harmless changes, and attacks that try to talk a judge into another verdict.
//
// It promises that a mutant is wrong by construction, checked by its operator; that a mutant which equals the
// original, another expected call or a call of the same conversation is discarded and counted; and that the
// same conversations and seed give the same variants. It asks no judge and reads no file.
package planted

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"

	"github.com/judgekit/judge/internal/sorting"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// Label is the label in a planted log that says whether the judged call is right.
const Label = "planted"

// Suffixes for the names of a planted log's judges when they are asked again: unchanged, with the
// rubrics' examples in reverse order, and twice with one request at a time.
const (
	Again      = " (again)"
	Reversed   = " (examples reversed)"
	Alone      = " (one at a time)"
	AloneAgain = " (one at a time, again)"
)

// The kinds of variants.
const (
	Original   = "original"
	Mutant     = "mutant"
	Equivalent = "equivalent"
	// Attack is a mutant with text that asks for the best score, AttackPlacebo has neutral text in the same
	// place. Mirror is an original with text that asks for the worst score, MirrorPlacebo its control.
	Attack        = "attack"
	AttackPlacebo = "attack_placebo"
	Mirror        = "mirror"
	MirrorPlacebo = "mirror_placebo"
	// Empty is an original whose arguments say nothing.
	Empty = "content_free"
)

// Plan describes a variant. It is in the planted log beside the conversation, and in the details of
// its label's score.
type Plan struct {
	// Conversation and Call identify the base; Tier says how we know that it is right.
	Conversation string
	Call         int
	Tier         Tier
	Kind         string
	// Operator names the fault or the change. Dose is its kind, if the operator has several.
	Operator, Dose string
	// Parameter is the changed parameter, Was and Is its value before and after.
	Parameter, Was, Is string
	// Place and Payload belong to attacks.
	Place, Payload string
	// Right is the original call, {name, parameters}; null if the call is not what is wrong.
	Right value.Value
	// Retest, Reversed and Alone say that the item is judged again: unchanged, with the rubric's
	// examples in reverse order, and twice with one request at a time.
	Retest, Reversed, Alone bool
	// Discarded says, by operator, why an original has no mutant.
	Discarded value.Value
	// Weight is the share of faults that a mutant's operator represents; Failures counts the user's
	// failing calls from which it comes. Both are 0 for natural weights.
	Weight   float64
	Failures int
}

// Key identifies the base.
func (p *Plan) Key() string { return fmt.Sprintf("%s/%d", p.Conversation, p.Call) }

// Value returns the plan in the form of the log.
func (p *Plan) Value() value.Value {
	o := value.Fields{{Key: "conversation", Value: value.OfString(p.Conversation)},
		{Key: "call", Value: value.OfInt(int64(p.Call))}, {Key: "kind", Value: value.OfString(p.Kind)}}
	for _, f := range p.texts() {
		o.Text(f.key, *f.text)
	}
	if p.Retest {
		o.Set("retest", value.OfBool(true))
	}
	if p.Reversed {
		o.Set("reversed", value.OfBool(true))
	}
	if p.Alone {
		o.Set("alone", value.OfBool(true))
	}
	o.Set("right", p.Right)
	o.Set("discarded", p.Discarded)
	if p.Weight > 0 {
		o.Set("weight", value.OfFloat(p.Weight))
		o.Set("failures", value.OfInt(int64(p.Failures)))
	}
	return value.OfObject(o...)
}

type textField struct {
	key  string
	text *string
}

func (p *Plan) texts() []textField {
	return []textField{{"tier", (*string)(&p.Tier)}, {"operator", &p.Operator}, {"dose", &p.Dose},
		{"parameter", &p.Parameter}, {"was", &p.Was}, {"is", &p.Is}, {"place", &p.Place}, {"payload", &p.Payload}}
}

// ReadPlan parses a plan; false if v is not one.
func ReadPlan(v value.Value) (p Plan, ok bool) {
	p.Conversation, p.Kind = v.Field("conversation").Text(), v.Field("kind").Text()
	call, isCall := v.Field("call").Int64()
	p.Call, p.Right, p.Discarded = int(call), v.Field("right"), v.Field("discarded")
	for _, f := range p.texts() {
		*f.text = v.Field(f.key).Text()
	}
	p.Retest, _ = v.Field("retest").BoolVal()
	p.Reversed, _ = v.Field("reversed").BoolVal()
	p.Alone, _ = v.Field("alone").BoolVal()
	if w, ok := v.Field("weight").Float64(); ok {
		failures, _ := v.Field("failures").Int64()
		p.Weight, p.Failures = w, int(failures)
	}
	return p, p.Conversation != "" && p.Kind != "" && isCall
}

// PlanOf returns the plan of a conversation in a planted log.
func PlanOf(c *transcript.Conversation) (Plan, bool) { return ReadPlan(c.Extra.Field(Label)) }

// Variant is a conversation with one call to judge.
type Variant struct {
	Plan
	conversation *transcript.Conversation
	call         int
	// rename replaces a text by another throughout; "" for nothing.
	rename, to string
}

// Block is a base with all its variants.
type Block struct {
	Base
	Mutants, Equivalents []Variant
	discarded            value.Fields
}

// Yield counts the mutants that an operator makes from a log's bases.
type Yield struct {
	Operator  string         `json:"operator"`
	Bases     int            `json:"bases"`
	Mutants   int            `json:"mutants"`
	Discarded map[string]int `json:"discarded"`
}

// Config says what is planted.
type Config struct {
	Seed int64
	// Bases limits the base calls, Budget the requests of one judge; 0 means 200 and no limit.
	Bases, Budget int
	// Best and Worst are the scores that attacks ask for.
	Best, Worst float64
	// SchemaError says how arguments break a tool's schema; "" if they match it.
	SchemaError func(*transcript.Tool, value.Value) string
	// Weights holds the shares of the user's failing calls; nil means the natural ones.
	Weights *Weights
}

// Planter collects bases conversation by conversation. It keeps at most twice as many blocks as wanted.
type Planter struct {
	cfg    Config
	blocks []Block
	// Yields counts by operator; Tiers counts the calls by tier, and Calls all calls of the log.
	Yields []Yield
	Tiers  map[Tier]int
	Calls  int
}

// New returns an empty planter.
func New(cfg Config) *Planter {
	cfg.Bases = cmp.Or(cfg.Bases, 200)
	p := &Planter{cfg: cfg, Tiers: map[Tier]int{}}
	for _, o := range Operators() {
		p.Yields = append(p.Yields, Yield{Operator: o.Name, Discarded: map[string]int{}})
	}
	return p
}

// Add looks for bases in a conversation. Each operator gets at most one base per conversation.
// Calls in which the most operators can plant a fault are preferred, those of the best tier first.
func (p *Planter) Add(c *transcript.Conversation, bases []Base) {
	p.Calls += len(c.Calls)
	var all []Block
	for _, b := range bases {
		p.Tiers[b.Tier]++
		b.order = hash(p.cfg.Seed, c.ID, fmt.Sprint(b.Call))
		all = append(all, p.plant(b))
	}
	for done := map[string]bool{}; len(all) > 0; {
		fresh := func(b *Block) (n int) {
			for i := range b.Mutants {
				if !done[b.Mutants[i].Operator] {
					n++
				}
			}
			return n
		}
		at := 0
		for i := range all {
			x, y := &all[i], &all[at]
			if fresh(x) > 0 && (fresh(y) == 0 || cmp.Or(cmp.Compare(x.Tier.rank(), y.Tier.rank()),
				cmp.Compare(fresh(y), fresh(x)), cmp.Compare(x.order, y.order)) < 0) {
				at = i
			}
		}
		b := all[at]
		if fresh(&b) == 0 {
			break
		}
		b.Mutants = slices.DeleteFunc(b.Mutants, func(v Variant) bool { return done[v.Operator] })
		for i := range b.Mutants {
			done[b.Mutants[i].Operator] = true
		}
		b.order = hash(p.cfg.Seed, c.ID)
		p.blocks = append(p.blocks, b)
		all = slices.Delete(all, at, at+1)
	}
	if len(p.blocks) > 2*p.cfg.Bases {
		p.cut()
	}
}

// cut keeps the blocks of the best tiers; those of the same tier are sorted by hash.
func (p *Planter) cut() {
	sorting.Stable(p.blocks, func(x, y Block) int {
		return cmp.Or(cmp.Compare(x.Tier.rank(), y.Tier.rank()), cmp.Compare(x.order, y.order))
	})
	p.blocks = p.blocks[:min(len(p.blocks), p.cfg.Bases)]
}

// plant makes the mutants and equivalents of a base, and counts them.
func (p *Planter) plant(b Base) Block {
	s := newSite(&b, &p.cfg)
	out := Block{Base: b, Equivalents: s.equivalents()}
	for i, o := range Operators() {
		s.refused = ""
		list := o.plant(s)
		y := &p.Yields[i]
		for k := range list {
			list[k].Operator = o.Name
			if w := p.cfg.Weights; w != nil {
				list[k].Weight, list[k].Failures = w.Share[o.Name], w.Failures
			}
			out.Mutants = append(out.Mutants, list[k])
		}
		y.Mutants += len(list)
		if len(list) > 0 {
			y.Bases++
		} else if s.refused != "" {
			y.Discarded[s.refused]++
			out.discarded.Text(o.Name, s.refused)
		}
	}
	return out
}

// hash returns a number that depends on all parts.
func hash(seed int64, parts ...string) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d", seed)
	for _, part := range parts {
		fmt.Fprintf(h, "\x00%s", part)
	}
	x := h.Sum64() // the last bytes of FNV change only a few bits: mix them
	x = (x ^ x>>31) * 0x9e3779b97f4a7c15
	return x ^ x>>29
}

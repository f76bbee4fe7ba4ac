package prompt

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/judgekit/judge/internal/sorting"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/rubrics"
)

// Pool holds the examples of a rubric that shows only the examples nearest to the target.
type Pool struct {
	rubric *rubrics.Rubric
	words  []map[string]float64 // how often each word occurs, by example
	length []float64
	mean   float64
	df     map[string]float64 // in how many examples each word occurs
	tasks  []string
}

// NewPool returns the pool of a rubric; nil if the rubric shows the same examples in every prompt.
func NewPool(r *rubrics.Rubric) *Pool {
	if r.Retrieve == 0 {
		return nil
	}
	p := &Pool{rubric: r, df: map[string]float64{}}
	for i := range r.Examples {
		e := &r.Examples[i]
		words := wordsOf(e.Log, exampleTarget(r, e))
		n := 0.0
		for w, count := range words {
			n += count
			p.df[w]++
		}
		p.words, p.length, p.mean = append(p.words, words), append(p.length, n), p.mean+n
		p.tasks = append(p.tasks, cmp.Or(e.Task, e.Log.TaskKey()))
	}
	p.mean = max(1, p.mean/float64(max(1, len(p.words))))
	return p
}

// exampleTarget returns the judged item of an example.
func exampleTarget(r *rubrics.Rubric, e *rubrics.Example) Target {
	return Target{Scope: r.Scope, Call: len(e.Log.Calls) - 1, Turn: len(Turns(e.Log))}
}

// Longest returns the rubric with as many examples as a prompt shows, choosing the longest ones.
func (p *Pool) Longest() *rubrics.Rubric {
	order := p.order()
	sorting.Stable(order, func(a, b int) int { return cmp.Compare(p.size(b), p.size(a)) })
	return p.with(order[:min(len(order), p.rubric.Retrieve)])
}

func (p *Pool) size(i int) int {
	size := 0
	for _, m := range p.rubric.Examples[i].Log.Messages {
		size += len(m.Content)
	}
	return size
}

// Nearest returns the rubric with the examples nearest to a target, the nearest last. Half of them
// pass and half fail, if there are enough of both. Examples from the target's own task are left
// out.
func (p *Pool) Nearest(conv *transcript.Conversation, t Target) *rubrics.Rubric {
	query, task := wordsOf(conv, t), conv.TaskKey()
	near := make([]float64, len(p.words))
	for i := range near {
		near[i] = p.score(query, i)
	}
	order := slices.DeleteFunc(p.order(), func(i int) bool { return p.tasks[i] == task })
	sorting.Stable(order, func(a, b int) int { return cmp.Compare(near[b], near[a]) })
	half := map[bool]int{}
	var chosen, rest []int
	for _, i := range order {
		if pass := p.passes(i); half[pass] < (p.rubric.Retrieve+1)/2 && len(chosen) < p.rubric.Retrieve {
			half[pass]++
			chosen = append(chosen, i)
		} else {
			rest = append(rest, i)
		}
	}
	chosen = append(chosen, rest[:min(len(rest), p.rubric.Retrieve-len(chosen))]...)
	sorting.Stable(chosen, func(a, b int) int { return cmp.Compare(near[a], near[b]) })
	return p.with(chosen)
}

func (p *Pool) order() []int {
	order := make([]int, len(p.words))
	for i := range order {
		order[i] = i
	}
	return order
}

// with returns the rubric with only these examples.
func (p *Pool) with(chosen []int) *rubrics.Rubric {
	r := *p.rubric
	r.Examples = make([]rubrics.Example, len(chosen))
	for i, k := range chosen {
		r.Examples[i] = p.rubric.Examples[k]
	}
	return &r
}

// passes reports whether an example's answer is a pass.
func (p *Pool) passes(i int) bool {
	out, _ := p.rubric.Output.Take(p.rubric.Examples[i].Answer.Field(rubrics.KeyOutput))
	return out != nil && p.rubric.Output.PassBand().Contains(*out)
}

// score returns the BM25 score of an example (Robertson and Zaragoza 2009), with k1 = 1.2 and b =
// 0.75.
func (p *Pool) score(query map[string]float64, i int) float64 {
	const k1, b = 1.2, 0.75
	sum, n := 0.0, float64(len(p.words))
	for _, w := range slices.Sorted(maps.Keys(query)) { // sorted, so that the sum has the same bits every time
		if tf := p.words[i][w]; tf > 0 {
			idf := math.Log(1 + (n-p.df[w]+0.5)/(p.df[w]+0.5))
			sum += idf * tf * (k1 + 1) / (tf + k1*(1-b+b*p.length[i]/p.mean))
		}
	}
	return sum
}

// maxWords limits how many words of a text count.
const maxWords = 400

// wordsOf counts the words of a target: the tool's name, which counts three times, the arguments,
// and the user's last message before it.
func wordsOf(conv *transcript.Conversation, t Target) map[string]float64 {
	out, until := map[string]float64{}, len(conv.Messages)
	add := func(text string) {
		list := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r)
		})
		for _, w := range list[:min(len(list), maxWords)] {
			out[w]++
		}
	}
	if t.HasCall() {
		c := &conv.Calls[t.Call]
		until = c.Message
		out["tool "+c.Name] = 3
		add(c.Name)
		for _, v := range c.Arguments.Leaves() {
			add(v.Text())
		}
	} else if turns := Turns(conv); t.Turn >= 1 && t.Turn <= len(turns) {
		until = turns[t.Turn-1].To
	}
	for i := min(until, len(conv.Messages)) - 1; i >= 0; i-- {
		if conv.Messages[i].Role == transcript.User {
			add(conv.Messages[i].Content)
			break
		}
	}
	return out
}

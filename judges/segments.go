package judges

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges/internal/window"
	"github.com/judgekit/judge/rubrics"
)

// flagSegmented says that a turn or conversation did not fit as a whole.
const flagSegmented = "judged_in_segments"

// Segment is the answer about one part of a turn or conversation that did not fit as a whole.
type Segment struct {
	// From and To are the numbers of its first and last message, as the prompt counts them.
	From, To int
	Output   *float64
	// Confidence is nil if the answer has none.
	Confidence                               *float64
	Category, Verdict, Explanation, Evidence string
}

func (s *Segment) value() value.Value {
	d := object{}
	d.add("from", s.From)
	d.add("to", s.To)
	d.add("output", s.Output)
	if s.Category != "" {
		d.add("category", s.Category)
	}
	d.add("verdict", s.Verdict)
	d.add("confidence", s.Confidence)
	d.add("explanation", s.Explanation)
	d.add("evidence", s.Evidence)
	return value.OfObject(d...)
}

// askSegments judges a turn or conversation segment by segment, and combines the answers. If the
// endpoint refuses a prompt for its length, narrower is the window to shorten the segments to.
func (j *Judge) askSegments(
	ctx context.Context, in *instrument, rec *record, res *Result, list []window.Shown, examples int, limit Limit,
) (narrower int, _ error) {
	parts := make([]Result, len(list))
	for i := range list {
		part := &parts[i]
		*part = j.blank(in, rec.conv, res.Target())
		in.noteLeftOut(part, &list[i], examples)
		messages := append(in.frame.Messages[examples], Message{Role: "user", Content: list[i].Text})
		narrower, err := j.ask(ctx, in, rec, part, Facts{}, limit, messages, &list[i])
		if err != nil {
			return 0, err
		}
		if narrower > 0 {
			res.count(parts[:i+1])
			res.ErrorKind = KindContext
			res.ErrorDetail = ofSegment(i, len(list), cmp.Or(part.ErrorDetail, "refused for its length"))
			in.decide(res)
			return narrower, nil
		}
	}
	in.combine(res, parts)
	for i := range parts {
		p := &parts[i]
		res.Segments = append(res.Segments, Segment{
			From: list[i].From + 1, To: list[i].To, Output: p.Output, Confidence: p.Confidence, Category: p.Category,
			Verdict: p.Verdict, Explanation: p.Explanation, Evidence: p.Evidence,
		})
	}
	return 0, nil
}

// ofSegment adds the number of a segment to an error's detail.
func ofSegment(index, n int, detail string) string {
	return fmt.Sprintf("segment %d of %d: %s", index+1, n, detail)
}

// combine computes the result from the answers about segments: the answer of the deciding segment,
// or the mean of all. If a segment has no answer, the whole has none.
func (in *instrument) combine(res *Result, parts []Result) {
	how := cmp.Or(in.rubric.Combine, rubrics.CombineAll)
	out := parts[0]
	failed := slices.IndexFunc(parts, func(p Result) bool { return p.Verdict == NoVerdict })
	if failed >= 0 {
		out = parts[failed]
		out.ErrorDetail = ofSegment(failed, len(parts), out.ErrorDetail)
	} else if decider := decidingSegment(how, parts); decider != nil {
		out = *decider
		if how == rubrics.CombineMean {
			out.Output = meanOf(parts)
			in.decide(&out)
		}
	}
	out.Flags = nil
	for i := range parts {
		for _, f := range parts[i].Flags {
			if !flagged(out.Flags, f.Code) {
				out.Flags = append(out.Flags, f)
			}
		}
		out.Shortened.Results = max(out.Shortened.Results, parts[i].Shortened.Results)
	}
	out.raise(flagSegmented, 1, "it has no room as a whole and was judged in %d overlapping segments (combine: %s)",
		len(parts), how)
	out.dropCost()
	*res = out
	res.count(parts)
	res.escalateSevere()
}

// decidingSegment returns the answer that counts for the whole; nil if the question applies to
// none.
func decidingSegment(how rubrics.Combine, parts []Result) *Result {
	applies := []*Result{}
	for i := range parts {
		if parts[i].Verdict != NotApplicable {
			applies = append(applies, &parts[i])
		}
	}
	if len(applies) == 0 {
		return nil
	}
	order := []string{Fail, Borderline}
	switch how {
	case rubrics.CombineLast:
		return applies[len(applies)-1]
	case rubrics.CombineMean:
		mean := *meanOf(parts)
		distance := func(r *Result) float64 { return math.Abs(*r.Output - mean) }
		return slices.MinFunc(applies, func(a, b *Result) int { return cmp.Compare(distance(a), distance(b)) })
	case rubrics.CombineAny:
		order = []string{Pass, Borderline}
	}
	for _, verdict := range order {
		if i := slices.IndexFunc(applies, func(r *Result) bool { return r.Verdict == verdict }); i >= 0 {
			return applies[i]
		}
	}
	return applies[0]
}

// meanOf returns the mean of the existing outputs; nil if none.
func meanOf(parts []Result) *float64 {
	sum, n := 0.0, 0.0
	for i := range parts {
		if parts[i].Output != nil {
			sum, n = sum+*parts[i].Output, n+1
		}
	}
	if n == 0 {
		return nil
	}
	return new(sum / n)
}

// dropCost removes the cost of the requests, for a result that was computed from others.
func (r *Result) dropCost() {
	r.Requests, r.Cached, r.Latency, r.Repairs, r.Usage = 0, 0, 0, 0, llm.Usage{}
}

// count adds the cost of other results to this one.
func (r *Result) count(parts []Result) {
	for i := range parts {
		p := &parts[i]
		r.Requests += p.Requests
		r.Cached += p.Cached
		r.Latency += p.Latency
		r.Repairs += p.Repairs
		r.addUsage(p.Usage)
	}
}

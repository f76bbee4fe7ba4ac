package run

import (
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/judges"
)

// costs sums up the cost of a run's answers, for each judge with prices.
type costs []pricedJudge

type pricedJudge struct {
	prices *instrument.Prices
	sum    report.Cost
}

func costsOf(list []instrument.Judge) (out costs) {
	for i := range list {
		if j := &list[i]; j.Prices != nil {
			out = append(out, pricedJudge{j.Prices, report.Cost{Judge: j.Name()}})
		}
	}
	return out
}

// add adds the tokens of a judgement, even if an earlier process paid for them.
func (c costs) add(r *judges.Result) {
	for i := range c {
		sum, u := &c[i].sum, &r.Usage
		switch {
		case sum.Judge != r.Judge || r.Requests == 0:
		case u.Prompt == nil || u.Completion == nil:
			sum.Uncounted++
		default:
			sum.PromptTokens += int64(*u.Prompt)
			sum.CompletionTokens += int64(*u.Completion)
			if u.Cached != nil {
				sum.CachedTokens += int64(min(*u.Cached, *u.Prompt))
			}
		}
	}
}

// report returns the costs of the judges that were asked, in the order of the judges.
func (c costs) report() (out []report.Cost) {
	for _, j := range c {
		if j.sum.PromptTokens > 0 {
			j.sum.Cost = new(j.prices.Cost(j.sum.PromptTokens, j.sum.CachedTokens, j.sum.CompletionTokens))
		}
		if j.sum.PromptTokens > 0 || j.sum.Uncounted > 0 {
			out = append(out, j.sum)
		}
	}
	return out
}

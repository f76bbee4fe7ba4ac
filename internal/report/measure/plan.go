package measure

import (
	"slices"

	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/truth"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
)

// Plan computes how many conversations and labels are needed to show what is wanted, from the scores of a run.
func Plan(in report.Inputs, cfg Config, wanted report.Plan) (*report.Plan, error) {
	b, err := readBuilder(in, cfg)
	if err != nil {
		return nil, err
	}
	r, err := b.Finish()
	if err != nil {
		return nil, err
	}
	out := wanted
	out.Schema, out.RunID, out.Alpha, out.Judges = report.PlanSchema, r.Run.ID, r.Alpha, []report.JudgePlan{}
	for _, judge := range r.Judges() {
		for _, level := range []string{report.CallLevel, report.ConversationLevel} {
			if row := r.DecidingRow(judge, level); row != nil {
				out.Judges = append(out.Judges, b.plan(r, row, &out))
				break
			}
		}
	}
	return &out, b.Err()
}

// plan computes the plan by the judge of a row.
func (b *Builder) plan(r *report.Report, row *report.ScoreRow, wanted *report.Plan) report.JudgePlan {
	var sizes []int
	decided := dropped(b.observations(b.byKey[row.Instrument]), func(o observation) bool { return !o.has(isDecided) })
	for i, o := range decided {
		if i == 0 || o.Cluster() != decided[i-1].Cluster() {
			sizes = append(sizes, 0)
		}
		sizes[len(sizes)-1]++
	}
	_, _, spread := b.estimates(decided)
	out := report.JudgePlan{Rate: rateToPlan(r, row), Conversations: len(sizes), JudgeRate: row.PassRate,
		Youden: report.Undefined(stat.NotApplicable)}
	if a, ok := r.Best(row.Judge, row.Level); ok && a.Rubric == row.Name && a.Balanced.Defined() &&
		a.Reference.Source == string(score.Label) && a.Direction == report.BothDirection {
		out.Youden, out.Reference = youdenOf(a.Balanced), a.Reference.Title()
	}
	said := spread.Mean.Value
	if rate := *out.Rate.Rate.Value; rate <= 0 || rate >= 1 || said <= 0 || said >= 1 {
		out.Why = string(stat.ZeroVariance)
		return out
	}
	icc := truth.ICC(sizes, said, spread.SE.Value)
	out.ICC = *report.Rounded(icc)
	p := planner{wanted: wanted, agent: truth.Population{Sizes: sizes, Rate: *out.Rate.Rate.Value, ICC: icc}}
	p.judge.Rate = said
	if out.Youden.Defined() {
		p.judge.J = *out.Youden.Value
	}
	if wanted.Drop > 0 {
		p.drop(&out)
	}
	if wanted.HalfWidth > 0 {
		out.WidthLabels = p.labels(func(calls int, left float64) (int, bool) {
			return p.agent.ForHalfWidth(wanted.HalfWidth, calls, left, wanted.Alpha)
		})
	}
	return out
}

// rateToPlan returns the agent's pass rate from the headline: from labels if there are any, else
// from the judge.
func rateToPlan(r *report.Report, row *report.ScoreRow) report.HeadlineRate {
	for _, h := range r.Headline.Rates {
		people := h.Judge == "" && h.Labels >= report.FewLabels
		if h.Level == row.Level && h.Rate.Defined() && (h.Judge == row.Judge || people) {
			h.FurtherLabels = nil // the plan says how many
			return h
		}
	}
	return report.HeadlineRate{Kind: report.RawRateKind, Name: row.Name, Judge: row.Judge, Level: row.Level,
		Rate: row.PassRate, N: row.Judged}
}

// youdenOf returns Youden's J for a balanced accuracy.
func youdenOf(balanced report.Estimate) report.Estimate {
	j := balanced.Times(2)
	for _, f := range []*float64{j.Value, j.Low, j.High} {
		if f != nil {
			*f = *report.Rounded(*f - 1)
		}
	}
	return j
}

// planner counts labels of the agent's calls, used alone or with a judge's verdicts.
type planner struct {
	wanted *report.Plan
	agent  truth.Population
	judge  truth.Instrument
}

// drop computes what is needed to show the wanted drop: by the judge alone, which sees J times as
// much, or by labels.
func (p *planner) drop(out *report.JudgePlan) {
	w, judged, seen := p.wanted, p.agent, p.wanted.Drop
	judged.Rate = p.judge.Rate
	if out.Youden.Defined() {
		seen *= p.judge.J
	}
	if seen > 0 {
		out.OtherTasks = orNil(judged.ForDrop(seen, truth.AllCalls, 1, w.Power, w.Alpha))
		out.SameTasks = orNil(judged.ForDrop(seen, truth.AllCalls, 1-judged.Shared(), w.Power, w.Alpha))
	}
	out.DropLabels = p.labels(func(calls int, left float64) (int, bool) {
		return p.agent.ForDrop(w.Drop, calls, left, w.Power, w.Alpha)
	})
}

// labels returns the numbers for labelling one, two or all calls per conversation; need returns conversations.
func (p *planner) labels(need func(calls int, left float64) (int, bool)) (out []report.LabelPlan) {
	for _, calls := range []int{1, 2, truth.AllCalls} {
		if calls != 1 && slices.Max(p.agent.Sizes) <= max(1, calls) {
			continue // that is one call, or all
		}
		count := func(left float64) (conversations, labels *int) {
			if conversations = orNil(need(calls, left)); conversations != nil {
				labels = new(p.agent.Labels(*conversations, calls))
			}
			return conversations, labels
		}
		row := report.LabelPlan{PerConversation: calls}
		row.Conversations, row.Labels = count(1)
		if left := p.agent.Left(calls, p.judge); left < 1 {
			row.JudgedConversations, row.JudgedLabels = count(left)
		}
		out = append(out, row)
	}
	return out
}

// orNil returns a pointer to n; nil unless ok.
func orNil(n int, ok bool) *int {
	if !ok {
		return nil
	}
	return &n
}

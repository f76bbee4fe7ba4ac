package run

import (
	"fmt"

	"github.com/judgekit/judge/internal/deterministic/metric"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// MetricsOf asks for figures over all scores of one scorer.
type MetricsOf struct {
	// Scorer is the name under which the scores are reported.
	Scorer string
	// Label is what classifications are held against; "" means the first label of
	// each conversation.
	Label   string
	Metrics []metric.Metric
}

// ParseMetrics reads the metrics of a scorer's configuration, a list; null asks for
// none.
func ParseMetrics(scorer, label string, config value.Value) (MetricsOf, error) {
	list, err := metric.Parse(config)
	if err != nil {
		return MetricsOf{}, fmt.Errorf("scorer %s: %w", scorer, err)
	}
	return MetricsOf{Scorer: scorer, Label: label, Metrics: list}, nil
}

// observations collects what the metrics of a run are computed from. Only scorers
// whose configuration asks for metrics are collected.
type observations struct {
	asked []MetricsOf
	all   map[string][]metric.Observation
}

func newObservations(asked []MetricsOf) *observations {
	o := &observations{all: map[string][]metric.Observation{}}
	for _, a := range asked {
		if len(a.Metrics) > 0 {
			o.asked = append(o.asked, a)
		}
	}
	return o
}

// add takes the scores of one conversation.
func (o *observations) add(c *transcript.Conversation, scores []score.Score) {
	for _, a := range o.asked {
		for i := range scores {
			s := &scores[i]
			if s.Name != a.Scorer || s.Metric != "" || s.Status == score.NotApplicable {
				continue
			}
			obs := metric.Observation{Value: s.Value}
			if l := labelFor(c, a.Label, s.CallIndex); l != nil {
				if obs.Class = l.Text; l.Text == "" {
					v := l.Value
					obs.Label = &v
				}
			}
			o.all[a.Scorer] = append(o.all[a.Scorer], obs)
		}
	}
}

// labelFor finds the label of a call, or else of its conversation.
func labelFor(c *transcript.Conversation, name string, call *int) *transcript.Label {
	var whole *transcript.Label
	for i := range c.Labels {
		l := &c.Labels[i]
		switch {
		case name != "" && l.Name != name:
		case l.CallIndex < 0 && whole == nil:
			whole = l
		case call != nil && l.CallIndex == *call:
			return l
		}
	}
	return whole
}

// figures computes every metric that was asked for.
func (o *observations) figures() []report.Metric {
	var out []report.Metric
	for _, a := range o.asked {
		for _, m := range a.Metrics {
			f := m.Compute(o.all[a.Scorer])
			out = append(out, report.Metric{
				Scorer: a.Scorer, Name: f.Name, Type: f.Type, N: f.N, Value: f.Value, Table: f.Table, Note: f.Note,
			})
		}
	}
	return out
}

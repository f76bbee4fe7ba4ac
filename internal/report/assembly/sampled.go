package assembly

import (
	"fmt"
	"slices"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/truth"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/document"
	"github.com/judgekit/judge/internal/score"
)

// sampled corrects the rates of the judges' overall rubrics by the labels of the log that
// are a random sample of its conversations.
func (b *Builder) sampled(r *report.Report) {
	names := b.manifest.RandomLabels
	for _, label := range b.references() {
		if label.Source != string(score.Label) || !slices.Contains(names, label.Name) {
			continue
		}
		for _, judge := range b.judges() {
			if judge.Metric == "" && r.IsWhole(judge.Name) {
				r.Corrected = append(r.Corrected, b.correct(r, judge, label))
			}
		}
	}
	for _, name := range names {
		if !slices.ContainsFunc(b.references(), func(sr *series) bool { return sr.Name == name }) {
			b.Notes = append(b.Notes, report.Warning{Code: "no_label", Text: fmt.Sprintf(
				"labels in judge.yaml names %s as a random sample, and no conversation has it", document.Shorten(name, 60))})
		}
	}
}

// correct is the rate of a judge corrected by a label; where one is of calls and the other of
// conversations, a conversation passes where all its calls do.
func (b *Builder) correct(r *report.Report, judge, label *series) report.LabelCorrection {
	out := report.LabelCorrection{Judge: judge.Judge, Rubric: judge.Name, Label: label.Name, Level: judge.Level}
	if judge.Level != label.Level {
		out.Level = report.ConversationLevel
		if judge.Level == report.CallLevel {
			judge = b.reduced(judge, report.ReduceMin)
		} else {
			label = b.reduced(label, report.ReduceMin)
		}
	}
	var gold, rest, all []pair
	labelled := map[int]bool{}
	for _, p := range b.pairs(judge, label) {
		if !p.judge.has(isDecided) {
			continue
		}
		all = append(all, p)
		if p.ref.has(isDecided) {
			gold, labelled[p.Cluster()] = append(gold, p), true
		}
	}
	rest = without(all, func(p pair) bool { return labelled[p.Cluster()] })
	verdict := func(p pair) float64 { return p.judge.verdict() }
	ppi, err := truth.PPIClustered(asked(gold, refVerdict), asked(gold, verdict), clusters(gold),
		asked(rest, verdict), clusters(rest), truth.AutoLambda, b.alpha)
	b.keep(err)
	out.N, out.Labelled = len(all), len(labelled)
	out.Corrected = report.Interval(ppi.Estimate, ppi.CI)
	out.Naive, out.LabelsOnly = rateOf(&b.statistics, all, verdict), rateOf(&b.statistics, gold, refVerdict)
	out.Bias = report.Point(ppi.Rectifier.Times(-1))
	if out.NoSample = b.unlike(all, labelled, judge.Judge, label.Name); out.NoSample != "" {
		out.Corrected = report.Estimate{Reason: "no_sample"}
		r.Warnings = append(r.Warnings, report.Warning{Code: "no_sample", Text: out.NoSample})
	}
	return out
}

// unlike says that a judge passes another share of the labelled conversations than of the
// others, "" where chance explains it.
func (b *Builder) unlike(all []pair, labelled map[int]bool, judge, label string) string {
	rate := func(in bool) interval.ClusterSE {
		return spreadOf(&b.statistics, all, func(p pair) float64 {
			return nanIf(labelled[p.Cluster()] != in, p.judge.verdict())
		})
	}
	first, rest := rate(true), rate(false)
	p := interval.Welch(first, rest)
	if !p.Valid || p.Value >= report.UnlikeBelow {
		return ""
	}
	return report.UnlikeWords(judge, label, first.Mean.Value, rest.Mean.Value, p.Value)
}

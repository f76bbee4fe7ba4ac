package run

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/deterministic/metric"
	"github.com/judgekit/judge/internal/value"
)

func TestMetricsOverTheDataSet(t *testing.T) {
	config, err := value.ParseString(`["mean", {"type":"f1","name":"F1 of human"}, {"type":"custom","name":"share of full marks","expression":"len([v for v in values if v == 1]) / n"}]`)
	if err != nil {
		t.Fatal(err)
	}
	list, err := metric.Parse(config)
	if err != nil {
		t.Fatal(err)
	}
	p := plan(t, "", fileLog(supportLog))
	p.Metrics = []MetricsOf{{Scorer: "function_call_exact_match", Label: "human", Metrics: list}}
	out, err := execute(t, p, filepath.Join(t.TempDir(), "run"), false)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range out.Report.Metrics {
		if m.N != 26 || m.Value == nil {
			t.Errorf("%+v", m)
			continue
		}
		got = append(got, m.Name+" "+value.OfFloat(value.Round4(*m.Value)).Text())
	}
	// 10 of 26 match exactly, 14 of 26 are right by hand, 10 are both.
	want := []string{"mean 0.3846", "F1 of human 0.8333", "share of full marks 0.3846"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestMetricsThatDoNotExistAreRefused(t *testing.T) {
	config, _ := value.ParseString(`["meen"]`)
	if _, err := metric.Parse(config); err == nil {
		t.Error("an unknown metric was accepted")
	}
}

package run

import (
	"time"

	"github.com/judgekit/judge/internal/deterministic"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/instrument"
)

// defaultCoverageFloor is the share of judgements that must be scored.
const defaultCoverageFloor = 0.95

// newManifest describes a run before it starts. team is the run's, with what was found out about
// its endpoints.
func newManifest(s *Spec, team *instrument.Team) *directory.Manifest {
	id, parts := s.identify(team)
	m := &directory.Manifest{
		Schema: directory.Schema, Status: directory.Running, Started: time.Now().UTC().Truncate(time.Second),
		Commit: s.Commit, Go: s.Go, Parts: parts, Config: s.Config, Directory: s.Directory,
		CoverageFloor: defaultCoverageFloor, Shard: s.Shard.String(), Profiles: team.Profiles(),
		Manifest: report.Manifest{
			RunID: id, Version: s.Version, Gold: s.Report.Gold, RandomLabels: s.RandomLabels,
			Rubrics: team.Scales(), Judges: team.Instruments(), Scorers: reportedScorers(s),
		},
	}
	if s.CoverageFloor != nil {
		m.CoverageFloor = *s.CoverageFloor
	}
	for i, l := range s.Logs {
		if i < len(s.hashes) && l.Bytes != nil {
			m.Logs = append(m.Logs, directory.LogBytes{Path: l.Name, SHA: s.hashes[i], Bytes: *l.Bytes})
		}
	}
	return m
}

// reportedScorers returns the run's scorers as a report knows them.
func reportedScorers(s *Spec) (out []report.Scorer) {
	ran := deterministic.ExecutionCheck
	for _, c := range s.scorers.Scorers() {
		if c.Key == ran.Name && s.Execution != nil {
			continue // the environment decides it
		}
		row, _ := deterministic.Find(c.Type)
		scorer := report.Scorer{Name: c.Key, Type: c.Type, DisplayName: s.DisplayNames[c.Key], Facts: row.Facts}
		for _, t := range s.thresholds {
			if t.Name == c.Key {
				scorer.Low, scorer.High = new(t.Low), t.High
			}
		}
		out = append(out, scorer)
	}
	if s.Execution != nil {
		out = append(out, report.Scorer{Name: ran.Name, Type: ran.Name, Facts: ran.Facts})
	}
	return out
}

package run

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/judgekit/judge/internal/deterministic"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges"
)

// defaultCoverageFloor is the default share of judgements that must be scored.
const defaultCoverageFloor = 0.95

// newManifest describes a run before it starts. team is the run's, with what was found out about
// its endpoints.
func newManifest(s *Spec, team *instrument.Team) *directory.Manifest {
	id, parts := s.identify(team)
	m := &directory.Manifest{
		Schema: directory.Schema, Status: directory.Running, Started: time.Now().UTC().Truncate(time.Second),
		Commit: s.Commit, Go: s.Go, Parts: parts, Config: s.Config, Directory: s.Directory,
		CoverageFloor: defaultCoverageFloor, Shard: s.Shard.String(), Series: s.Series, Profiles: team.Profiles(),
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

// reportedScorers returns the run's scorers as a report describes them.
func reportedScorers(s *Spec) (out []report.Scorer) {
	ran := deterministic.ExecutionCheck
	for _, c := range s.scorers.Scorers() {
		if c.Key == ran.Name && s.Execution != nil {
			continue // the environment decides this score
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

// identify computes the run's identity: the questions, the judges, and the bytes of the logs. The
// paths of the files, the speed of the requests and the form of the report do not count. team is
// the run's, with what was found out about its endpoints.
func (s *Spec) identify(team *instrument.Team) (id string, parts map[string]string) {
	var list, judging []string
	for _, r := range team.Rubrics {
		list = append(list, r.Name, r.SHA)
	}
	for _, t := range s.thresholds {
		list = append(list, "threshold "+t.String())
	}
	for i := range team.Judges {
		judging = append(judging, team.Judges[i].Identity())
	}
	judging = append(judging, team.Identity()...)
	var scorers, tools []value.Value
	for _, c := range s.Scorers {
		scorers = append(scorers, value.OfString(c.Type), value.OfString(c.Key), value.OfString(c.Purpose), c.Config)
	}
	if s.Execution != nil {
		scorers = append(scorers, s.Execution.identity)
	}
	for i := range s.Read.Tools {
		tools = append(tools, s.Read.Tools[i].Raw)
	}
	inputs := s.hashes
	if s.Series != "" {
		inputs = []string{s.Series}
	}
	all := map[string]value.Value{
		"inputs":  value.OfStrings(inputs...),
		"rubrics": value.OfStrings(list...),
		"judges":  value.OfStrings(judging...),
		"scorers": value.OfList(scorers...),
		"selection": value.OfList(value.OfInt(int64(s.Limit)), value.OfInt(int64(s.Sample)), value.OfInt(s.Seed),
			value.OfString(s.Read.Format), value.OfBool(s.Read.TextCalls), value.OfList(tools...)),
		"prompt": value.OfString(judges.PromptVersion),
	}
	parts = map[string]string{}
	members := make([]value.Member, 0, len(all))
	for _, name := range directory.Parts() {
		parts[name] = digest(all[name])[:16]
		members = append(members, value.Member{Key: name, Value: all[name]})
	}
	return digest(value.OfObject(members...))[:16], parts
}

// digest returns the hex SHA-256 of a value's canonical text.
func digest(v value.Value) string {
	sum := sha256.Sum256([]byte(v.Canonical()))
	return hex.EncodeToString(sum[:])
}

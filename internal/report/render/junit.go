package render

import (
	"encoding/xml"
	"fmt"
	"io"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/value"
)

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string      `xml:"classname,attr"`
	Name    string      `xml:"name,attr"`
	Failure *junitWords `xml:"failure,omitempty"`
	Skipped *junitWords `xml:"skipped,omitempty"`
	Out     string      `xml:"system-out,omitempty"`
}

type junitWords struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

func (s *junitSuite) add(c junitCase) {
	s.Tests++
	if c.Failure != nil {
		s.Failures++
	}
	if c.Skipped != nil {
		s.Skipped++
	}
	s.Cases = append(s.Cases, c)
}

// JUnit writes the report as JUnit XML: a suite of gates, whose failures are
// failures, and a suite of scores, which only inform: a score that could not be
// measured is skipped, never failed.
func JUnit(w io.Writer, r *report.Report) error {
	gates, scores := junitSuite{Name: "gates"}, junitSuite{Name: "scores"}
	for _, g := range r.Gates {
		c := junitCase{Class: "gates", Name: value.Visible(g.Name())}
		if !g.Passed {
			c.Failure = &junitWords{Message: value.Visible(g.Line)}
		} else {
			c.Out = value.Visible(g.Line)
		}
		gates.add(c)
	}
	for _, s := range r.Scores {
		name := s.Title()
		if s.Judge != "" {
			name += " by " + s.Judge
		}
		c := junitCase{Class: "scores." + s.Source, Name: value.Visible(name + " (" + s.Level + ")")}
		if s.N == 0 {
			c.Skipped = &junitWords{Message: fmt.Sprintf("no scores: %d unscored, %d errors, %d not applicable", s.Unscored, s.Errors, s.NotApplicable)}
		} else {
			c.Out = fmt.Sprintf("n %d, mean %s, pass rate %s, missing %d", s.N, mean(boundedMean(r, &s)), rate(s.PassRate), s.Unscored+s.Errors)
		}
		scores.add(c)
	}
	all := junitSuites{
		Name: "judge", Tests: gates.Tests + scores.Tests, Failures: gates.Failures,
		Suites: []junitSuite{gates, scores},
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return fmt.Errorf("write junit report: %w", err)
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", " ")
	if err := enc.Encode(all); err != nil {
		return fmt.Errorf("write junit report: %w", err)
	}
	if _, err := io.WriteString(w, "\n"); err != nil {
		return fmt.Errorf("write junit report: %w", err)
	}
	return nil
}

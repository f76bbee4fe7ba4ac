package render

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/groups"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/value"
)

type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
	// why says why the suite's calls fail; -1 is the whole conversation.
	why map[int]groups.Failure
}

type junitCase struct {
	Class   string      `xml:"classname,attr"`
	Name    string      `xml:"name,attr"`
	Failure *junitWords `xml:"failure,omitempty"`
	Skipped *junitWords `xml:"skipped,omitempty"`
	Out     string      `xml:"system-out,omitempty"`
	// call is the number of the call; fails says that the score fails it.
	call  int
	fails bool
}

type junitWords struct {
	Message string `xml:"message,attr"`
}

// maxMessage limits a message, in characters.
const maxMessage = 1000

func (s *junitSuite) add(c junitCase) {
	c.Class, c.Name, c.Out = value.Visible(c.Class), value.Visible(c.Name), words.Shorten(c.Out, maxMessage)
	s.Tests++
	if c.Failure != nil {
		s.Failures++
		c.Failure.Message = words.Shorten(c.Failure.Message, maxMessage)
	}
	if c.Skipped != nil {
		s.Skipped++
		c.Skipped.Message = words.Shorten(c.Skipped.Message, maxMessage)
	}
	s.Cases = append(s.Cases, c)
}

// writeJUnit writes the report as JUnit XML: a suite with the gates, which fail as the gates do; a
// suite with the scores, for information; and a suite per conversation, with a case for each of its
// items and gated scores. The case of a failing item is a failure only if its gate failed;
// otherwise it is skipped, with the reason, so that a passing gate never fails a job. scores starts
// a pass over the run's scores, nil for none. They are read twice, and only one conversation is
// held at a time.
func writeJUnit(w io.Writer, r *report.Report, scores func() iter.Seq2[score.Score, error]) error {
	tests, failures := 0, 0
	for s, err := range suites(r, scores) {
		if err != nil {
			return fmt.Errorf("write junit report: %w", err)
		}
		tests, failures = tests+s.Tests, failures+s.Failures
	}
	out := bufio.NewWriter(w) // it keeps the first error for Flush
	fmt.Fprintf(out, "%s<testsuites name=\"judge\" tests=\"%d\" failures=\"%d\">\n", xml.Header, tests, failures)
	for s, err := range suites(r, scores) {
		var text []byte
		if err == nil {
			text, err = xml.MarshalIndent(s, " ", " ")
		}
		if err != nil {
			return fmt.Errorf("write junit report: %w", err)
		}
		fmt.Fprintf(out, "%s\n", text)
	}
	fmt.Fprintln(out, "</testsuites>")
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write junit report: %w", err)
	}
	return nil
}

// suites yields the suite of the gates, that of the scores, and one per conversation with gated
// scores, in log order.
func suites(r *report.Report, scores func() iter.Seq2[score.Score, error]) iter.Seq2[*junitSuite, error] {
	return func(yield func(*junitSuite, error) bool) {
		if !yield(gateSuite(r), nil) || !yield(scoreSuite(r), nil) || scores == nil {
			return
		}
		redecide, one, judge := measure.Redecider(r), &junitSuite{}, r.Run.Named().LeadingJudge()
		for s, err := range score.Good(scores()) {
			if err != nil {
				yield(nil, err)
				return
			}
			if name := value.Visible(s.ConversationID); name != one.Name {
				if one.Tests > 0 && !yield(one.grouped(r), nil) {
					return
				}
				one = &junitSuite{Name: name, why: map[int]groups.Failure{}}
			}
			s = redecide(s)
			one.addReason(&s, judge)
			if gates := gatesOf(r, &s); len(gates) > 0 {
				one.add(itemCase(&s, gates))
			}
		}
		if one.Tests > 0 {
			yield(one.grouped(r), nil)
		}
	}
}

// addReason records why a score fails its call, if it does.
func (s *junitSuite) addReason(of *score.Score, judge string) {
	passed := measure.VerdictOf(of)
	if passed == nil || *passed || of.Purpose != "" || of.Scope == score.ScopeResult || of.Scope == score.ScopeTurn {
		return
	}
	call := report.CaseRef{CallIndex: of.CallIndex}.Call()
	reason, known := groups.Of(of, judge), s.why[call]
	if reason.Compare(&known) < 0 {
		s.why[call] = reason
	}
}

// grouped adds the id of the call's group to the messages of failing cases.
func (s *junitSuite) grouped(r *report.Report) *junitSuite {
	for i := range s.Cases {
		c := &s.Cases[i]
		g := r.GroupOf(s.why[c.call].ID())
		if !c.fails || g == nil {
			continue
		}
		for _, w := range []*junitWords{c.Failure, c.Skipped} {
			if w != nil {
				w.Message += " [" + g.ID + ": " + g.Name + "]"
			}
		}
	}
	return s
}

func gateSuite(r *report.Report) *junitSuite {
	s := &junitSuite{Name: "gates"}
	for _, g := range r.Gates {
		c := junitCase{Class: "gates", Name: words.GateName(g), Out: g.Line}
		if !g.Passed {
			c.Out, c.Failure = "", &junitWords{g.Line}
		}
		s.add(c)
	}
	return s
}

func scoreSuite(r *report.Report) *junitSuite {
	out := &junitSuite{Name: "scores"}
	for i := range r.Scores {
		s := &r.Scores[i]
		c := junitCase{Class: "scores." + s.Source, Name: s.Words() + " (" + s.Level + ")"}
		if s.N > 0 {
			c.Out = words.ScoreSummary(r, s)
		} else {
			c.Skipped = &junitWords{words.NoScores(s)}
		}
		out.add(c)
	}
	return out
}

// gatesOf returns the results of the gates that concern a score.
func gatesOf(r *report.Report, s *score.Score) []*report.GateResult {
	var out []*report.GateResult
	title := report.Instrument{Name: s.Name, Metric: s.Metric}.Title()
	for i := range r.Gates {
		g := &r.Gates[i]
		of := (g.Judge == "" || g.Judge == s.Judge) && (g.Tool == "" || g.Tool == s.Tool)
		if of && g.Score == title && s.Purpose == "" {
			out = append(out, g)
		}
	}
	return out
}

// itemCase returns the case for one score of a call or a conversation.
func itemCase(s *score.Score, gates []*report.GateResult) junitCase {
	in := report.Instrument{Name: s.Name, Metric: s.Metric, Judge: s.Judge}
	c := junitCase{Class: s.ConversationID, Name: in.Words(), call: report.CaseRef{CallIndex: s.CallIndex}.Call()}
	if s.CallIndex != nil {
		c.Name = strings.TrimSpace(fmt.Sprintf("call %d %s", *s.CallIndex, s.Tool)) + ": " + c.Name
	}
	passed := measure.VerdictOf(s)
	switch {
	case s.Value == nil && s.Error != nil:
		c.Skipped = &junitWords{string(s.Status) + ": " + s.Error.Kind + ": " + s.Error.Message}
	case s.Value == nil:
		c.Skipped = &junitWords{string(s.Status)}
	case passed == nil:
		c.Skipped = &junitWords{"no pass mark: " + words.Short(*s.Value)}
	case *passed:
		c.Out = words.Short(*s.Value)
	default:
		c.fails = true
		message := &junitWords{strings.TrimSpace(words.Short(*s.Value) + " " + s.Explanation)}
		if g := decisive(gates); g != nil {
			message.Message += " (" + g.Line + ")"
			c.Failure = message
		} else {
			message.Message = "fails, and its gate does not: " + message.Message
			c.Skipped = message
		}
	}
	return c
}

// decisive returns the first failed gate that is about the scores themselves, nil if none.
// A call is not at fault if a gate on agreement or coverage fails.
func decisive(gates []*report.GateResult) *report.GateResult {
	for _, g := range gates {
		if !g.Passed && g.Measure != report.MeasureMinKappa && g.Measure != report.MeasureMinCoverage {
			return g
		}
	}
	return nil
}

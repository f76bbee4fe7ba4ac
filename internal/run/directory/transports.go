package directory

import (
	"fmt"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/judges"
)

// TransportCount is how many answers of a judge came by one way of asking for
// structured output.
type TransportCount struct {
	Judge     string        `json:"judge"`
	Transport llm.Transport `json:"transport"`
	Answers   int           `json:"answers"`
}

// CountTransport counts an answer, in the order of the log.
func (m *Manifest) CountTransport(r *judges.Result) {
	if r.Fingerprint == "" {
		return // nothing came
	}
	at := slices.IndexFunc(m.Transports, func(c TransportCount) bool { return c.Judge == r.Judge && c.Transport == r.Transport })
	if at < 0 {
		at = len(m.Transports)
		m.Transports = append(m.Transports, TransportCount{Judge: r.Judge, Transport: r.Transport})
	}
	m.Transports[at].Answers++
}

// Mixed warns of each judge whose answers came by more than one transport: they are
// not of one instrument.
func (m *Manifest) Mixed() []report.Warning {
	var out []report.Warning
	var done []string
	for _, c := range m.Transports {
		if slices.Contains(done, c.Judge) {
			continue
		}
		done = append(done, c.Judge)
		var ways []string
		for _, t := range llm.Ladder() {
			for _, d := range m.Transports {
				if d.Judge == c.Judge && d.Transport == t {
					ways = append(ways, fmt.Sprintf("%d by %s", d.Answers, t))
				}
			}
		}
		if len(ways) > 1 {
			out = append(out, report.Warning{Code: "mixed_transports", Text: fmt.Sprintf(
				"judge %s: answers came by more than one transport (%s): the endpoint took a stricter one for some items only, and scores asked for in two ways are those of two instruments; fix one with transport: in the configuration and judge anew, or split them by details.transport of %s",
				c.Judge, strings.Join(ways, ", "), ScoresFile)})
		}
	}
	return out
}

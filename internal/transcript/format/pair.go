package format

import (
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// pair finds the result of each call. A result with an id belongs to the earliest unanswered call
// before it with that id. The rest is paired by order: a result belongs to the first unanswered
// call of the same tool in the nearest earlier message that has one (if the result names no tool,
// in the nearest message with calls). Results and calls that stay alone are kept.
func (d *draft) pair() {
	// waiting holds the unanswered calls of each id. There is no entry for an empty id.
	waiting := map[string][]int{}
	for i := range d.Calls {
		c := &d.Calls[i]
		asked := c.Context || d.asked(c)
		switch {
		case c.ID == "" && !asked:
			d.note("call_without_id", c.Place, c.Name)
		case c.ID != "":
			if waiting[c.ID] != nil && !asked {
				d.note("recurring_id", c.Place, "the id "+value.Quote(c.ID)+" was used before in this conversation")
			}
			waiting[c.ID] = append(waiting[c.ID], i)
		}
	}
	var rest []int
	for i := range d.Messages {
		m := &d.Messages[i]
		if m.Role != transcript.ToolRole || m.Result >= 0 {
			continue
		}
		calls := waiting[m.ResultID]
		if len(calls) == 0 || d.Calls[calls[0]].Message >= i {
			rest = append(rest, i)
			continue
		}
		d.link(calls[0], i, "id")
		waiting[m.ResultID] = calls[1:]
	}
	d.pairByOrder(rest, waiting)
	for i := range d.Calls {
		if d.Calls[i].Pairing == "" {
			d.Calls[i].Pairing = "none"
		}
	}
}

func (d *draft) link(call, message int, pairing string) {
	d.Calls[call].Result, d.Calls[call].Pairing = message, pairing
	d.Messages[message].Result = call
}

// pairByOrder pairs the results in the given messages. A result whose id no call has may still
// belong to a call without an id.
func (d *draft) pairByOrder(messages []int, ids map[string][]int) {
	answered := map[int]int{}
	for _, i := range messages {
		m := &d.Messages[i]
		call := -1
		if _, known := ids[m.ResultID]; !known {
			call = d.byOrder(i, answered)
		}
		if call < 0 {
			d.note("orphan_result", d.places[i], "the result belongs to no call: "+value.Quote(m.Content))
			continue
		}
		d.link(call, i, "order")
		d.note("paired_by_order", d.places[i], "the result names no call of the log and was given to "+
			d.Calls[call].Name+" at "+d.Calls[call].Place)
	}
}

// orderReach limits how many messages with calls, and how many calls in each, are searched for a
// result without an id.
const orderReach = 64

// byOrder returns the call that a message's result answers by order; -1 if none. answered
// counts the calls at the beginning of each message that are known to be answered.
func (d *draft) byOrder(message int, answered map[int]int) int {
	m := &d.Messages[message]
	looked := 0
	for j := message - 1; j >= 0 && looked < orderReach; j-- {
		calls := d.Messages[j].Calls
		if len(calls) == 0 {
			continue
		}
		looked++
		for answered[j] < len(calls) && d.Calls[calls[answered[j]]].Result >= 0 {
			answered[j]++
		}
		calls = calls[answered[j]:]
		for _, call := range calls[:min(len(calls), orderReach)] {
			c := &d.Calls[call]
			if c.Result < 0 && (m.ToolName == "" || m.ToolName == c.Name) && (m.ResultID == "" || c.ID == "") {
				return call
			}
		}
		if m.ToolName == "" {
			return -1
		}
	}
	return -1
}

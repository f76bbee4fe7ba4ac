package comparison

import (
	"cmp"

	"github.com/judgekit/judge/internal/report"
)

// smallShare is the share of calls without a partner up to which the calls themselves
// are compared: beyond it the agent does something else, and what both runs called is
// no picture of either.
const smallShare = 0.05

// byConversation reports whether scores of calls decide as reduced to conversations.
func (c *comparer) byConversation() bool { return c.Calls.Unpaired > smallShare }

// rows adds the rows of a pair: those that decide first, then the others, each kind
// before its rows by tool.
func (c *comparer) rows(p seriesPair) error {
	if p.a.Level != report.CallLevel {
		whole := newChangeSums()
		for _, pair := range c.itemsOf(p) {
			whole.add(pair.Judge, pair.Ref)
		}
		c.flips(p)
		if err := c.addRows(p, "", true, whole, nil); err != nil {
			return err
		}
		return c.conversationRows(p)
	}
	c.flips(p)
	calls := func() error {
		whole, tools := c.callSums(p)
		return c.addRows(p, "", !c.byConversation(), whole, tools)
	}
	if !c.byConversation() {
		if err := calls(); err != nil {
			return err
		}
	}
	r := c.reduce(p)
	for _, one := range []struct {
		how   string
		sums  *changeSums
		tools []*changeSums
	}{{report.ReduceMean, r.mean, r.tools}, {report.ReduceMin, r.min, nil}} {
		if err := c.addRows(p, one.how, c.byConversation(), one.sums, one.tools); err != nil {
			return err
		}
	}
	if c.byConversation() {
		return calls()
	}
	return nil
}

// callSums pairs the calls that both runs have, and those of each tool.
func (c *comparer) callSums(p seriesPair) (whole *changeSums, tools []*changeSums) {
	whole, tools = newChangeSums(), make([]*changeSums, len(c.items.Tools()))
	for _, pair := range c.itemsOf(p) {
		a, b := pair.Judge, pair.Ref
		toolA, inA := c.a.Table.Called(a.Item)
		toolB, inB := c.b.Table.Called(a.Item)
		if c.Calls.Known && !(inA && inB) {
			continue // there is no such call in the other run, so that no score is missing
		}
		whole.add(a, b)
		if toolA != toolB || inA != inB {
			continue // of two calls of different tools, neither tool can be compared
		}
		tool := a.Item.Tool
		if tools[tool] == nil {
			tools[tool] = newChangeSums()
		}
		tools[tool].add(a, b)
	}
	return whole, tools
}

// addRows adds a row over all items and one for each tool, tools by number.
func (c *comparer) addRows(p seriesPair, how string, decides bool, whole *changeSums, tools []*changeSums) error {
	for t, sums := range append([]*changeSums{whole}, tools...) {
		if sums == nil || t > 0 && len(sums.mean.items) == 0 {
			continue
		}
		row, err := c.row(p, sums)
		if err != nil {
			return err
		}
		row.Reduced, row.Decides = how, decides
		if how != "" {
			row.Level = report.ConversationLevel
		}
		if t > 0 {
			row.Tool = cmp.Or(c.items.Tools()[t-1], "(no tool)")
		}
		c.out.Rows = append(c.out.Rows, row)
	}
	return nil
}

// conversationRows adds the rows by tool of a pair that speaks of whole conversations:
// those that have to do with the tool in either run.
func (c *comparer) conversationRows(p seriesPair) error {
	if p.a.Level != report.ConversationLevel || c.items.Calls() == 0 {
		return nil
	}
	tools := make([]*changeSums, len(c.items.Tools()))
	for _, pair := range c.itemsOf(p) {
		c.items.ToolsOf(pair.Judge.Item.Conversation, func(tool uint32) {
			if tools[tool] == nil {
				tools[tool] = newChangeSums()
			}
			tools[tool].add(pair.Judge, pair.Ref)
		})
	}
	for t, sums := range tools {
		if sums == nil || len(sums.mean.items) == 0 {
			continue
		}
		row, err := c.row(p, sums)
		if err != nil {
			return err
		}
		row.Tool = cmp.Or(c.items.Tools()[t], "(no tool)")
		c.out.ByToolConversations = append(c.out.ByToolConversations, row)
	}
	return nil
}

package transcript

import (
	"maps"
	"slices"
)

// Material counts the labelled cases of one tool by kind. A tool is tested as a whole
// when it has one of each: a call that is right, a conversation where no call is, and a
// call that fails.
type Material struct {
	// Positive counts conversations whose reference names the tool, Negative those whose
	// reference says that no call is right although the agent had the tool (or called
	// it), Recovery those with a reference in which a call of the tool failed.
	Positive int `json:"positive"`
	Negative int `json:"negative"`
	Recovery int `json:"recovery"`
}

// Missing are the kinds of which there is no case.
func (m Material) Missing() []string {
	out := []string{}
	for _, k := range []struct {
		n    int
		name string
	}{{m.Positive, "positive"}, {m.Negative, "negative"}, {m.Recovery, "recovery"}} {
		if k.n == 0 {
			out = append(out, k.name)
		}
	}
	return out
}

// addMaterial counts the labelled cases of a conversation with a reference, each tool
// once for each kind.
func (s *Summary) addMaterial(c *Conversation) {
	if c.Expected == nil || c.Expected.Calls == nil {
		return
	}
	positive, negative, recovery := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for i := range c.Expected.Calls {
		if e := &c.Expected.Calls[i]; e.Requestor != "user" {
			positive[e.Name] = true
		}
	}
	none := len(c.Expected.Calls) == 0
	for i := range c.Tools {
		negative[c.Tools[i].Name] = true
	}
	for i := range c.Calls {
		call := &c.Calls[i]
		if call.Executor == "user" || call.Context {
			continue
		}
		negative[call.Name] = true
		if _, failed := c.Failure(call); failed {
			recovery[call.Name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(positive)) {
		s.tool(name).Material.Positive++
	}
	for _, name := range slices.Sorted(maps.Keys(negative)) {
		s.tool(name).Material.Negative += b2i(none)
	}
	for _, name := range slices.Sorted(maps.Keys(recovery)) {
		s.tool(name).Material.Recovery++
	}
}

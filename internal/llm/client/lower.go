package client

import (
	"github.com/judgekit/judge/internal/llm"
)

// maxLowered is how many schemas are remembered as they are sent.
const maxLowered = 64

type schemaKey struct {
	schema string
	strict bool
}

// lowered is the schema of a request as this kind of server takes it.
func (c *Client) lowered(r *llm.Request) llm.Lowered {
	uses := r.Transport == llm.JSONSchema || r.Transport == llm.Tools || r.Transport == llm.JSONObject && c.cfg.Kind == llm.KindLlamaCPP
	if !uses || len(r.Schema.JSON) == 0 {
		return llm.Lowered{Schema: r.Schema.JSON}
	}
	key := schemaKey{string(r.Schema.JSON), r.Schema.Strict}
	c.mu.Lock()
	low, ok := c.low[key]
	c.mu.Unlock()
	if ok {
		return low
	}
	low = llm.Lower(r.Schema.JSON, c.cfg.Kind, r.Schema.Strict)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.low == nil || len(c.low) >= maxLowered {
		c.low = map[schemaKey]llm.Lowered{}
	}
	c.low[key] = low
	return low
}

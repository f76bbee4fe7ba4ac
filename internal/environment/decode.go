package environment

import (
	"github.com/judgekit/judge/internal/settings"
	"github.com/judgekit/judge/internal/value"
)

// ParseConfig parses the environment block of a settings file. The error lists every unknown key
// and wrong type, or is Validate's *ConfigError.
func ParseConfig(v value.Value) (c Config, err error) {
	if err := settings.Decode(v, &c); err != nil {
		return Config{}, err
	}
	return c, c.Validate()
}

// ReadNode implements settings.setting.
func (e *Expected) ReadNode(n *settings.Node) {
	if word, ok := n.Str(); ok {
		e.From = word
		return
	}
	n.Struct(e)
}

// ReadNode implements settings.setting.
func (list *Variables) ReadNode(n *settings.Node) {
	n.Each(func(name string, n *settings.Node) {
		v := Variable{Name: name}
		n.Fill(&v.Value)
		*list = append(*list, v)
	})
}

// ReadNode implements settings.setting.
func (list *Tolerances) ReadNode(n *settings.Node) {
	if v := n.Value; v.IsNumber() {
		*list = Tolerances{{Path: "/**", By: v}}
		return
	}
	n.Each(func(pattern string, n *settings.Node) {
		*list = append(*list, PathNumber{Path: pattern, By: n.Value})
	})
}

package literal

import "encoding/json"

// Append spells a value as JSON; an absent one is null.
func Append(b []byte, n *Node) []byte {
	switch n.Kind {
	case String:
		return AppendString(b, n.Text)
	case Array, Object:
		open, shut := byte('['), byte(']')
		if n.Kind == Object {
			open, shut = '{', '}'
		}
		b = append(b, open)
		for i := range n.List {
			if i > 0 {
				b = append(b, ',')
			}
			if n.Kind == Object {
				b = append(AppendString(b, n.Keys[i]), ':')
			}
			b = Append(b, &n.List[i])
		}
		return append(b, shut)
	case Absent:
		return append(b, "null"...)
	}
	return append(b, n.Text...)
}

// AppendString spells a string as JSON.
func AppendString(b []byte, s string) []byte {
	plain := true
	for i := 0; i < len(s) && plain; i++ {
		plain = s[i] >= ' ' && s[i] < 0x7f && s[i] != '"' && s[i] != '\\'
	}
	if plain {
		return append(append(append(b, '"'), s...), '"')
	}
	q, err := json.Marshal(s)
	if err != nil {
		return append(b, `""`...)
	}
	return append(b, q...)
}

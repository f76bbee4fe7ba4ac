package value

import "fmt"

// Of turns a Go value into a Value: a text, a truth value, a number, a list of texts or a list of
// values. A pointer stands for what it points to, a nil pointer for null. Any other type panics.
func Of(v any) Value {
	switch v := v.(type) {
	case Value:
		return v
	case string:
		return OfString(v)
	case bool:
		return OfBool(v)
	case int:
		return OfInt(int64(v))
	case int64:
		return OfInt(v)
	case float64:
		return OfFloat(v)
	case *float64:
		return ofPointer(v)
	case *bool:
		return ofPointer(v)
	case *Value:
		return ofPointer(v)
	case []string:
		return OfStrings(v...)
	case []Value:
		return OfList(v...)
	}
	panic(fmt.Sprintf("a value of %T", v))
}

func ofPointer[T any](p *T) Value {
	if p == nil {
		return Value{}
	}
	return Of(*p)
}

// Pairs returns the object with these keys and values (key, value, key, value, …), each value as [Of] makes it.
func Pairs(pairs ...any) Value {
	items := make([]Member, 0, len(pairs)/2)
	for i := 0; i < len(pairs); i += 2 {
		items = append(items, Member{pairs[i].(string), Of(pairs[i+1])})
	}
	return ObjectOf(items)
}

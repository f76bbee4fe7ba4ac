package value

import "fmt"

// Of makes a value of what programs have: texts, truth values, numbers, lists of texts and
// values. A nil pointer is null.
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
		if v == nil {
			return Value{}
		}
		return OfFloat(*v)
	case []string:
		return OfStrings(v...)
	case []Value:
		return OfList(v...)
	}
	panic(fmt.Sprintf("a value of %T", v))
}

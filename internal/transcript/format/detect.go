package format

import (
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// Detection says what a log was taken for, and why.
type Detection struct {
	// Format is the name of the format, "" if none is known.
	Format string
	// Readable says that it is one of Formats.
	Readable bool
	// Evidence says what decided, in words for people: the rule that fired.
	Evidence string
	// Also are the other readable formats whose rules the log meets.
	Also []string
}

// Detect names the format of a log by the beginning of its text (after compression and
// byte order mark are off). Of a text that is cut in the middle of a value, what is
// complete decides. An error says that two formats fit and none of them better.
func Detect(head []byte) (Detection, error) {
	d, err := detect(firstValue(head))
	d.Readable = formatOf(d.Format) != nil
	return d, err
}

// firstValue is the first JSON value of head, as far as it is complete; null if it is
// no list or object.
func firstValue(head []byte) value.Value {
	return value.ParsePrefix(string(head))
}

// detect applies the rules in their order: the first that fires decides, the others that
// fire too are named.
func detect(v value.Value) (Detection, error) {
	first := v
	if v.IsList() {
		if v.Len() == 0 {
			return Detection{Format: native.name, Evidence: "an empty list"}, nil
		}
		first = v.At(0)
	}
	var d Detection
	for _, f := range formats {
		switch {
		case f.is == nil || !f.is(v, first):
		case d.Format == "":
			d = Detection{Format: f.name, Evidence: f.mark}
		case f.read != nil && !f.loose && family(f.name) != family(d.Format):
			d.Also = append(d.Also, f.name)
		}
	}
	switch {
	case d.Format != "":
		return d, nil
	case first.Field("messages").IsList():
		return chatFamily(first.Field("messages"), first)
	case v.IsList() && first.Has("role"):
		return chatFamily(v, value.Value{})
	}
	return Detection{}, nil
}

// family is the part of a format's name that its variants share.
func family(name string) string {
	family, _, _ := strings.Cut(name, "+")
	return strings.TrimSuffix(family, "-other")
}

// foreignMessage names the format of a message that only one format has.
func foreignMessage(m value.Value) string {
	for _, f := range formats {
		if f.message != nil && f.message(m) {
			return f.name
		}
	}
	return ""
}

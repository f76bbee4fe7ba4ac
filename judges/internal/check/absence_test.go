package check

import (
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestAbsent(t *testing.T) {
	names := []string{"get_user_details", "get_user", "math.factorial", "check", "find-user"}
	for text, want := range map[string][]string{
		"NONE: no get_user call":                                    {"get_user"},
		"NONE: the record holds no get_user result before the call": {"get_user"},
		"NONE: no prior get_user_details call":                      {"get_user_details"},
		"NONE: no prior call to the get_user tool.":                 {"get_user"},
		"NONE: no earlier GET_USER":                                 {"get_user"},
		"NONE: no get_user or get_user_details call":                {"get_user", "get_user_details"},
		"NONE: there is no sign of a get_user lookup":               {"get_user"},
		"NONE: no result from math.factorial.":                      {"math.factorial"},
		"NONE: get_user was never called":                           {"get_user"},
		"NONE: get_user has not yet been invoked":                   {"get_user"},
		"NONE: the agent never called get_user":                     {"get_user"},
		"NONE: the agent didn’t call the get_user tool, it guessed": {"get_user"},
		"NONE: the refund was made without a get_user call":         {"get_user"},
		"NONE: no prior find-user invocation":                       {"find-user"},
		"NONE: no email in the get_user result":                     nil,
		"NONE: no user_id was passed to the get_user call":          nil,
		"NONE: no matching value returned by the get_user call":     nil,
		"NONE: no confirmation before the get_user call":            nil,
		"NONE: no confirmation prior to get_user":                   nil,
		"NONE: no prior get_user call for user 42":                  nil,
		"NONE: no get_user call with that id":                       nil,
		"NONE: no get_user call was needed":                         nil,
		"NONE: no get_user call is missing":                         nil,
		"NONE: no failed get_user call":                             nil,
		"NONE: no second get_user call":                             nil,
		"NONE: no reason to make a get_user call":                   nil,
		"NONE: no order is named; the get_user call came first":     nil,
		"NONE: get_user was called":                                 nil,
		"NONE: get_user was called and not refused":                 nil,
		"NONE: no get_user_id was given":                            nil,
		"NONE: no my.get_user call and no get_user.all call":        nil,
		"NONE: nothing is missing":                                  nil,
		"":                                                          nil,
	} {
		if d := cmp.Diff(want, absent(text, names)); d != "" {
			t.Errorf("%s: %s", text, d)
		}
	}
}

func FuzzAbsent(f *testing.F) {
	f.Add("NONE: no get_user call", "get_user")
	f.Add("wasn’t\xff called a.b", "a.b")
	f.Fuzz(func(t *testing.T, text, name string) {
		if len(name) < 3 || !utf8.ValidString(name) {
			t.Skip()
		}
		for _, got := range absent(text, []string{name}) {
			if got != name {
				t.Errorf("%q: found %q", text, got)
			}
		}
	})
}

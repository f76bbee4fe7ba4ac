package deterministic

// Spec is what people need to know of a scorer. The page docs/scorers.md and the
// schema of judge.yaml are written from it, and configurations are held against it.
type Spec struct {
	Name string
	// Level is what one score is about: "conversation", "call" or "reply".
	Level string
	// Says is one sentence.
	Says string
	// Actual, Expected and Tools are the input forms of a case; "" is not read.
	Actual, Expected, Tools string
	// Outputs are the fields of a result beside score, passed and reason.
	Outputs string
	// Logs is where the input comes from when a log is scored.
	Logs     string
	Settings []Setting
}

// Setting is one key of a scorer's configuration.
type Setting struct {
	Name string
	// Type is a JSON type, or several joined by " or ".
	Type string
	// Words are the values that it may have; none means any of its type.
	Words []string
	// Default is JSON; "" where there is none.
	Default string
	Says    string
}

// Specs returns the description of every scorer, in the order of the table.
func Specs() []Spec {
	var out []Spec
	for _, k := range table() {
		out = append(out, k.Spec)
	}
	return out
}

func (s *Spec) keys() []string {
	keys := make([]string, len(s.Settings))
	for i := range keys {
		keys[i] = s.Settings[i].Name
	}
	return keys
}

func toggle(name, says string) Setting {
	return Setting{Name: name, Type: "boolean", Default: "false", Says: says}
}

// choice is a setting with a few values, the first of which is the default.
func choice(name, says string, words ...string) Setting {
	return Setting{Name: name, Type: "string", Words: words, Default: `"` + words[0] + `"`, Says: says}
}

// optional is a choice without a default.
func optional(name, says string, words ...string) Setting {
	return Setting{Name: name, Type: "string", Words: words, Says: says}
}

// The forms that several scorers read.
const (
	callsForm = "calls in any form: an object or a list of them (name with arguments, parameters, input or args; OpenAI, Anthropic, Gemini), " +
		"messages with calls, JSON text of these, or Python call text such as `f(a=1)`"
	expectedForm = "calls in any form; `[]` says that no call is right, null is an error"
	toolsForm    = "tool definitions: `{name, parameters}` with a JSON Schema under parameters, input_schema or inputSchema, or inside function"
	pairLogs     = "the agent's calls against the expected calls of the log"
	callLogs     = "every call against the tool inventory"
)

// readSettings are those that change how calls are read and compared.
func readSettings(more ...Setting) []Setting {
	return append([]Setting{
		toggle("strict_type_check", "an int is no float, a tuple no list"),
		toggle("ignore_extra_params", "arguments that nobody expects cost nothing"),
		optional("compat", "reproduces that program, quirks included", "futureagi"),
	}, more...)
}

func orderSetting() Setting {
	return toggle("order_matters", "calls are paired by position and not as a set")
}

// familySettings are those of the scorers that pair calls by a score.
func familySettings(more ...Setting) []Setting {
	weight := func(name, of, fallback string) Setting {
		return Setting{Name: name, Type: "number", Default: fallback, Says: "weight of " + of + " in the score of a pair"}
	}
	return readSettings(append([]Setting{
		orderSetting(),
		weight("name_weight", "the name", "0.4"),
		weight("presence_weight", "the parameters that are there", "0.3"),
		weight("value_weight", "the values that are equal", "0.3"),
	}, more...)...)
}

package instrument

import (
	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/capability"
)

// Profile is what a run relies on about one judge's endpoint: how structured output
// is asked for, and what is known of the server. It is part of run.json, and a
// resumed run goes by it without asking again.
type Profile struct {
	Judge     string        `json:"judge"`
	Model     string        `json:"model"`
	Endpoint  string        `json:"endpoint,omitempty"`
	Kind      llm.Kind      `json:"kind"`
	Version   string        `json:"version,omitempty"`
	Transport llm.Transport `json:"transport"`
	// CorrectionAsText says that the correction is asked for as a string.
	CorrectionAsText bool `json:"correction_as_text,omitempty"`
	// Strict says that schemas go out with strict set, which makes a hosted service
	// enforce them.
	Strict bool `json:"strict,omitempty"`
	// Reasoning says that answers get extra tokens because the model thinks first.
	Reasoning bool `json:"reasoning,omitempty"`
	// Fields are the members of a request that the server refused, and what is done about
	// each; Temperature and TopP are what the model is sampled at because it loops at 0.
	Fields      []capability.FieldChange `json:"fields,omitempty"`
	Temperature *float64                 `json:"temperature,omitempty"`
	TopP        *float64                 `json:"top_p,omitempty"`
	// ContextTokens is the server's window, 0 where it is not known.
	ContextTokens int `json:"context_tokens,omitempty"`
	// MeasuredTokens is the length of the prompt by which the window was measured, before
	// the first judgement, 0 where it was not: ContextTokens is then what was found, and 0
	// where that prompt was counted in full.
	MeasuredTokens int `json:"measured_tokens,omitempty"`
	// Slots is how many requests the server works on at once, 0 where it does not tell.
	Slots int `json:"slots,omitempty"`
	// Unenforced says for each rubric which demands of its schema the server does not
	// hold an answer to: only the check of the answer does.
	Unenforced []Unenforced `json:"unenforced,omitempty"`
	// BytesPerToken is what the first replies of the run counted; 0 where they were not
	// asked for, or told nothing.
	BytesPerToken float64 `json:"bytes_per_token,omitempty"`
	// Source is "probed", or "stored" for the result of an earlier probe; "given" only
	// where nothing was found out. TransportGiven says that the user chose the transport.
	Source         string `json:"source"`
	TransportGiven bool   `json:"transport_given,omitempty"`
}

// Unenforced are demands of a rubric's schema that a kind of server does not enforce.
type Unenforced struct {
	Rubric string `json:"rubric"`
	// Demands are JSON pointers into the schema, each with what became of it.
	Demands []string `json:"demands"`
}

// The sources of a profile.
const (
	profileGiven  = "given"
	profileProbed = "probed"
	profileStored = "stored"
)

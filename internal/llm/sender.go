package llm

import (
	"context"
	"encoding/json"
)

// Sender sends one prepared request, once, and returns the raw reply, by HTTP, a batch file or a
// queue of work. The fingerprint, journal and retries before it, and [ParseReply] after it, do
// not know which. The error is an [*Error]; the reply then holds what was received.
type Sender interface {
	Send(ctx context.Context, req *Prepared) (RawReply, error)
}

// RawReply is a reply as it came.
type RawReply struct {
	Status  int               // of HTTP; 0 until the head of a reply arrived
	Headers map[string]string // selected ones, names in lower case
	Body    []byte            // secrets replaced by [redacted]
}

// Prepared is a checked request with what is computed from it once.
type Prepared struct {
	*Request
	Kind        Kind // of the server
	Fingerprint Fingerprint
	// Sent is the schema as this kind of server takes it, see [Lower]; nil if none is sent.
	Sent json.RawMessage
}

// Prepare checks a request and computes its fingerprint. Every error is an [*Error] of
// [KindBadRequest].
func (r *Request) Prepare(kind Kind, promptVersion string) (*Prepared, error) {
	if err := r.validate(); err != nil {
		return nil, err
	}
	fp, err := FingerprintOf(r, kind, promptVersion)
	if err != nil {
		return nil, &Error{Kind: KindBadRequest, Message: err.Error()}
	}
	p := &Prepared{Request: r, Kind: kind, Fingerprint: fp}
	if r.Transport == JSONSchema || r.Transport == Tools || p.SchemaBesideObject() {
		p.Sent = r.Schema.sentTo(kind)
	}
	return p, nil
}

// SchemaBesideObject reports a json_object that goes with its schema: llama.cpp does not
// constrain it otherwise.
func (p *Prepared) SchemaBesideObject() bool {
	return p.Kind == KindLlamaCPP && p.Transport == JSONObject && len(p.Schema.JSON) > 0
}

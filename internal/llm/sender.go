package llm

import (
	"context"
	"encoding/json"
)

// Sender sends one prepared request, once, and returns the raw reply: over HTTP, a batch file or a
// queue of work. The fingerprint, journal and retries before it, and [ParseReply] after it, are the
// same for all of these. Errors are [*Error] values; the reply then holds what was received.
type Sender interface {
	Send(ctx context.Context, req *Prepared) (RawReply, error)
}

// RawReply is a reply as it was received.
type RawReply struct {
	Status  int               // HTTP status; 0 until the head of a reply has arrived
	Headers map[string]string // selected ones, with names in lower case
	Body    []byte            // with secrets replaced by [redacted]
}

// Prepared is a validated request with the values that are computed from it once.
type Prepared struct {
	*Request
	Kind        Kind // the kind of server
	Fingerprint Fingerprint
	// Sent is the schema as it is sent to this kind of server, see [Lower]; nil if none is sent.
	Sent json.RawMessage
}

// Prepare validates a request and computes its fingerprint. Every error is an [*Error] with
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

// SchemaBesideObject reports whether a json_object request is sent with its schema: llama.cpp
// constrains the answer only then.
func (p *Prepared) SchemaBesideObject() bool {
	return p.Kind == KindLlamaCPP && p.Transport == JSONObject && len(p.Schema.JSON) > 0
}

// Package llm talks to OpenAI-compatible chat endpoints, and only to them.
//
// It owns the request and reply types, the way a request is put on the wire,
// retries, rate and concurrency limits, the journal of exchanges, and the
// probing of what a server can do. It knows nothing of rubrics or scores: the
// caller's identity for a request is one opaque string, [Request.Key].
//
// Promises:
//
//   - What the caller asks for is what is sent: a temperature of 0 and an empty
//     content travel, and the key order of a schema is kept.
//   - [Response.Raw] holds the body as received. The one change ever made to it
//     is that an echoed API key is blotted out.
//   - Each answer is parsed by [ParseReply] from its raw bytes, live or replayed
//     from the journal, so the two cannot differ.
//   - A failure is an [*Error] with a kind, whether it was worth retrying, and a
//     hint for a person. It never holds the API key.
//   - No request is sent whose good answer is already in the journal, unless
//     [Config.Fresh] asks for it.
//   - An endpoint without a base URL is refused; there is no default host.
package llm

// Package llm holds the types of a chat completion, and no network: the request and its
// fingerprint, the Sender that carries it, the reply and how it is read, what each kind of
// server takes of a JSON Schema, and the failure of a request.
//
// Its packages do the work: client sends, journal keeps what came, capability asks what
// a server can do, baseline is the built-in judge of rules, and llmtest a scripted
// server for tests. None of them knows rubrics or scores: the caller's identity for
// a request is one opaque string, [Request.Key].
//
// Promises:
//
//   - Two requests have the same fingerprint iff they could not be answered
//     differently, apart from texts that differ from one run to the next.
//   - [Response.Raw] holds the body as received. Each answer is parsed by
//     [ParseReply] from its raw bytes, live or replayed from the journal, so the two
//     cannot differ.
//   - A failure is an [*Error] with a kind, whether a retry may help, and a hint for a
//     person. It never holds the API key.
package llm

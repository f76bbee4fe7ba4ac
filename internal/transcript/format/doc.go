// Package format reads conversations from logs: it recognises the format of a log and turns each
// of its records into a conversation. A format is a file of this package.
//
// Every conversation and every call of a log comes out exactly once, in the log's order, with a
// place (file, line or position) that leads back to the bytes. Readers stream: memory grows with
// the largest conversation, not with the log.
//
// How to add a format: write one file and one row of formats.
//
//   - The header comment of the file says who writes the format, which version was read,
//     and what is lost.
//   - The row (formats.go) says how a log is recognised by its first value (is) and in words (mark: the
//     evidence that people are shown), the function that reads a record, and where records
//     are, if not lines or a list: in names a list inside one object; parts is for formats
//     whose conversations are spread over the log (spans, one message a line): it cuts a
//     record into pieces with the key of their conversation, and the reader then gets the
//     list of all pieces of one conversation. Rows are tried in their order, and the first
//     that fits decides.
//   - A file that is not text (zip, protobuf) has a form for the container (see
//     containerOptions): a function that returns its content as JSON, whose format is then
//     detected.
//   - The function maps a JSON value onto a draft: objects walks a list with its places, label adds
//     outcomes of the log, useTools the inventory; native and foreign keep the keys that the
//     format does not read.
//   - All messages go through turns, which knows messages with parts, calls and results under any
//     usual names (words.go); a format with other names or shapes turns its messages into these,
//     one by one. wrappedIn reads a list of messages in a record. Spans of any source become a
//     spanRecord, which readSpans understands.
//     Where a record repeats what earlier ones held (each request holds the history), merge
//     joins such views to one list of messages.
//   - note names what is odd, and drop counts what is left out. A record that says that a
//     tool was called must yield a call: of a log without any call the reader reports the
//     first key that looks like one (see account.go).
//   - Pairing of calls and results, steps, calls in texts and the checks on calls come
//     after, for all formats alike.
//   - The format's row in docs/logs.md has a sample, which a test reads.
package format

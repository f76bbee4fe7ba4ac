// Package format reads conversations from logs: it recognises the format of a log and turns each
// of its records into a conversation. A format is a file of this package.
//
// Every conversation and every call of a log comes out exactly once, in the log's order, with a
// place (file, line or position) that leads back to the bytes. Readers stream: memory grows with
// the largest conversation, not with the log.
//
// How to add a format: write one file, and name its row in the list in formats.go.
//
//   - The file begins with a comment that says who writes the format, which version was read, and
//     what is lost.
//   - The row is a variable of type format. Its function detect says how well the beginning of a log
//     fits (a probe: up to 200 records; of, has, starts and within test them one by one), mark says in
//     words what detect looks for, read reads a record. If records are neither lines nor a list, in
//     names the list inside one object. Detection itself opens an unknown object if one of its lists,
//     or its only inner object, contains known records. If a conversation is spread over the log
//     (spans, one message per line), parts splits a record into pieces with the key of their
//     conversation, and read gets the list of all pieces of one conversation. The best fit decides; of
//     equally good ones the first in the list of formats.
//   - A file that is not text (zip, protobuf) has a form for the container (containerOptions in
//     options.go): a function that returns its content as JSON, whose format is then detected.
//   - read maps a JSON value onto a draft: objects walks a list with its places, label adds outcomes
//     of the log, useTools the inventory; native and foreign keep the keys that the format does not
//     read.
//   - All messages go through turns, which knows messages with parts, calls and results under any
//     usual names (words.go). A format with other names or shapes turns its messages into these, one
//     by one. wrappedIn reads a list of messages in a record. Spans of any source become a
//     spanRecord, which readSpans understands; attributes of one producer are its dialect
//     (spandialects.go). If records repeat earlier ones (each request contains the history), views
//     joins them to one list of messages (merge.go).
//   - note records what is odd, and drop counts what is left out. If a log yields no call, the reader
//     reports the first key in it that looks like one (account.go).
//   - Pairing of calls and results, steps, calls in texts and the checks on calls follow, in the same
//     way for all formats. No other code knows a format by its name; a test checks that.
//   - The format's row in docs/logs.md has a sample, which a test reads; the samples of agents' sessions
//     and of streams stand in agents_test.go and replies_test.go.
package format

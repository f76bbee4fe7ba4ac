// Package client sends chat requests to one OpenAI-compatible endpoint.
//
// It owns the way a request is put on the wire, the key, retries, the limits of
// rate and concurrency, and the sharing of one answer by equal requests. It is the
// only importer of go-openai.
//
// Promises:
//
//   - What the caller asks for is what is sent: a temperature of 0 travels, numbers keep
//     their digits and a schema the order of its keys.
//   - The body is kept as received. The one change ever made to it is that an
//     echoed API key is blotted out; no error and no log holds the key.
//   - No request is sent whose good answer is already in the journal, unless
//     [Config.Fresh] asks for it.
//   - An endpoint without a base URL is refused; there is no default host.
//   - Memory is held for the requests in flight, never for those that are done.
package client

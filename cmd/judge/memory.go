package main

import "runtime/debug"

const (
	// softMemory is what the garbage collector aims at with usualInFlight requests in
	// flight, softEach what each further one adds. A run holds little at a time, but
	// makes and drops a lot: without a limit half of its memory is garbage that waits.
	softMemory    = 160 << 20
	usualInFlight = 64
	softEach      = 384 << 10
)

// boundGarbage sets a soft limit for the collector, which never makes anything fail.
// Below the limit the collector runs a quarter as often as usual, because so little is in
// use that it would take a fifth of the time. GOMEMLIMIT and GOGC in the environment
// override it.
func boundGarbage(getenv func(string) string, requests int) {
	if getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetMemoryLimit(softMemory + softEach*int64(max(0, requests-usualInFlight)))
	if getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
}

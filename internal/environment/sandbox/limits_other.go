//go:build !linux

package sandbox

// limitAddressSpace does nothing: only the watchdog limits the process.
func limitAddressSpace(int64) {}

// Memory returns 0: on this system only the time and size limits apply.
func Memory(string) (size, resident int64) { return 0, 0 }

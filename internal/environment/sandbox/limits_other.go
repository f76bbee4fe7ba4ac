//go:build !linux

package sandbox

// limitAddressSpace does nothing: only the watchdog limits.
func limitAddressSpace(int64) {}

// Memory is not known here: only the time and size limits hold.
func Memory(string) (size, resident int64) { return 0, 0 }

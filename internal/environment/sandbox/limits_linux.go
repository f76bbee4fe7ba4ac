package sandbox

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
)

// headroom is what the runtime may reserve beside the heap.
const headroom = 256 << 20

// limitAddressSpace bounds the address space to what the process has now, twice
// the limit and some headroom: the runtime reserves more than it uses. Where the
// limit cannot be set, the watchdog stands alone.
func limitAddressSpace(limit int64) {
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return
	}
	first, _, _ := bytes.Cut(statm, []byte(" "))
	pages, err := strconv.ParseInt(string(first), 10, 64)
	if err != nil {
		return
	}
	most := uint64(pages*int64(os.Getpagesize()) + 2*limit + headroom)
	_ = syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: most, Max: most})
}

package sandbox

import (
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// watchInterval is the time between two checks of the heap. A jump between two checks is stopped by
// the limit on the address space, if the system has one.
const watchInterval = 5 * time.Millisecond

// limitMemory ends the process when its heap grows past the limit: with an exit code of
// its own by a watchdog, else by the system's limit on the address space.
func limitMemory(limit int64, stderr io.Writer) {
	if limit <= 0 {
		return
	}
	// The collector works harder near the limit, so that only live memory counts.
	debug.SetMemoryLimit(limit)
	limitAddressSpace(limit)
	go watch(uint64(limit), stderr)
}

func watch(limit uint64, stderr io.Writer) {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	for {
		time.Sleep(watchInterval)
		metrics.Read(sample)
		if used := sample[0].Value.Uint64(); used > limit {
			fmt.Fprintf(stderr, "memory limit exceeded: %d bytes in use, %d allowed\n", used, limit)
			os.Exit(ExitMemory)
		}
	}
}

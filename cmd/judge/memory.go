package main

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
	"time"
)

// softMemory is how much memory the garbage collector aims at with usualInFlight
// requests in flight, softEach what each further one adds. Half of what a run takes
// without it is garbage that waits: a run holds little at a time, but makes and drops a
// lot.
const (
	softMemory    = 96 << 20
	softRoom      = 24 << 20
	usualInFlight = 64
	softEach      = 384 << 10
	// softStep is the least change of the limit that is worth making.
	softStep = 4 << 20
)

// memory is the soft limit of the garbage collector; a nil one is the environment's.
type memory struct{ floor atomic.Int64 }

// inFlight says how many requests will be in flight: more of them hold more at a time,
// and the collector would run all the time to keep them in the room of few.
func (m *memory) inFlight(requests int) {
	if m != nil {
		m.floor.Store(softMemory + softEach*int64(max(0, requests-usualInFlight)))
	}
}

// boundGarbage sets a soft limit for the collector, which never makes anything fail.
// What is in use gets room of a quarter and softRoom beside it, so that a large report
// costs memory and not all the time; when it is done, the room is given back. Below the
// limit the collector runs half as often as usual: so little is in use that its work
// would be a fifth of the time. GOMEMLIMIT and GOGC in the environment override it.
func boundGarbage(ctx context.Context, getenv func(string) string) *memory {
	if getenv("GOMEMLIMIT") != "" {
		return nil
	}
	debug.SetMemoryLimit(softMemory)
	if getenv("GOGC") == "" {
		debug.SetGCPercent(200)
	}
	m := &memory{}
	m.inFlight(usualInFlight)
	go func() {
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		ticker := time.NewTicker(time.Second / 2)
		defer ticker.Stop()
		limit := int64(softMemory)
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			metrics.Read(live)
			wanted := max(m.floor.Load(), int64(live[0].Value.Uint64())*5/4+softRoom)
			if wanted > limit || wanted < limit-softStep {
				limit = wanted
				debug.SetMemoryLimit(limit)
			}
		}
	}()
	return m
}

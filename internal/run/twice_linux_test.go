package run

import (
	"encoding/binary"
	"strings"
	"syscall"
	"testing"
)

// watchOpens has the system count how often each file of a directory is opened and read. The
// function it returns gives the counts by name and event, as "run.json open".
func watchOpens(t *testing.T, dir string) func() map[string]int {
	fd, err := syscall.InotifyInit1(syscall.IN_NONBLOCK | syscall.IN_CLOEXEC)
	if err == nil {
		_, err = syscall.InotifyAddWatch(fd, dir, syscall.IN_OPEN|syscall.IN_ACCESS)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(fd) })
	return func() map[string]int {
		counts, buf := map[string]int{}, make([]byte, 1<<20)
		n, err := syscall.Read(fd, buf)
		if err != nil {
			t.Fatal(err)
		}
		for b := buf[:n]; len(b) > 0; {
			mask, length := binary.NativeEndian.Uint32(b[4:]), binary.NativeEndian.Uint32(b[12:])
			event := " open"
			if mask&syscall.IN_ACCESS != 0 {
				event = " read"
			}
			name := strings.TrimRight(string(b[syscall.SizeofInotifyEvent:syscall.SizeofInotifyEvent+length]), "\x00")
			counts[name+event]++
			b = b[syscall.SizeofInotifyEvent+length:]
		}
		return counts
	}
}

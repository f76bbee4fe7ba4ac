//go:build unix

package main

import (
	"fmt"
	"math/rand/v2"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// fleet is a run over a queue: a server, workers and the run, each a process that can be
// killed and started again.
type fleet struct {
	t         *testing.T
	judge     string
	processes map[string]*exec.Cmd
	args      map[string][]string
	ended     map[string]chan error
}

func (f *fleet) start(name string) {
	f.t.Helper()
	program := f.judge
	if name == "server" {
		program = os.Args[0]
	}
	cmd := exec.Command(program, f.args[name]...)
	cmd.Env = append(os.Environ(), "OPENAI_API_KEY=", "XDG_CACHE_HOME="+f.t.TempDir())
	if err := cmd.Start(); err != nil {
		f.t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	f.processes[name], f.ended[name] = cmd, done
}

func (f *fleet) kill(name string) {
	_ = f.processes[name].Process.Kill()
	<-f.ended[name]
}

// TestQueueKill kills workers, the run and the queue's server at random moments: the report
// is that of an undisturbed run, and only what was in flight at a killed worker is sent
// again.
func TestQueueKill(t *testing.T) {
	kills, copies, slots := 20, 8, 8
	if testing.Short() {
		kills, copies = 4, 2
	}
	if os.Getenv("JUDGE_CAMPAIGN") == "queue" { // 20,480 judgements
		copies = 80
	}
	log := filepath.Join(t.TempDir(), "log.jsonl")
	writeCopies(t, log, copies)
	endpoint := &slowEndpoint{seen: map[[32]byte]int{}}
	server := httptest.NewServer(endpoint)
	defer server.Close()
	whole, dir, store := filepath.Join(t.TempDir(), "whole"), filepath.Join(t.TempDir(), "queued"), t.TempDir()
	base := []string{"run", "-q", log, "--base-url", server.URL + "/v1", "--model", "slow"}
	f := &fleet{t: t, judge: binary(t), processes: map[string]*exec.Cmd{}, ended: map[string]chan error{}}
	address := freeAddress(t)
	queue := []string{"--queue", "nats://" + address}
	f.args = map[string][]string{
		"whole":  append(append([]string{}, base...), "--out", whole, "-j", "32"),
		"server": {queueServer, address, store},
		"run":    append(append(append([]string{}, base...), queue...), "--out", dir, "-j", "64"),
	}
	f.start("whole")
	if err := <-f.ended["whole"]; err != nil {
		t.Fatalf("the undisturbed run: %v", err)
	}
	wanted := endpoint.forget()
	f.start("server")
	waitFor(t, func() bool {
		c, err := net.Dial("tcp", address)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	names := []string{"run", "run", "server", "server"}
	for i := range 4 {
		name := fmt.Sprint("worker", i)
		f.args[name] = append([]string{"worker", "--base-url", server.URL + "/v1", "--model", "slow", "-j", fmt.Sprint(slots),
			"--ack-wait", "4s"}, queue...)
		f.start(name)
		names = append(names, name)
	}
	f.start("run")
	killed := f.disturb(names, kills, copies, dir, queue, func() bool { return endpoint.count() >= wanted })
	defer func() {
		for name := range f.processes {
			_ = f.processes[name].Process.Kill()
		}
	}()
	select {
	case err := <-f.ended["run"]:
		if err != nil {
			t.Fatalf("the run: %v", err)
		}
	case <-time.After(10 * time.Minute):
		t.Fatalf("the run did not end after %v kills", killed)
	}
	again := endpoint.count() - len(endpoint.seen)
	most := slots * (killed["worker"] + 4*killed["server"])
	if len(endpoint.seen) != wanted || again > most {
		t.Errorf("%d of %d requests were sent, %d again; at most %d were in flight", len(endpoint.seen), wanted, again, most)
	}
	t.Logf("killed %v; %d of %d requests sent again", killed, again, wanted)
	sameRun(t, whole, dir)
}

// disturb kills processes and starts them again, until so many were killed or the work is
// nearly done.
func (f *fleet) disturb(names []string, kills, copies int, dir string, queue []string, over func() bool) map[string]int {
	killed := map[string]int{}
	for n := 0; n < kills && !over(); n++ {
		time.Sleep(time.Duration(100+rand.IntN(200+copies*10)) * time.Millisecond)
		name := names[rand.IntN(len(names))]
		if name == "run" {
			if _, err := os.Stat(filepath.Join(dir, "exchanges.jsonl")); err != nil {
				continue // it has not begun
			}
			f.args["run"] = append([]string{"run", "-q", "--resume", dir, "-j", "64"}, queue...)
		}
		f.kill(name)
		if kind := name; len(kind) > 6 && kind[:6] == "worker" {
			killed["worker"]++
		} else {
			killed[kind]++
		}
		f.start(name)
	}
	return killed
}

// freeAddress returns an address on this machine that nobody listens at.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

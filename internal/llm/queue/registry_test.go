package queue

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestRegistrySays: the workers in one phrase, with the last failure of those that are alive; silent ones are gone.
func TestRegistrySays(t *testing.T) {
	synctest.Test(t, registrySays)
}

func registrySays(t *testing.T) {
	now := time.Now()
	fine, slow := state{Name: "a", Busy: 2, Rate: 1.5}, state{Name: "b", Busy: 3, Rate: 0.25}
	failed, failing := state{Name: "b", Failed: 4}, state{Name: "c", Failed: 1, Problem: "no model"}
	for want, list := range map[string][]seen{
		"no worker is connected":                                {{fine, now.Add(-alive)}},
		"1 worker, 2 busy, 1.5/s":                               {{fine, now}, {slow, now.Add(-2 * alive)}},
		"2 workers, 5 busy, 1.8/s":                              {{fine, now}, {slow, now.Add(-alive / 2)}},
		"1 worker, 0 busy, 0.0/s, 4 errors":                     {{failed, now}},
		"1 worker, 0 busy, 0.0/s, 2 errors, last: d: slow":      {{state{Name: "d", Failed: 2, Problem: "slow"}, now}},
		"3 workers, 2 busy, 1.5/s, 5 errors, last: c: no model": {{fine, now}, {failed, now}, {failing, now}},
		"1 worker, 0 busy, 0.0/s, 1 error, last: c: no model":   {{failing, now}, {fine, now.Add(-time.Minute)}},
	} {
		r := &registry{seen: map[string]seen{}}
		for _, s := range list {
			r.seen[s.Name] = s
		}
		if got := r.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if live := r.live(); len(live) != len(r.seen) {
			t.Errorf("%s: %d workers are alive, %d are kept", want, len(live), len(r.seen))
		}
	}
}

// TestReportsOfWorkers: only a worker's whole report with its name counts.
func TestReportsOfWorkers(t *testing.T) {
	url, stop := start(t, t.TempDir(), 0)
	defer stop()
	q := connect(t, url)
	for _, text := range []string{`{"name":"a","busy":"many"}`, `{"busy":1}`, `{`, `{"name":"b","busy":2,"rate":0.5}`} {
		if err := q.conn.Publish("judge.worker.x", []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	waitUntil(t, func() bool { return strings.Contains(q.Workers(), "2 busy") })
	if got := q.Workers(); got != "1 worker, 2 busy, 0.5/s" {
		t.Error(got)
	}
}

// TestOwner: each worker owns about its share of the partitions, and keeps them when another one goes.
func TestOwner(t *testing.T) {
	names := []string{"a", "b", "c"}
	owned := map[string]int{}
	for partition := range 300 {
		was := owner(names, "m", partition)
		owned[was]++
		for _, gone := range names {
			rest := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == gone })
			if is := owner(rest, "m", partition); gone != was && is != was {
				t.Errorf("partition %d moves from %s to %s when %s goes", partition, was, is, gone)
			}
		}
	}
	for _, name := range names {
		if owned[name] < 70 || owned[name] > 130 {
			t.Errorf("%s owns %d of 300 partitions", name, owned[name])
		}
	}
	for partition, want := range []string{"b", "c", "b", "c", "b", "c"} { // the largest sha256 of name, model, partition
		if got := owner(names, "m", partition); got != want {
			t.Errorf("%s owns partition %d, want %s: workers of different versions disagree", got, partition, want)
		}
	}
	if owner(nil, "m", 1) != "" {
		t.Error("no worker owns a partition")
	}
}

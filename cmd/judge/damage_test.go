package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/judgekit/judge/internal/reliability"
	"github.com/judgekit/judge/internal/run/directory"
)

const damageCanary = "sk-canary-4c1f0d5e77aa"

// damages are the ways in which a file of a run directory is harmed, at a seeded place.
var damages = []struct {
	name string
	harm func(data []byte, rng *rand.Rand) []byte
}{
	{"truncation", func(d []byte, rng *rand.Rand) []byte { return d[:rng.IntN(len(d))] }},
	{"zeroed block", func(d []byte, rng *rand.Rand) []byte {
		at := rng.IntN(len(d))
		clear(d[at:min(len(d), at+512)])
		return d
	}},
	{"flipped bit", func(d []byte, rng *rand.Rand) []byte {
		d[rng.IntN(len(d))] ^= 1 << rng.IntN(8)
		return d
	}},
	{"doubled line", func(d []byte, rng *rand.Rand) []byte {
		return onLine(d, rng, func(line []byte) []byte { return append(bytes.Clone(line), line...) })
	}},
	{"deleted line", func(d []byte, rng *rand.Rand) []byte {
		return onLine(d, rng, func([]byte) []byte { return nil })
	}},
	{"CRLF", func(d []byte, _ *rand.Rand) []byte { return bytes.ReplaceAll(d, []byte("\n"), []byte("\r\n")) }},
	{"BOM", func(d []byte, _ *rand.Rand) []byte { return append([]byte("\ufeff"), d...) }},
}

func onLine(d []byte, rng *rand.Rand, f func([]byte) []byte) []byte {
	lines := bytes.SplitAfter(d, []byte("\n"))
	at := rng.IntN(max(1, len(lines)-1))
	lines[at] = f(lines[at])
	return bytes.Join(lines, nil)
}

// TestDamage harms each file of a run directory. A report on it may not pass, unless the
// file still says the same, and a resume makes the same scores again; run.json, which
// nothing can make again, is refused. With JUDGE_CAMPAIGN=files it does so at 20 places
// each and writes the table of docs/reliability.md.
func TestDamage(t *testing.T) {
	full := os.Getenv("JUDGE_CAMPAIGN") == "files"
	places := 1
	if full {
		places = 20
	}
	t.Setenv("OPENAI_API_KEY", damageCanary)
	whole := filepath.Join(t.TempDir(), "whole")
	start := time.Now()
	if code, text := runHere(t, "run", "../../fixtures/logs/support.jsonl", "--limit", "1", "--scorer", "schema_check", "--model", "baseline-rules", "--out", whole, "-q"); code != 0 {
		t.Fatalf("exit code %d: %s", code, text)
	}
	undisturbed := time.Since(start)
	want := readFile(t, whole, directory.ScoresFile)
	var rows []reliability.Row
	for _, file := range []string{directory.ExchangesFile, directory.ScoresFile, directory.ItemsFile, directory.ManifestFile} {
		for m, mode := range damages {
			row := reliability.Row{Class: file, Mode: mode.name, Share: fmt.Sprintf("%d places", places), Items: places}
			start := time.Now()
			for place := range places {
				dir := filepath.Join(whole, "..", "run")
				rng := rand.New(rand.NewPCG(uint64(place), uint64(m)))
				if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
					t.Fatal(err)
				}
				before := readFile(t, dir, file)
				after := mode.harm(bytes.Clone(before), rng)
				if err := os.WriteFile(filepath.Join(dir, file), after, 0o600); err != nil {
					t.Fatal(err)
				}
				switch what := afterDamage(t, dir, file, want, bytes.Equal(before, after)); what {
				case "":
					row.Right++
				case "named":
					row.Named++
				default:
					row.Wrong++
					t.Errorf("%s, %s at place %d: %s", file, mode.name, place, what)
				}
				if err := os.RemoveAll(dir); err != nil {
					t.Fatal(err)
				}
			}
			row.Seconds = max(0, time.Since(start).Seconds()/float64(places)-undisturbed.Seconds())
			rows = append(rows, row)
		}
	}
	if full {
		if err := reliability.Update("../../docs/reliability.md", "files", rows); err != nil {
			t.Fatal(err)
		}
	}
}

// afterDamage reports on a harmed run and resumes it. "" says that the scores are those of
// the undisturbed run again, "named" that the damage was told and nothing believed.
func afterDamage(t *testing.T, dir, file string, want []byte, same bool) string {
	t.Helper()
	code, text := runHere(t, "report", dir)
	if file != directory.ExchangesFile && code == 0 && !same {
		return "the report passes"
	}
	if file == directory.ManifestFile {
		if code == exitUsage && strings.Contains(text, "damaged") {
			return "named"
		}
		return fmt.Sprintf("exit code %d: %.300s", code, text)
	}
	if code, text := runHere(t, "run", "--resume", dir); code != 0 {
		return fmt.Sprintf("the resume ends with %d: %.300s", code, text)
	}
	if !bytes.Equal(readFile(t, dir, directory.ScoresFile), want) {
		return "other scores than those of the undisturbed run"
	}
	return ""
}

// runHere runs one command line in this process, and looks for the key in what it prints.
func runHere(t *testing.T, args ...string) (code int, text string) {
	t.Helper()
	var b bytes.Buffer
	a := &app{in: strings.NewReader(""), out: io.Discard, err: &b, getenv: os.Getenv}
	code = command(t.Context(), args, a)
	if strings.Contains(b.String(), damageCanary) {
		t.Errorf("%v prints the key", args)
	}
	return code, b.String()
}

func readFile(t *testing.T, dir, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(data, []byte(damageCanary)) {
		t.Errorf("%s holds the key", name)
	}
	return data
}

package format

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/realdata"
	"github.com/judgekit/judge/internal/transcript"
)

// nativeLog returns a native log of about size bytes: conversations of some ten
// messages with tools, as support logs hold them.
func nativeLog(size int) []byte {
	var b bytes.Buffer
	text := strings.Repeat("I would like to return the two lamps from my last order, please. ", 4)
	data := `{\"order_id\":\"#W2378156\",\"status\":\"delivered\",\"items\":[{\"id\":\"1151293680\",\"name\":\"Lamp\",\"price\":272.33},{\"id\":\"4983901480\",\"name\":\"Thermostat\",\"price\":262.47}],\"address\":{\"city\":\"San Diego\",\"zip\":\"92133\"}}`
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, `{"id":"c%d","messages":[{"role":"system","content":"%s"},`, i, text)
		for k := range 4 {
			fmt.Fprintf(&b, `{"role":"user","content":"%s"},{"role":"assistant","content":null,"tool_calls":[{"id":"t%d","type":"function","function":{"name":"get_order_details","arguments":"{\"order_id\": \"#W23781%02d\", \"fields\": [\"items\", \"status\"]}"}}]},{"role":"tool","tool_call_id":"t%d","content":"%s"},`, text, k, k, k, data)
		}
		fmt.Fprintf(&b, `{"role":"assistant","content":"%s"}],"tools":[{"type":"function","function":{"name":"get_order_details","description":"Order details","parameters":{"type":"object","properties":{"order_id":{"type":"string"},"fields":{"type":"array","items":{"type":"string"}}},"required":["order_id"]}}}],"expected_calls":[{"name":"get_order_details","arguments":{"order_id":"#W2378101"}}],"labels":{"human":1}}`+"\n", text)
	}
	return b.Bytes()
}

func benchmarkRead(b *testing.B, file string, data []byte, opts Options) {
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		for c, err := range Open(context.Background(), file, bytes.NewReader(data), opts).All() {
			if err != nil {
				b.Fatal(err)
			}
			n += len(c.Calls)
		}
		if n == 0 {
			b.Fatal("no calls")
		}
	}
}

func BenchmarkNative(b *testing.B) { benchmarkRead(b, "x.jsonl", nativeLog(8<<20), Options{}) }

func BenchmarkNativeParallel(b *testing.B) {
	benchmarkRead(b, "x.jsonl", nativeLog(8<<20), Options{Parallel: 2})
}

func BenchmarkTau(b *testing.B) {
	path := filepath.Join(realdata.Path(b, "data", "tau", "trajectories"), "sierra-gpt-4o-airline.json.gz")
	packed, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	benchmarkRead(b, "x.json.gz", packed, Options{})
}

func BenchmarkHashes(b *testing.B) {
	_, list := readText(b, "x.jsonl", string(nativeLog(100)), Options{})
	b.SetBytes(int64(len(transcript.AppendNative(nil, list[0]))))
	for b.Loop() {
		list[0].Hashes()
	}
}

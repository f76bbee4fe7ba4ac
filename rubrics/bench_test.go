package rubrics

import (
	"bytes"
	"testing"
)

func BenchmarkLoadBuiltin(b *testing.B) {
	b.SetBytes(int64(len(builtinJSONL)))
	for b.Loop() {
		if _, err := Load(bytes.NewReader(builtinJSONL), "f"); err != nil {
			b.Fatal(err)
		}
	}
}

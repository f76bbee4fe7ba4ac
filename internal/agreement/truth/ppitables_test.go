package truth

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/judgekit/judge/internal/agreement/stat"
)

// TestPPIOfClusteredTables compares the estimate, its error and its interval with those of another program, which
// computed them from the definitions: Hájek means with the delete-one-conversation jackknife, the weight of the judge
// that makes the clustered variance smallest, and Wilson's interval of the labels alone with as many items as give its
// error, moved and shortened. The tables have one label a conversation, two or all, few failures, conversations of
// equal and of very different length, and judges that are right, useless or wrong.
func TestPPIOfClusteredTables(t *testing.T) {
	text, err := os.ReadFile("testdata/ppi.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range bytes.Split(bytes.TrimSpace(text), []byte("\n")) {
		var table struct {
			Gold, Judge, Weight, Others []float64
			Conversation                []int
			OtherConversation           []int `json:"other_conversation"`
			Want                        struct{ Est, SE, Rect, Low, High *float64 }
		}
		if err := json.Unmarshal(line, &table); err != nil {
			t.Fatal(err)
		}
		got, err := PPIClustered(table.Gold, table.Judge, table.Weight, table.Conversation, table.Others,
			table.OtherConversation, AutoLambda, 0.05)
		if err != nil {
			t.Fatal(err)
		}
		for name, pair := range map[string]struct {
			got  stat.Opt
			want *float64
		}{
			"estimate": {got.Estimate, table.Want.Est}, "error": {got.SE, table.Want.SE},
			"rectifier": {got.Rectifier, table.Want.Rect}, "low": {got.CI.Low, table.Want.Low}, "high": {got.CI.High, table.Want.High},
		} {
			if pair.got.Valid != (pair.want != nil) || pair.want != nil && !(math.Abs(pair.got.Value-*pair.want) <= 1e-8) {
				t.Errorf("table %d: %s %v, want %v", i, name, pair.got, pair.want)
			}
		}
	}
}

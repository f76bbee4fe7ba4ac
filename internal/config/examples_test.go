package config

import "testing"

func TestExamplesSetting(t *testing.T) {
	for text, want := range map[string]string{"none": "none", "0": "0", "2": "2", `"2"`: "2", "prompt": "prompt", "messages": "messages"} {
		c, err := Read("judge.yaml", []byte("judges: [{model: m, examples: "+text+"}]"))
		if err != nil || c.Judges[0].Examples != want {
			t.Errorf("%s: %v, %v", text, c, err)
		}
	}
	for _, text := range []string{"few", "-1", "1.5", "[2]"} {
		if _, err := Read("judge.yaml", []byte("judges: [{model: m, examples: "+text+"}]")); err == nil {
			t.Errorf("%s is taken", text)
		}
	}
}

package instrument

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/capability"
	"github.com/judgekit/judge/internal/llm/client"
	"github.com/judgekit/judge/judges"
)

// A score method that the endpoint cannot serve is refused before any judgement,
// whether the lack is known from a stored profile or has to be found out.
func TestPrepareRefusesMethodsWithoutLogprobs(t *testing.T) {
	for _, tt := range []struct {
		name   string
		method judges.Method
		// gives says what the server does with a request for log-probabilities.
		gives     string
		stored    capability.Finding
		transport llm.Transport
		refused   string
		asked     int
	}{
		{"the written number needs none", judges.Parsed, "none", capability.No, "", "", 0},
		{"the written number asks for none", judges.Parsed, "none", capability.Unknown, "", "", 0},
		{"never asked about", judges.TokenWeighted, "none", "", "", "gives none", 1},
		{"known to have none", judges.TokenWeighted, "all", capability.No, "", "gives none", 0},
		{"known to refuse", judges.TokenWeighted, "all", capability.Refused, "", "gives none", 0},
		{"known to have them", judges.TokenWeighted, "none", capability.Yes, "", "", 0},
		{"found to have them", judges.TokenWeighted, "all", capability.Unknown, "", "", 1},
		{"found to have none", judges.TokenWeighted, "none", capability.Unknown, "", "gives none", 1},
		{"found to refuse", judges.TokenWeighted, "400", capability.Unknown, "", "gives none", 1},
		{"cut off in thought", judges.TokenWeighted, "length", capability.Unknown, "", "", 1},
		{"answers by tools", judges.TokenWeighted, "all", capability.Yes, llm.Tools, "asked by tools", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			asked := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				if strings.Contains(string(body), `"logprobs"`) {
					asked++
				} else {
					fmt.Fprint(w, `{"choices":[{"finish_reason":"stop","message":{"content":"yes"}}]}`)
					return
				}
				switch tt.gives {
				case "400":
					http.Error(w, `{"error":{"message":"logprobs are not supported"}}`, http.StatusBadRequest)
				case "length":
					fmt.Fprint(w, `{"choices":[{"finish_reason":"length","message":{"content":""}}]}`)
				case "none":
					fmt.Fprint(w, `{"choices":[{"finish_reason":"stop","message":{"content":"yes"}}]}`)
				default:
					fmt.Fprint(w, `{"choices":[{"finish_reason":"stop","message":{"content":"yes"},"logprobs":{"content":[{"token":"yes","logprob":-0.1,"top_logprobs":[{"token":"yes","logprob":-0.1}]}]}}]}`)
				}
			}))
			t.Cleanup(server.Close)
			j := judgeAt(server.URL + "/v1")
			j.Config.Method, j.Config.Transport = tt.method, tt.transport
			store := &Store{Dir: t.TempDir(), Now: func() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) }}
			known := &capability.Capabilities{Endpoint: server.URL + "/v1", Model: "fake-model", Kind: llm.KindUnknown, Settings: j.Settings(), Transport: llm.JSONSchema, Logprobs: tt.stored}
			if err := store.Save(known); err != nil {
				t.Fatal(err)
			}
			err := Discover(t.Context(), []Judge{j}, nil, nil, store, nil)
			var refused *MethodError
			if (tt.refused != "") != errors.As(err, &refused) || err != nil && !strings.Contains(err.Error(), tt.refused) {
				t.Errorf("%v", err)
			}
			if asked != tt.asked {
				t.Errorf("%d requests, want %d", asked, tt.asked)
			}
		})
	}
}

// Trouble with the endpoint is no lack of log-probabilities.
func TestLogprobsAndTrouble(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `{"error":{"message":"loading"}}`, http.StatusServiceUnavailable)
	}))
	t.Cleanup(server.Close)
	j := Judge{Config: judges.Config{Model: "m", Method: judges.TokenWeighted}, Endpoint: client.Endpoint{BaseURL: server.URL + "/v1", MaxAttempts: 1}}
	err := j.checkMethod(t.Context(), &capability.Capabilities{Model: "m", Logprobs: capability.Unknown}, llm.JSONSchema)
	var e *llm.Error
	if !errors.As(err, &e) || e.Kind != llm.KindServer {
		t.Errorf("%v", err)
	}
}

package client

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/judgekit/judge/internal/bounded"
)

// TestKeyInBrokenReplies: a server that answers with no HTTP repeats the key in the error of
// the connection, which is cut to a length that may be in the middle of it.
func TestKeyInBrokenReplies(t *testing.T) {
	const key = "sk-planted-0123456789"
	for _, filler := range []int{0, 470, 480, 490} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			fmt.Fprintf(conn, "%s%s\r\n\r\n", strings.Repeat("x", filler), r.Header.Get("Authorization"))
		}))
		c := client(t, Endpoint{BaseURL: server.URL, APIKey: NewSecret(key), MaxAttempts: 1}, Config{})
		_, err := c.Do(t.Context(), request("hi"))
		side := c.Side(t.Context(), http.MethodGet, server.URL+"/models", nil)
		if side.Err == nil || err == nil {
			t.Fatalf("the replies were taken: %v, %+v", err, side)
		}
		shown := err.Error() + side.Err.Error()
		if strings.Contains(shown, key[:8]) || filler == 0 && !strings.Contains(shown, redacted) {
			t.Errorf("after %d bytes: %s", filler, shown)
		}
		server.Close()
	}
}

// TestKeyInsideBaseURL: where the base URL has a path of a tenant, what is asked outside it
// carries neither key nor headers nor query; where it has none, the host is the endpoint's.
func TestKeyInsideBaseURL(t *testing.T) {
	var with, without []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		secret := r.Header.Get("Authorization") + r.Header.Get("X-Gateway") + r.URL.RawQuery
		switch {
		case strings.Count(secret, "planted") == 3:
			with = append(with, r.URL.Path)
		case secret == "":
			without = append(without, r.URL.Path)
		default:
			t.Errorf("%s got a part: %s", r.URL.Path, secret)
		}
		w.Header().Set("Server", r.Header.Get("X-Gateway"))
		fmt.Fprint(w, `{"data":[],"choices":[{"message":{"content":"x"}}]}`)
	}))
	defer server.Close()
	for _, tt := range []struct {
		base          string
		with, without []string
	}{
		{"/v1", []string{"/v1/chat/completions", "/v1/models", "/props", "/v1/version", "/v12"}, nil},
		{"", []string{"/chat/completions", "/models", "/props", "/v1/version", "/v12"}, nil},
		{"/team/v1", []string{"/team/v1/chat/completions", "/team/v1/models"}, []string{"/props", "/v1/version", "/v12"}},
		{"/v1/team", []string{"/v1/team/chat/completions", "/v1/team/models"}, []string{"/props", "/v1/version", "/v12"}},
	} {
		with, without = nil, nil
		c := client(t, Endpoint{
			BaseURL: server.URL + tt.base, APIKey: NewSecret("sk-planted-0123456789"),
			Headers: []Param{{Name: "X-Gateway", Value: NewSecret("planted-gateway")}},
			Query:   []Param{{Name: "code", Value: NewSecret("planted-code")}},
		}, Config{})
		if _, err := c.Do(t.Context(), request("hi")); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Models(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{"/props", "/v1/version", "/v12"} {
			side := c.Side(t.Context(), http.MethodGet, server.URL+path, nil)
			if strings.Contains(fmt.Sprint(side.Header), "planted") {
				t.Errorf("%s: the key stands in %v", path, side.Header)
			}
		}
		if !slices.Equal(with, tt.with) || !slices.Equal(without, tt.without) {
			t.Errorf("base %q: with the key %q, without %q", tt.base, with, without)
		}
	}
}

// TestBatchRedacts: neither the state of a batch nor the file of its answers holds a key that
// the service repeats.
func TestBatchRedacts(t *testing.T) {
	const key = `sk-"planted"/0123456789`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/content") {
			fmt.Fprintf(w, "%s\n%s\n%s", `{"body":"`+inJSON(key)+`"}`, strings.Repeat("long ", 20_000), inJSON(inJSON(key)))
			return
		}
		fmt.Fprintf(w, `{"id":"b","status":"failed","errors":{"data":[{"message":"not with %s"}]}}`, inJSON(key))
	}))
	defer server.Close()
	c := client(t, Endpoint{BaseURL: server.URL + "/v1", APIKey: NewSecret(key)}, Config{})
	job, err := c.Batch(t.Context(), "b")
	if err != nil || job.Problem != "not with "+redacted {
		t.Errorf("%+v, %v", job, err)
	}
	var file bytes.Buffer
	want := `{"body":"` + redacted + `"}` + "\n" + strings.Repeat("long ", 20_000) + "\n" + redacted
	if err := c.Fetch(t.Context(), "out", &file); err != nil || file.String() != want {
		t.Errorf("%v, %.300s … %s", err, file.String(), file.String()[max(0, file.Len()-60):])
	}
}

// TestRedactorIsBounded: what a hostile server makes of escapes takes no minutes.
func TestRedactorIsBounded(t *testing.T) {
	r := newRedactor("sk-planted-0123456789")
	const size = 1 << 20
	in64 := strings.Repeat("sk-plant", size/40)
	for range 4 {
		in64 = base64.StdEncoding.EncodeToString([]byte(in64))
	}
	for name, text := range map[string]string{
		"percent": "%" + strings.Repeat("25", size/2), "entities": "&" + strings.Repeat("amp;", size/4), "signs": strings.Repeat("&", size),
		"backslashes": strings.Repeat(`\`, size), "escaped": `\` + strings.Repeat("u005c", size/5), "base64": in64,
		"beginnings": strings.Repeat("sk-plant", size/8), "all": strings.Repeat(`%25&amp;amp;\\\\%2525\u0026\u0025`, size/32),
	} {
		bounded.Within(t, 20*time.Second, name, func() {
			if r.text(text) != text {
				t.Errorf("%s: something was redacted", name)
			}
		})
	}
}

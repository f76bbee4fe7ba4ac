package queue

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/judgekit/judge/internal/llm/queue/queuetest"
)

// certificate returns files with a certificate and its key.
func certificate(t *testing.T) (cert, key string) {
	t.Helper()
	s := httptest.NewTLSServer(nil)
	s.Close()
	pair := s.TLS.Certificates[0]
	secret, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for path, block := range map[string]*pem.Block{
		cert: {Type: "CERTIFICATE", Bytes: pair.Certificate[0]}, key: {Type: "PRIVATE KEY", Bytes: secret},
	} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

// TestSettingsOfAConnection: a connection uses the credentials and certificates that are set, and only these. It waits
// for a server that went away as long as it takes, and says when it goes and when it is back.
func TestSettingsOfAConnection(t *testing.T) {
	cert, key := certificate(t)
	creds := filepath.Join(filepath.Dir(cert), "user.creds")
	text := "-----BEGIN NATS USER JWT-----\neyJ0eXAi\n------END NATS USER JWT------\n"
	if err := os.WriteFile(creds, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	type settings struct {
		token               string
		creds, ca, own, tls bool
	}
	for name, tt := range map[string]struct {
		cfg  Config
		want settings
	}{
		"nothing":           {Config{}, settings{}},
		"a token":           {Config{Token: "secret"}, settings{token: "secret"}},
		"credentials":       {Config{Creds: creds}, settings{creds: true}},
		"an authority":      {Config{CA: cert}, settings{ca: true, tls: true}},
		"a certificate":     {Config{Cert: cert, Key: key}, settings{own: true, tls: true}},
		"all certificates":  {Config{CA: cert, Cert: cert, Key: key}, settings{ca: true, own: true, tls: true}},
		"a key, and no use": {Config{Key: key}, settings{}},
	} {
		o, said := nats.GetDefaultOptions(), []string(nil)
		for _, set := range tt.cfg.options(func(line string) { said = append(said, line) }) {
			if err := set(&o); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if got := (settings{o.Token, o.UserJWT != nil, o.RootCAsCB != nil, o.TLSCertCB != nil, o.Secure}); got != tt.want {
			t.Errorf("%s: %+v, want %+v", name, got, tt.want)
		}
		if o.Name != "judge" || o.MaxReconnect != -1 {
			t.Errorf("%s: name %q, %d reconnects", name, o.Name, o.MaxReconnect)
		}
		if o.ReconnectWait != 200*time.Millisecond || o.Timeout != 5*time.Second {
			t.Errorf("%s: a try every %v, each may take %v", name, o.ReconnectWait, o.Timeout)
		}
		if o.DisconnectedErrCB(nil, nil); len(said) > 0 { // closed by us
			t.Errorf("%s: said %q", name, said)
		}
		o.DisconnectedErrCB(nil, io.EOF)
		o.ReconnectedCB(nil)
		want := []string{"the queue's server went away; waiting for it", "the queue's server is back; going on"}
		if d := cmp.Diff(want, said); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// TestConnectFails: who cannot use a server is told why at once, whatever the patience, without credentials, and
// leaves no connection behind.
func TestConnectFails(t *testing.T) {
	for name, tt := range map[string]struct {
		configure func(*server.Options)
		other     string // what a stream of others takes
		patience  time.Duration
		want      string
	}{
		"a wrong password": {configure: func(o *server.Options) { o.Username, o.Password = "user", "right" },
			patience: time.Hour, want: "nats: Authorization Violation"},
		"no JetStream": {configure: func(o *server.Options) { o.JetStream = false },
			want: "stream JUDGE_REQUESTS: "},
		"requests go elsewhere": {other: "judge.request.>", want: "stream JUDGE_REQUESTS: nats: API error: "},
		"replies go elsewhere":  {other: "judge.reply.>", want: "stream JUDGE_REPLIES: nats: API error: "},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := queuetest.Start("127.0.0.1:0", t.TempDir(), tt.configure)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Shutdown()
			if tt.other != "" {
				conn, err := nats.Connect(s.ClientURL())
				if err != nil {
					t.Fatal(err)
				}
				js, err := jetstream.New(conn, jetstream.WithDefaultTimeout(slowDisk))
				if err == nil {
					_, err = js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "OTHERS", Subjects: []string{tt.other}})
				}
				if conn.Close(); err != nil {
					t.Fatal(err)
				}
			}
			ctx, cancel := context.WithTimeout(t.Context(), slowDisk)
			defer cancel()
			url := strings.Replace(s.ClientURL(), "://", "://user:hidden@", 1)
			q, err := Connect(ctx, Config{URL: url, Patience: tt.patience})
			for errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil { // the disk is busy
				q, err = Connect(ctx, Config{URL: url, Patience: tt.patience})
			}
			if err == nil {
				q.Close()
				t.Fatal("connected")
			}
			if want := "queue " + s.ClientURL() + ": " + tt.want; !strings.HasPrefix(err.Error(), want) || ctx.Err() != nil {
				t.Errorf("%v, want %s", err, want)
			}
			waitUntil(t, func() bool { return s.NumClients() == 0 })
		})
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Connect(gone, Config{URL: "nats://127.0.0.1:1", Patience: time.Hour}); err == nil {
		t.Error("connected to nothing")
	}
}

// TestConnectWaits: who is patient waits for a server that is not up yet. Unless it is set, a worker may be silent for
// 30 seconds.
func TestConnectWaits(t *testing.T) {
	url, stop := start(t, t.TempDir(), 0)
	defer stop()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	refused := 0
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			if refused++; refused == 1 {
				_ = c.Close()
				continue
			}
			to, err := net.Dial("tcp", strings.TrimPrefix(url, "nats://"))
			if err != nil {
				_ = c.Close()
				return
			}
			go func() { _, _ = io.Copy(to, c); _ = to.Close() }()
			go func() { _, _ = io.Copy(c, to); _ = c.Close() }()
		}
	}()
	q, err := Connect(t.Context(), Config{URL: "nats://" + l.Addr().String(), Patience: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	if q.ackWait != 30*time.Second {
		t.Errorf("a worker may be silent for %v", q.ackWait)
	}
	if q.Close(); !q.conn.IsClosed() {
		t.Error("the connection is open after Close")
	}
	if _, err := watch(q.conn); !errors.Is(err, nats.ErrConnectionClosed) {
		t.Errorf("workers are listened to on a closed connection: %v", err)
	}
}

// createdMeanwhile does not find a stream the first time.
type createdMeanwhile struct {
	jetstream.JetStream
	asked int
}

func (c *createdMeanwhile) Stream(ctx context.Context, name string) (jetstream.Stream, error) {
	if c.asked++; c.asked == 1 {
		return nil, jetstream.ErrStreamNotFound
	}
	return c.JetStream.Stream(ctx, name)
}

// TestStreams: a queue holds a request once, and the last reply to it for 14 days. Streams that somebody else created
// keep their settings, also if that happens at the same time.
func TestStreams(t *testing.T) {
	url, stop := start(t, t.TempDir(), 0)
	defer stop()
	q := listening(t, url)
	settings := func(name string) jetstream.StreamConfig {
		s, err := q.js.Stream(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		c := s.CachedInfo().Config
		return jetstream.StreamConfig{Subjects: c.Subjects, Retention: c.Retention, MaxMsgsPerSubject: c.MaxMsgsPerSubject,
			Discard: c.Discard, DiscardNewPerSubject: c.DiscardNewPerSubject, Duplicates: c.Duplicates, MaxAge: c.MaxAge,
			AllowDirect: c.AllowDirect}
	}
	requests := jetstream.StreamConfig{Subjects: []string{"judge.request.>"}, Retention: jetstream.WorkQueuePolicy,
		MaxMsgsPerSubject: 1, Discard: jetstream.DiscardNew, DiscardNewPerSubject: true, Duplicates: time.Second}
	if d := cmp.Diff(requests, settings("JUDGE_REQUESTS")); d != "" {
		t.Error(d)
	}
	replies := jetstream.StreamConfig{Subjects: []string{"judge.reply.>"}, MaxMsgsPerSubject: 1, MaxAge: 336 * time.Hour,
		Duplicates: 2 * time.Minute, AllowDirect: true} // two minutes is the server's own
	if d := cmp.Diff(replies, settings("JUDGE_REPLIES")); d != "" {
		t.Error(d)
	}
	limited(t, q, replyStream, func(c *jetstream.StreamConfig) { c.MaxAge = time.Hour })
	if listening(t, url); settings("JUDGE_REPLIES").MaxAge != time.Hour {
		t.Error("the owner's limit is gone")
	}
	meanwhile := &Queue{js: &createdMeanwhile{JetStream: q.js}}
	ours := jetstream.StreamConfig{Name: replyStream, Subjects: []string{"judge.reply.>"}}
	s, err := meanwhile.stream(t.Context(), ours)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.CachedInfo().Config.MaxAge; got != time.Hour {
		t.Errorf("replies are kept for %v", got)
	}
}

// TestUnserved: a model counts as unserved when the workers had time to report, and at once if nobody waits.
func TestUnserved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &registry{seen: map[string]seen{}}
		q := &Queue{workers: r}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		began := time.Now()
		if none := q.Unserved(gone, []string{"m"}); !cmp.Equal(none, []string{"m"}) || time.Since(began) > 0 {
			t.Errorf("%q after %v", none, time.Since(began))
		}
		go func() {
			time.Sleep(1100 * time.Millisecond)
			r.mu.Lock()
			defer r.mu.Unlock()
			r.seen["a"] = seen{state{Name: "a", Models: []string{"m"}}, time.Now()}
		}()
		began = time.Now()
		if none := q.Unserved(t.Context(), []string{"m"}); len(none) > 0 || time.Since(began) > 1200*time.Millisecond {
			t.Errorf("%q after %v", none, time.Since(began))
		}
		began = time.Now()
		none := q.Unserved(t.Context(), []string{"m", "n"})
		took := time.Since(began).Round(100 * time.Millisecond)
		if !cmp.Equal(none, []string{"n"}) || took != 1200*time.Millisecond {
			t.Errorf("%q after %v", none, took)
		}
	})
}

// Package queue carries requests to workers over NATS JetStream.
//
// A run publishes each request to a work-queue stream and waits for its reply in another
// stream; workers pull requests, have their endpoints answer, store the reply, and only
// then acknowledge the request. Keys stay with the workers: no message holds one.
//
// It promises that a request which was published is answered as long as some worker lives,
// whichever process is killed; that a request whose reply is stored is not sent again;
// that a killed worker costs at most the requests that it had in flight; and that a full
// store is reported, and ends nothing: requests leave room for replies.
//
// Subjects:
//
//	judge.request.<model>.<partition>.<run>.<fingerprint>   one message each, until it is acknowledged
//	judge.reply.<run>.<fingerprint>                         the last reply to it
//	judge.worker.<name>                                     a worker's state, every second, not stored
//
// The partition is that of the conversation, so that one worker keeps its prefix warm.
package queue

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/judgekit/judge/internal/llm"
)

const (
	requestStream = "JUDGE_REQUESTS"
	replyStream   = "JUDGE_REPLIES"
	// partitions divides the conversations of a model into shares.
	partitions = 32
	// maxAge bounds how long the replies of a run that never ended are kept.
	maxAge = 14 * 24 * time.Hour
	// DefaultAckWait bounds the silence of a worker that has a request.
	DefaultAckWait = 30 * time.Second
)

// Config says how to reach the servers.
type Config struct {
	// URL is one or more addresses, nats://host:4222, separated by commas.
	URL string
	// Token is a secret that the server asks for; Creds, CA, Cert and Key are files.
	Token                string
	Creds, CA, Cert, Key string
	// Patience says how long Connect waits for a server to come up.
	Patience time.Duration
	// AckWait replaces DefaultAckWait; 0 keeps it. All workers of a queue need the same.
	AckWait time.Duration
	// Note is called with news about the connection; it may be nil.
	Note func(string)
}

// Queue is a connection to the servers. It outlives their restarts.
type Queue struct {
	conn    *nats.Conn
	js      jetstream.JetStream
	replies jetstream.Stream
	ackWait time.Duration
	note    func(string)
	trouble *trouble
	workers *registry
}

// Connect connects, and makes missing streams. The error shows no credentials.
func Connect(ctx context.Context, cfg Config) (*Queue, error) {
	q := &Queue{ackWait: cfg.AckWait, note: cfg.Note}
	if q.ackWait <= 0 {
		q.ackWait = DefaultAckWait
	}
	if q.note == nil {
		q.note = func(string) {}
	}
	q.trouble = &trouble{note: q.note}
	for began := time.Now(); ; time.Sleep(200 * time.Millisecond) {
		err := q.open(ctx, &cfg)
		if err == nil {
			q.checkPayload()
			return q, nil
		}
		if ctx.Err() != nil || lasting(err) || time.Since(began) >= cfg.Patience {
			return nil, fmt.Errorf("queue %s: %w", Bare(cfg.URL), err)
		}
	}
}

// wantedPayload is the size of the longest prompts and replies that are expected.
const wantedPayload = 16 << 20

// checkPayload says if the server takes smaller messages than prompts and replies may be.
func (q *Queue) checkPayload() {
	if most := q.conn.MaxPayload(); most < wantedPayload {
		q.note(fmt.Sprintf("the queue's server takes messages of at most %d bytes: a longer prompt or reply is not "+
			"judged; set max_payload: 16MB (deploy/nats.conf)", most))
	}
}

// open tries once to connect and to make the streams.
func (q *Queue) open(ctx context.Context, cfg *Config) error {
	conn, err := nats.Connect(cfg.URL, cfg.options(q.note)...)
	if err != nil {
		return err
	}
	q.conn = conn
	if q.js, err = jetstream.New(conn); err == nil {
		err = q.makeStreams(ctx)
	}
	if err == nil {
		q.workers, err = watch(conn)
	}
	if err != nil {
		conn.Close()
	}
	return err
}

func (cfg *Config) options(note func(string)) []nats.Option {
	options := []nats.Option{
		nats.Name("judge"), nats.MaxReconnects(-1), nats.ReconnectWait(200 * time.Millisecond), nats.Timeout(5 * time.Second),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				note("the queue's server went away; waiting for it")
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) { note("the queue's server is back; going on") }),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}),
	}
	if cfg.Token != "" {
		options = append(options, nats.Token(cfg.Token))
	}
	if cfg.Creds != "" {
		options = append(options, nats.UserCredentials(cfg.Creds))
	}
	if cfg.CA != "" {
		options = append(options, nats.RootCAs(cfg.CA))
	}
	if cfg.Cert != "" {
		options = append(options, nats.ClientCert(cfg.Cert, cfg.Key))
	}
	return options
}

// Bare returns a list of server addresses without credentials.
func Bare(url string) string {
	list := strings.Split(url, ",")
	for i, one := range list {
		scheme, rest, ok := strings.Cut(one, "://")
		if !ok {
			scheme, rest = "nats", one
		}
		if at := strings.LastIndex(rest, "@"); at >= 0 {
			rest = rest[at+1:]
		}
		list[i] = scheme + "://" + rest
	}
	return strings.Join(list, ",")
}

// Workers describes the workers that are alive: how many, how fast, with what errors.
func (q *Queue) Workers() string { return q.workers.String() }

// Unserved returns those of the models that no worker has. It waits until the workers that
// are there have said so.
func (q *Queue) Unserved(ctx context.Context, models []string) []string {
	for began := time.Now(); ; pause(ctx, 20*time.Millisecond) {
		live := q.workers.live()
		none := slices.DeleteFunc(slices.Clone(models), func(model string) bool {
			return slices.ContainsFunc(live, func(s state) bool { return slices.Contains(s.Models, model) })
		})
		if len(none) == 0 || time.Since(began) > beat+beat/5 || ctx.Err() != nil {
			return none
		}
	}
}

// Close ends the connection.
func (q *Queue) Close() { q.conn.Close() }

// makeStreams makes missing streams, and keeps the one of the replies.
func (q *Queue) makeStreams(ctx context.Context) error {
	_, err := q.stream(ctx, jetstream.StreamConfig{
		Name: requestStream, Subjects: []string{"judge.request.>"}, Retention: jetstream.WorkQueuePolicy,
		MaxMsgsPerSubject: 1, Discard: jetstream.DiscardNew, DiscardNewPerSubject: true,
		Duplicates: time.Second, // a subject takes one message; none has an id beside
	})
	if err != nil {
		return err
	}
	q.replies, err = q.stream(ctx, jetstream.StreamConfig{
		Name: replyStream, Subjects: []string{"judge.reply.>"}, MaxMsgsPerSubject: 1, MaxAge: maxAge,
		AllowDirect: true,
	})
	return err
}

// stream returns a stream as its owner set it, or a new one.
func (q *Queue) stream(ctx context.Context, cfg jetstream.StreamConfig) (jetstream.Stream, error) {
	s, err := q.js.Stream(ctx, cfg.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		s, err = q.js.CreateStream(ctx, cfg)
	}
	if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) { // another one was made meanwhile
		s, err = q.js.Stream(ctx, cfg.Name)
	}
	if err != nil {
		return nil, fmt.Errorf("stream %s: %w", cfg.Name, err)
	}
	return s, nil
}

// modelToken names a model in subjects.
func modelToken(model string) string {
	sum := sha256.Sum256([]byte(model))
	return hex.EncodeToString(sum[:6])
}

// partitionOf returns the partition of the conversation that a request is about.
func partitionOf(key string) int {
	if at := strings.LastIndexByte(key, '#'); at >= 0 {
		key = key[:at]
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(key))
	return int(h.Sum32() % partitions)
}

func requestSubject(run string, p *llm.Prepared) string {
	return fmt.Sprintf("judge.request.%s.%02d.%s.%s", modelToken(p.Model), partitionOf(p.Key), run, p.Fingerprint)
}

// replySubject returns the subject of the reply to a request.
func replySubject(request string) string {
	parts := strings.Split(request, ".")
	return "judge.reply." + strings.Join(parts[len(parts)-2:], ".")
}

// task is the message of a request.
type task struct {
	Kind    llm.Kind    `json:"kind"`
	Request llm.Request `json:"request"`
}

// answer is the message of a reply.
type answer struct {
	Status int        `json:"status"`
	Body   []byte     `json:"body,omitempty"`
	Worker string     `json:"worker,omitempty"`
	Error  *llm.Error `json:"error,omitempty"`
}

// stored returns the stored reply to a request; nil without one, or if it is damaged.
func (q *Queue) stored(ctx context.Context, request string) (*answer, error) {
	msg, err := q.replies.GetLastMsgForSubject(ctx, replySubject(request))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	a, _ := readAnswer(msg.Data)
	return a, nil
}

func readAnswer(data []byte) (*answer, error) {
	var a answer
	if err := json.Unmarshal(data, &a); err != nil {
		return nil, fmt.Errorf("a reply in the queue is damaged: %w", err)
	}
	return &a, nil
}

// lasting reports errors that no restart of a server mends.
func lasting(err error) bool {
	return tooLarge(err) || errors.Is(err, nats.ErrConnectionClosed) ||
		errors.Is(err, nats.ErrAuthorization) || errors.Is(err, nats.ErrPermissionViolation)
}

// tooLarge reports that a message is larger than the server or the stream takes.
func tooLarge(err error) bool {
	api, ok := errors.AsType[*jetstream.APIError](err)
	return errors.Is(err, nats.ErrMaxPayload) || ok && api.ErrorCode == 10054
}

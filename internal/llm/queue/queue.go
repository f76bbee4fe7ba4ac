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
	// partitions is the number of shares into which a model's conversations are divided.
	partitions = 32
	// maxAge limits how long replies are kept if their run never ended.
	maxAge = 14 * 24 * time.Hour
	// DefaultAckWait limits how long a worker with a request may be silent.
	DefaultAckWait = 30 * time.Second
)

// Config says how to reach the servers.
type Config struct {
	// URL is one or more addresses, nats://host:4222, separated by commas.
	URL string
	// Token is a secret that the server asks for; Creds, CA, Cert and Key are names of files.
	Token                string
	Creds, CA, Cert, Key string
	// Patience says how long Connect waits until a server is up.
	Patience time.Duration
	// AckWait replaces DefaultAckWait unless it is 0. All workers of a queue need the same value.
	AckWait time.Duration
	// Note is called with news about the connection; it may be nil.
	Note func(string)
}

// Queue is a connection to the servers. It survives their restarts.
type Queue struct {
	conn    *nats.Conn
	js      jetstream.JetStream
	replies jetstream.Stream
	ackWait time.Duration
	note    func(string)
	trouble *trouble
	workers *registry
}

// Connect connects to the servers and creates missing streams. Its errors show no credentials.
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

// wantedPayload is enough for the longest expected prompts and replies.
const wantedPayload = 16 << 20

// checkPayload warns if the server's limit for messages is smaller than prompts and replies may be.
func (q *Queue) checkPayload() {
	if most := q.conn.MaxPayload(); most < wantedPayload {
		q.note(fmt.Sprintf("the queue's server takes messages of at most %d bytes: a longer prompt or reply is not "+
			"judged; set max_payload: 16MB (deploy/nats.conf)", most))
	}
}

// open tries once to connect and to create the streams.
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

// Bare returns server addresses without their credentials.
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

// Workers describes the live workers: how many there are, how fast, and their errors.
func (q *Queue) Workers() string { return q.workers.String() }

// Unserved returns the models that no worker serves. It waits until the live workers have reported
// their models.
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

// Close closes the connection.
func (q *Queue) Close() { q.conn.Close() }

// makeStreams creates missing streams, and keeps the stream of replies.
func (q *Queue) makeStreams(ctx context.Context) error {
	_, err := q.stream(ctx, jetstream.StreamConfig{
		Name: requestStream, Subjects: []string{"judge.request.>"}, Retention: jetstream.WorkQueuePolicy,
		MaxMsgsPerSubject: 1, Discard: jetstream.DiscardNew, DiscardNewPerSubject: true,
		Duplicates: time.Second, // each subject takes only one message, and messages have no ids
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

// stream returns the stream with the settings that its owner gave it, or creates it.
func (q *Queue) stream(ctx context.Context, cfg jetstream.StreamConfig) (jetstream.Stream, error) {
	s, err := q.js.Stream(ctx, cfg.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		s, err = q.js.CreateStream(ctx, cfg)
	}
	if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) { // another process created it meanwhile
		s, err = q.js.Stream(ctx, cfg.Name)
	}
	if err != nil {
		return nil, fmt.Errorf("stream %s: %w", cfg.Name, err)
	}
	return s, nil
}

// modelToken returns a model's name in subjects.
func modelToken(model string) string {
	sum := sha256.Sum256([]byte(model))
	return hex.EncodeToString(sum[:6])
}

// partitionOf returns the partition of a request's conversation.
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

// task is the message with a request.
type task struct {
	Kind    llm.Kind    `json:"kind"`
	Request llm.Request `json:"request"`
}

// answer is the message with a reply.
type answer struct {
	Status int        `json:"status"`
	Body   []byte     `json:"body,omitempty"`
	Worker string     `json:"worker,omitempty"`
	Error  *llm.Error `json:"error,omitempty"`
}

// storedReply returns the stored reply to a request; nil if there is none or it is damaged.
func (q *Queue) storedReply(ctx context.Context, request string) (*answer, error) {
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

// lasting reports whether an error remains after a restart of the server.
func lasting(err error) bool {
	return tooLarge(err) || errors.Is(err, nats.ErrConnectionClosed) ||
		errors.Is(err, nats.ErrAuthorization) || errors.Is(err, nats.ErrPermissionViolation)
}

// tooLarge reports whether a message exceeds the limit of the server or stream.
func tooLarge(err error) bool {
	api, ok := errors.AsType[*jetstream.APIError](err)
	return errors.Is(err, nats.ErrMaxPayload) || ok && api.ErrorCode == 10054
}

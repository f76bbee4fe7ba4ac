package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/judgekit/judge/internal/config"
	"github.com/judgekit/judge/internal/llm/client"
	"github.com/judgekit/judge/internal/llm/queue"
	"github.com/judgekit/judge/internal/run/instrument"
)

// queueFlags say how to reach a queue.
type queueFlags struct {
	url, tokenEnv, creds, ca, cert, key string
	ackWait                             time.Duration // of workers
}

func (q *queueFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&q.url, "queue", "", "send requests to workers over NATS, nats://host:4222: see judge worker")
	f.StringVar(&q.tokenEnv, "queue-token-env", "", "environment variable that holds the queue's token")
	f.StringVar(&q.creds, "queue-creds", "", "file of NATS credentials")
	f.StringVar(&q.ca, "queue-ca", "", "file of the authority of the queue's certificate")
	f.StringVar(&q.cert, "queue-cert", "", "file of this client's certificate for the queue")
	f.StringVar(&q.key, "queue-key", "", "file of the key to it")
}

// connect connects to the queue.
func (a *app) connect(ctx context.Context, q *queueFlags, note func(string)) (*queue.Queue, error) {
	token, err := a.token(q.tokenEnv)
	if err != nil {
		return nil, err
	}
	if (q.cert == "") != (q.key == "") {
		return nil, usagef("--queue-cert and --queue-key go together")
	}
	out, err := queue.Connect(ctx, queue.Config{
		URL: q.url, Token: token, Creds: q.creds, CA: q.ca, Cert: q.cert, Key: q.key, AckWait: q.ackWait,
		Note: note, Patience: queuePatience,
	})
	if err != nil {
		return nil, &codeError{exitEndpoint, err}
	}
	return out, nil
}

// token reads a token from the environment, "" if no variable is named.
func (a *app) token(env string) (string, error) {
	if env == "" {
		return "", nil
	}
	token := a.getenv(env)
	if token == "" {
		return "", usagef("the environment variable %s is empty or not set", env)
	}
	return token, nil
}

// queuePatience limits how long we wait for the queue's server to come up.
const queuePatience = 30 * time.Second

// queueInFlight caps by default how many requests of a run are in the queue.
const queueInFlight = 256

// checkQueued refuses judges that workers cannot answer for.
func checkQueued(list []instrument.Judge) error {
	if len(list) == 0 {
		return usagef("--queue needs a judge: leave out --no-judge")
	}
	for i := range list {
		j := &list[i]
		if j.Baseline {
			return usagef("--queue needs --model and --base-url, the endpoint's address as workers have it: " +
				"it is part of the run's identity")
		}
		// The workers decide how long an answer may take.
		j.Endpoint.Timeout, j.Endpoint.MaxAttempts = 14*24*time.Hour, 1
		if !j.ConcurrencyGiven {
			j.Endpoint.Concurrency = queueInFlight
		}
	}
	return nil
}

// joinQueue connects the judges to a queue. Workers decide what to do while an endpoint is away.
func (a *app) joinQueue(ctx context.Context, list []instrument.Judge, flags *queueFlags) (*queue.Queue, error) {
	q, err := a.connect(ctx, flags, a.note)
	if err != nil {
		return nil, err
	}
	a.atEnd(q.Close)
	var models []string
	for i := range list {
		models = append(models, list[i].Config.Model)
	}
	for _, model := range q.Unserved(ctx, models) {
		a.note(fmt.Sprintf("no worker has %s yet; start one with\n  judge worker --queue %s --base-url URL --model %s",
			model, queue.Bare(flags.url), model))
	}
	return q, nil
}

// workerFlags are the flags of judge worker.
type workerFlags struct {
	queue       queueFlags
	baseURL     string
	models      []string
	apiKeyEnv   string
	concurrency int
	timeout     time.Duration
	outage      time.Duration
}

func workerCommand(a *app) *cobra.Command {
	var f workerFlags
	cmd := newCommand("worker", cobra.NoArgs, func(ctx context.Context, _ []string) error {
		return a.work(ctx, &f)
	})
	f.queue.add(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.baseURL, "base-url", "", "OpenAI-compatible endpoint, such as http://127.0.0.1:8000/v1")
	fl.StringArrayVar(&f.models, "model", nil, "model to answer for, repeatable (default: all models of the endpoint)")
	fl.StringVar(&f.apiKeyEnv, "api-key-env", "", "environment variable that holds the key (default OPENAI_API_KEY)")
	fl.IntVarP(&f.concurrency, "concurrency", "j", defaultConcurrency, "most open requests")
	fl.DurationVar(&f.timeout, "timeout", 0, "time limit of one request (default 5m)")
	fl.DurationVar(&f.queue.ackWait, "ack-wait", queue.DefaultAckWait,
		"hand the requests of a silent worker to others after this time; the same for all workers")
	fl.DurationVar(&f.outage, "outage", client.DefaultOutage,
		"how long to wait for an endpoint that stopped answering before exit 3")
	return cmd
}

func (a *app) work(ctx context.Context, f *workerFlags) error {
	if f.queue.url == "" || f.baseURL == "" {
		return usagef("a worker needs --queue and --base-url")
	}
	if f.concurrency < 1 {
		return usagef("--concurrency %d: at least one request must be in flight", f.concurrency)
	}
	key, err := a.key(&config.Judge{Model: "worker", APIKeyEnv: f.apiKeyEnv})
	if err != nil {
		return err
	}
	asked, err := client.New(client.Endpoint{
		BaseURL: f.baseURL, APIKey: key, KeyEnv: f.apiKeyEnv, Concurrency: f.concurrency, Timeout: f.timeout,
	}, client.Config{
		Outage: max(f.outage, time.Nanosecond), Grace: workerGrace, InFlight: &a.stopping.inFlight,
		Notice: func(n client.Notice) { a.note(noticeLine(n)) },
	})
	if err != nil {
		return usage(err)
	}
	defer asked.Close()
	models := f.models
	if len(models) == 0 {
		if models, err = allModels(ctx, asked); err != nil {
			return err
		}
	}
	q, err := a.connect(ctx, &f.queue, a.note)
	if err != nil {
		return err
	}
	defer q.Close()
	name := workerName()
	a.note(fmt.Sprintf("worker %s answers for %s from %s", name, strings.Join(models, ", "), f.baseURL))
	err = q.Work(ctx, queue.WorkerConfig{Name: name, Models: models, Slots: f.concurrency, Do: asked.DoPrepared})
	if errors.Is(err, context.Canceled) {
		a.note("worker " + name + ": finished its open requests and stopped")
		return nil
	}
	return endpointError(err)
}

// workerGrace limits how long a worker may take to finish its open requests.
const workerGrace = 10 * time.Minute

// noticeLine says that an endpoint is away, or back.
func noticeLine(n client.Notice) string {
	if n.Over {
		return fmt.Sprintf("%s answers again after %s", n.Endpoint, short(n.Since))
	}
	return fmt.Sprintf("%s does not answer (%s), next try in %s", n.Endpoint, n.Why, short(n.Next))
}

// workerName returns a unique name: the host, the process, and a few random digits.
func workerName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "host"
	}
	host = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, host)
	return fmt.Sprintf("%s-%d-%s", host, os.Getpid(), fewDigits())
}

// allModels returns the models of an endpoint; none is an error.
func allModels(ctx context.Context, c *client.Client) ([]string, error) {
	names, err := modelNames(ctx, c)
	if err == nil && len(names) == 0 {
		err = usagef("%s lists no models; name them with --model", c.BaseURL())
	}
	return names, err
}

package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/judgekit/judge/internal/llm/queue"
	"github.com/judgekit/judge/internal/run/instrument"
)

// queueFlags holds the flags that say how to reach a queue.
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

// token reads a token from the environment; "" if no variable is named.
func (a *app) token(env string) (string, error) {
	if env == "" {
		return "", nil
	}
	token := strings.TrimSpace(a.getenv(env))
	if token == "" {
		return "", usagef("the environment variable %s is empty or not set", env)
	}
	return token, nil
}

// queuePatience limits how long we wait for the queue's server to start.
const queuePatience = 30 * time.Second

// queueInFlight caps by default how many requests of a run are in the queue.
const queueInFlight = 256

// checkQueued returns an error unless all judges have a model that a queue's workers can call.
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

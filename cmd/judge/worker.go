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
)

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

// allModels returns the models of an endpoint, and an error if it lists none.
func allModels(ctx context.Context, c *client.Client) ([]string, error) {
	names, err := modelNames(ctx, c)
	if err == nil && len(names) == 0 {
		err = usagef("%s lists no models; name them with --model", c.BaseURL())
	}
	return names, err
}

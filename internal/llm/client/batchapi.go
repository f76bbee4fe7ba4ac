package client

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"github.com/judgekit/judge/internal/llm"
)

// Body returns a request's body as the client sends it to an endpoint with this base URL.
func Body(p *llm.Prepared, baseURL string) ([]byte, error) {
	var t unsent
	w := wire{config: openai.DefaultConfig(""), transport: &t}
	w.config.BaseURL = baseURL
	_, err := w.Send(context.Background(), p)
	if t.body == nil {
		return nil, err
	}
	return t.body, nil
}

// unsent is a transport that keeps the body of a request and sends nothing.
type unsent struct{ body []byte }

// RoundTrip implements http.RoundTripper.
func (u *unsent) RoundTrip(req *http.Request) (_ *http.Response, err error) {
	u.body, err = io.ReadAll(req.Body)
	return nil, errors.Join(errors.New("not sent"), err)
}

// BatchJob is a batch at a service.
type BatchJob struct {
	ID string
	// Status is the service's own word: validating, in_progress, finalizing, completed, failed,
	// expired, cancelling, cancelled.
	Status                   string
	Total, Completed, Failed int
	// Output and Errors are the ids of the files with answers and with failures; "" if there is no
	// such file.
	Output, Errors string
	// Problem says why the service refused the batch; "" if it did not.
	Problem string
}

// Ended reports whether the batch will return nothing more.
func (b *BatchJob) Ended() bool {
	return slices.Contains([]string{"completed", "failed", "expired", "cancelled"}, b.Status)
}

func jobOf(b *openai.Batch) BatchJob {
	job := BatchJob{
		ID: b.ID, Status: b.Status, Total: b.RequestCounts.Total, Completed: b.RequestCounts.Completed,
		Failed: b.RequestCounts.Failed, Output: *cmp.Or(b.OutputFileID, new("")), Errors: *cmp.Or(b.ErrorFileID, new("")),
	}
	if b.Errors != nil && len(b.Errors.Data) > 0 {
		job.Problem = llm.OneLine(b.Errors.Data[0].Message)
	}
	return job
}

// UploadBatch uploads a file of requests and returns the service's id of the file.
func (c *Client) UploadBatch(ctx context.Context, path string) (id string, err error) {
	err = c.insist(ctx, func(api *openai.Client) error {
		file, err := api.CreateFile(ctx, openai.FileRequest{FilePath: path, Purpose: string(openai.PurposeBatch)})
		id = file.ID
		return err
	})
	return id, err
}

// StartBatch starts a batch of an uploaded file. If a batch of this file exists already, for
// instance from a process that was killed, that one is returned, so that nobody pays twice.
func (c *Client) StartBatch(ctx context.Context, file string, metadata map[string]any) (job BatchJob, err error) {
	err = c.insist(ctx, func(api *openai.Client) error {
		if b, err := findBatch(ctx, api, file); err != nil || b != nil {
			if b != nil {
				job = jobOf(b)
			}
			return err
		}
		got, err := api.CreateBatch(ctx, openai.CreateBatchRequest{
			InputFileID: file, Endpoint: openai.BatchEndpointChatCompletions, Metadata: metadata,
		})
		job = jobOf(&got.Batch)
		return err
	})
	return job, err
}

// findBatch looks for the batch of an uploaded file among the newest.
func findBatch(ctx context.Context, api *openai.Client, file string) (*openai.Batch, error) {
	list, err := api.ListBatch(ctx, nil, new(100))
	if err != nil {
		if e := asError(err); e.Status == http.StatusNotFound || e.Status == http.StatusMethodNotAllowed {
			return nil, nil // the service has no list
		}
		return nil, err
	}
	for i := range list.Data {
		if list.Data[i].InputFileID == file {
			return &list.Data[i], nil
		}
	}
	return nil, nil
}

// Batch returns the current state of a batch.
func (c *Client) Batch(ctx context.Context, id string) (job BatchJob, err error) {
	err = c.insist(ctx, func(api *openai.Client) error {
		got, err := api.RetrieveBatch(ctx, id)
		job = jobOf(&got.Batch)
		return err
	})
	return job, err
}

// CancelBatch asks the service to stop a batch. Answers that are there already can still be
// fetched.
func (c *Client) CancelBatch(ctx context.Context, id string) error {
	return c.insist(ctx, func(api *openai.Client) error {
		_, err := api.CancelBatch(ctx, id)
		return err
	})
}

// Fetch copies a file from the service to w.
func (c *Client) Fetch(ctx context.Context, id string, w io.Writer) error {
	var content io.ReadCloser
	err := c.insist(ctx, func(api *openai.Client) error {
		got, err := api.GetFileContent(ctx, id)
		content = got.ReadCloser
		return err
	})
	if err != nil {
		return err
	}
	defer content.Close()
	if _, err := io.Copy(w, content); err != nil {
		return c.label(unanswered(err), &llm.Request{})
	}
	return nil
}

// insist calls the service until it answers or refuses. Temporary failures are retried, up to the
// endpoint's number of attempts.
func (c *Client) insist(ctx context.Context, call func(*openai.Client) error) error {
	config := c.replicas[0].wire.config
	config.HTTPClient = authorized{c.replicas[0].wire}
	api := openai.NewClientWithConfig(config)
	for n := 1; ; n++ {
		err := call(api)
		if err == nil {
			return nil
		}
		e := c.batchError(ctx, err)
		if !e.Retryable || n >= c.endpoint.MaxAttempts {
			e.Attempts = n
			return e
		}
		if err := sleep(ctx, max(e.RetryAfter, jitter(c.cfg.FirstBackoff, n))); err != nil {
			return c.label(canceled(ctx), &llm.Request{})
		}
	}
}

// batchError adds advice to the error of a call.
func (c *Client) batchError(ctx context.Context, err error) *llm.Error {
	e := unanswered(err)
	if context.Cause(ctx) != nil {
		e = canceled(ctx)
	}
	if e.Kind == llm.KindNotFound {
		e.Hint = "the endpoint has no batch service there; judge batch export writes files for a batch runner"
	}
	return c.label(e, &llm.Request{Model: "(batch)"})
}

// authorized sends go-openai's requests with the key of the endpoint.
type authorized struct{ *wire }

// Do implements openai.HTTPDoer. It follows no redirect, which could leak the key. For a bad status
// it returns an *llm.Error, which go-openai passes on.
func (a authorized) Do(req *http.Request) (*http.Response, error) {
	res, err := a.begin(req)
	if err != nil {
		return nil, err
	}
	if res.StatusCode/100 == 2 {
		res.Body = &redactedLines{redact: a.redact, from: bufio.NewReader(res.Body), Closer: res.Body}
		return res, nil
	}
	defer res.Body.Close()
	body, _ := a.read(res, maxErrorBody) // the status is enough
	e := llm.StatusError(res.StatusCode, body)
	e.RetryAfter = retryAfter(res.Header.Get("Retry-After"), time.Now())
	return nil, e
}

// redactedLines reads a body of any length line by line and removes secrets.
type redactedLines struct {
	redact redactor
	from   *bufio.Reader
	line   []byte // the rest of the last line
	io.Closer
}

// Read implements io.Reader.
func (r *redactedLines) Read(p []byte) (int, error) {
	for len(r.line) == 0 {
		line, err := r.from.ReadSlice('\n')
		for errors.Is(err, bufio.ErrBufferFull) && len(r.line) <= maxReplyBytes {
			r.line = append(r.line, line...)
			line, err = r.from.ReadSlice('\n')
		}
		r.line = append(r.line, line...)
		if len(r.line) > maxReplyBytes {
			return 0, tooLarge(maxReplyBytes)
		}
		r.line = r.redact.body(r.line)
		if len(r.line) == 0 && err != nil {
			return 0, r.redact.error(err)
		}
	}
	n := copy(p, r.line)
	r.line = r.line[n:]
	return n, nil
}

func hosted(baseURL string) bool { return strings.Contains(baseURL, "//api.openai.com/") }

// String describes the batch for messages.
func (b *BatchJob) String() string {
	return fmt.Sprintf("%s %s, %d of %d answered, %d failed", b.ID, b.Status, b.Completed, b.Total, b.Failed)
}

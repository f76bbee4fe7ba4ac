package main

import (
	"bytes"
	"encoding/gob"
	"io"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
)

// bareClient is the first argument of a process that sends the bodies of a file, as gob, to
// a URL, so many at once, and does nothing else.
const bareClient = "__bare-client"

func sendBare(url, file string, inFlight int) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	var bodies [][]byte
	if err := gob.NewDecoder(f).Decode(&bodies); err != nil {
		return err
	}
	transport := &http.Transport{MaxIdleConns: inFlight, MaxIdleConnsPerHost: inFlight, DisableCompression: true}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range inFlight {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(bodies)); i = next.Add(1) - 1 {
				req, _ := http.NewRequest(http.MethodPost, url, bytes.NewReader(bodies[i]))
				req.Header.Set("Content-Type", "application/json")
				res, err := transport.RoundTrip(req)
				if err != nil {
					panic(err)
				}
				_, _ = io.Copy(io.Discard, res.Body)
				_ = res.Body.Close()
			}
		})
	}
	wg.Wait()
	return nil
}

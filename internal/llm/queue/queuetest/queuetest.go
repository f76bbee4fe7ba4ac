// Package queuetest runs a NATS server with JetStream in a test.
package queuetest

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// Start starts a server at host:port, where port 0 means any free port. It keeps its streams in
// dir. configure may change the options first; it may be nil. Stop the server by its Shutdown
// method.
func Start(listen, dir string, configure func(*server.Options)) (*server.Server, error) {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return nil, fmt.Errorf("listen %s: %w", listen, err)
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		return nil, fmt.Errorf("listen %s: %w", listen, err)
	}
	if number == 0 {
		number = server.RANDOM_PORT
	}
	options := &server.Options{
		ServerName: "judge", Host: host, Port: number, NoSigs: true, NoLog: true, MaxPayload: 16 << 20,
		JetStream: true, StoreDir: dir,
	}
	if configure != nil {
		configure(options)
	}
	s, err := server.NewServer(options)
	if err != nil {
		return nil, err
	}
	go s.Start()
	if !s.ReadyForConnections(30 * time.Second) {
		s.Shutdown()
		return nil, errors.New("the queue's server did not start")
	}
	return s, nil
}

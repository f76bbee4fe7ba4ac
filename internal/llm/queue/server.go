package queue

import (
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// ServerConfig is a NATS server in this process.
type ServerConfig struct {
	// Listen is host:port; port 0 takes a free one. Dir holds what is stored.
	Listen, Dir string
	// Token is asked of clients, "" for none. Cert and Key are files for TLS.
	Token, Cert, Key string
}

// maxPayload bounds one message: a prompt with its schema, or a reply.
const maxPayload = 16 << 20

// Serve starts a server. Stop it by its Shutdown method.
func Serve(cfg ServerConfig) (*server.Server, error) {
	host, port, err := net.SplitHostPort(cfg.Listen)
	if err != nil {
		return nil, fmt.Errorf("listen %s: %w", cfg.Listen, err)
	}
	number, err := net.LookupPort("tcp", port)
	if err != nil {
		return nil, fmt.Errorf("listen %s: %w", cfg.Listen, err)
	}
	if number == 0 {
		number = server.RANDOM_PORT
	}
	options := &server.Options{
		ServerName: "judge", Host: host, Port: number, NoSigs: true, NoLog: true, MaxPayload: maxPayload,
		JetStream: true, StoreDir: cfg.Dir, Authorization: cfg.Token,
	}
	if cfg.Cert != "" {
		options.TLSConfig, err = server.GenTLSConfig(&server.TLSConfigOpts{CertFile: cfg.Cert, KeyFile: cfg.Key})
		if err != nil {
			return nil, err
		}
		options.TLS = true
	}
	s, err := server.NewServer(options)
	if err != nil {
		return nil, err
	}
	go s.Start()
	if !s.ReadyForConnections(30 * time.Second) {
		s.Shutdown()
		return nil, errors.New("the queue's server did not start: is the port taken, or the store another server's?")
	}
	return s, nil
}

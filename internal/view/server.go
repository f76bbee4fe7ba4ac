// Package view serves saved runs to a browser on this machine: the page of report.html for a run
// of any size, and the labelling of its calls.
//
// It promises that only the address that it prints gives access: it listens only on loopback,
// requires its token for every request, and refuses other hosts and origins. What a log contains
// is inert in the page. While a person has to label a conversation, nothing that judge or scorers
// said about it is sent. Memory grows with the number of calls, not with their texts.
package view

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/judgekit/judge/internal/value"
)

// door decides which requests are let in.
type door struct {
	token, cookie string
	hosts         []string
	refused       func(why string)
}

func newDoor(port int, refused func(string)) *door {
	secret := make([]byte, 24)
	_, _ = rand.Read(secret) // it never fails
	p := strconv.Itoa(port)
	return &door{base64.RawURLEncoding.EncodeToString(secret), "judge_view_" + p,
		[]string{"127.0.0.1:" + p, "localhost:" + p, "[::1]:" + p}, refused}
}

// guard lets in requests with the token that come from pages of this server or from no page.
func (d *door) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		head := w.Header()
		head.Set("X-Content-Type-Options", "nosniff")
		head.Set("Referrer-Policy", "no-referrer")
		head.Set("Cache-Control", "no-store")
		head.Set("Cross-Origin-Resource-Policy", "same-origin")
		head.Set("Cross-Origin-Opener-Policy", "same-origin")
		head.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		if why := d.foreign(r); why != "" {
			d.refuse(w, why)
			return
		}
		if given := r.URL.Query().Get("token"); given != "" && r.Method == http.MethodGet && d.is(given) {
			http.SetCookie(w, &http.Cookie{Name: d.cookie, Value: d.token, Path: "/", HttpOnly: true,
				SameSite: http.SameSiteLaxMode})
			http.Redirect(w, r, r.URL.Path, http.StatusSeeOther)
			return
		}
		if !d.knows(r) {
			d.refuse(w, "wrong or missing token: open the address that judge view printed")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// foreign returns why a request is foreign (the host that it was sent to, or the page that it
// comes from), "" if it is not.
func (d *door) foreign(r *http.Request) string {
	known := func(host string) bool { return slices.Contains(d.hosts, strings.ToLower(host)) }
	if !known(r.Host) {
		return "it was sent to the host " + r.Host
	}
	origin := r.Header.Get("Origin")
	if u, err := url.Parse(origin); origin != "" && (err != nil || u.Scheme != "http" || !known(u.Host)) {
		return "it comes from a page of " + origin
	}
	link := r.Header.Get("Sec-Fetch-Mode") == "navigate" && !strings.Contains(r.URL.Path, "/api/")
	if r.Header.Get("Sec-Fetch-Site") == "cross-site" && !link {
		return "it comes from a page of another site"
	}
	return ""
}

// knows reports whether a request has the token, as a cookie or in a header.
func (d *door) knows(r *http.Request) bool {
	if given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return d.is(given)
	}
	for _, c := range r.CookiesNamed(d.cookie) {
		if d.is(c.Value) {
			return true
		}
	}
	return false
}

func (d *door) is(given string) bool {
	return subtle.ConstantTimeCompare([]byte(given), []byte(d.token)) == 1
}

func (d *door) refuse(w http.ResponseWriter, why string) {
	why = value.Visible(value.Excerpt(why, 200))
	d.refused(why)
	http.Error(w, "judge view refused this request: "+why, http.StatusForbidden)
}

// listen takes a free port on loopback.
func listen() (net.Listener, int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		if l, err = net.Listen("tcp", "[::1]:0"); err != nil {
			return nil, 0, fmt.Errorf("no port on loopback: %w", err)
		}
	}
	return l, l.Addr().(*net.TCPAddr).Port, nil
}

// serve answers until ctx is done, then gives open requests one second.
func serve(ctx context.Context, l net.Listener, h http.Handler) error {
	s := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute,
		MaxHeaderBytes: 64 << 10, ErrorLog: nil, BaseContext: func(net.Listener) context.Context { return ctx }}
	stopped := make(chan error, 1)
	go func() {
		<-ctx.Done()
		end, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		stopped <- s.Shutdown(end)
	}()
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	if err := <-stopped; err != nil {
		return s.Close()
	}
	return nil
}

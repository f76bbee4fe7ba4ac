package view

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"html"
	"net/http"
	"slices"
	"time"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/document"
	"github.com/judgekit/judge/internal/report/page"
	"github.com/judgekit/judge/internal/report/render"
)

//go:embed script
var scripts embed.FS

// text is one of the files above.
func text(name string) string {
	data, _ := scripts.ReadFile("script/" + name) // it is in the program
	return string(data)
}

// home leads to the first run, or to the trend of several.
func (s *Server) home(w http.ResponseWriter, r *http.Request) {
	if s.several() {
		http.Redirect(w, r, "/trend", http.StatusSeeOther)
		return
	}
	http.Redirect(w, r, "/0/", http.StatusSeeOther)
}

// patience is how long a page waits for the run to be read before it says that it waits.
const patience = time.Second

// showPage is the page of report.html over a whole run.
func (s *Server) showPage(w http.ResponseWriter, r *http.Request, at int) {
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	snap, err := s.runs[at].snapshot(ctx)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		s.showWaiting(w, at)
		return
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	rep := s.withoutBlind(snap.report, at)
	content := render.PageContent(rep, snap.summary.Data(rep))
	runs := fmt.Sprintf("const runs = %d;", len(s.runs))
	content.Scripts, content.Style = []string{runs, text("ask.js"), text("view.js")}, text("view.css")
	content.Connect = true
	s.writePage(w, content)
}

func (s *Server) showLabel(w http.ResponseWriter, _ *http.Request, at int) {
	nothing := &report.Report{}
	content := page.Content{
		Document: &document.Document{Title: "Label calls", ID: s.runs[at].name},
		Data:     page.NewSummary(nothing).Data(nothing),
		Scripts:  []string{text("ask.js"), text("label.js")}, Style: text("label.css"), Connect: true}
	s.writePage(w, content)
}

func (s *Server) writePage(w http.ResponseWriter, content page.Content) {
	var out bytes.Buffer
	if err := page.Write(&out, content); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	// The page has its policy inside; what may frame it only a header can say.
	w.Header().Set("Content-Security-Policy", "frame-ancestors 'none'")
	writeHTML(w, out.Bytes())
}

func writeHTML(w http.ResponseWriter, data []byte) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(data) // whoever asked is gone
}

// showWaiting is shown while a large run is read; labelling need not wait.
func (s *Server) showWaiting(w http.ResponseWriter, at int) {
	w.Header().Set("Refresh", "1")
	writeHTML(w, fmt.Appendf(nil, "<!DOCTYPE html><html lang=en><title>Reading</title><p>Reading the scores of %s. "+
		"<a href=label>Calls can be labelled meanwhile.</a></p></html>", html.EscapeString(s.runs[at].name)))
}

// withoutBlind is a report that names nothing of what its reader is to label blind.
func (s *Server) withoutBlind(r *report.Report, at int) *report.Report {
	blind := s.blind(at)
	out := *r
	out.Disagreements.Items = slices.DeleteFunc(slices.Clone(r.Disagreements.Items),
		func(d report.Disagreement) bool { return blind(d.ConversationID) })
	out.Failing.Items = slices.DeleteFunc(slices.Clone(r.Failing.Items),
		func(f report.FailingItem) bool { return blind(f.ConversationID) })
	return &out
}

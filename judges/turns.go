package judges

import "context"

// turn says which model of a host is asked now. A host holds one model at a time, and
// loads another one in its place: its models are asked one after the other, and the next
// one's turn comes only when there is nothing more to ask of this one for now.
type turn struct {
	model    string
	inFlight int
}

// newTurns gives each host its first model: that of the first judge.
func newTurns(list []*Judge) map[string]*turn {
	out := map[string]*turn{}
	for _, j := range list {
		if host := j.cfg.Host; host != "" && out[host] == nil {
			out[host] = &turn{model: j.cfg.Model}
		}
	}
	return out
}

// enter waits for the turn of a judge's model, for one judgement.
func (r *runner) enter(ctx context.Context, which int) {
	cfg := &r.judges[which].cfg
	if cfg.Host == "" {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.turns[cfg.Host]
	for t.model != cfg.Model && (t.inFlight > 0 || !r.nothingFor(cfg.Host, t.model)) && ctx.Err() == nil {
		r.wake.Wait()
	}
	t.model = cfg.Model
	t.inFlight++
}

// leave ends what enter began.
func (r *runner) leave(which int) {
	if host := r.judges[which].cfg.Host; host != "" {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.turns[host].inFlight--
		r.wake.Broadcast()
	}
}

// nothingFor reports whether a model has nothing to do, and will not have before another
// one has been asked: what it could do next waits for room, or for the other's answers.
func (r *runner) nothingFor(host, model string) bool {
	for i, j := range r.judges {
		if j.cfg.Host == host && j.cfg.Model == model && !r.queues[i].idle.Load() {
			return false
		}
	}
	return r.full || r.allIn
}

// changed wakes whoever waits for another's state.
func (r *runner) changed() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wake.Broadcast()
}

package groups

// A group is small if it has less than this share of all failures, or fewer than this number.
const (
	smallShare = 0.01
	smallCount = 3
)

// Merge maps each signature to its group; counts holds how often each occurs. Small groups are
// merged with the most similar small groups: first those that differ only in their message, then
// those of one tool and kind, then those of one kind. A group without a small neighbour stays as it
// is.
func Merge(counts map[Signature]int) map[Signature]Signature {
	total, sizes, into := 0, map[Signature]int{}, map[Signature]Signature{}
	for s, n := range counts {
		total += n
		sizes[s], into[s] = n, s
	}
	small := func(s Signature) bool {
		return sizes[s] < smallCount || float64(sizes[s]) < smallShare*float64(total)
	}
	for _, fold := range []func(Signature) Signature{
		func(s Signature) Signature { return Signature{Tool: s.Tool, Kind: s.Kind, Parameter: s.Parameter} },
		func(s Signature) Signature { return Signature{Tool: s.Tool, Kind: s.Kind} },
		func(s Signature) Signature { return Signature{Kind: s.Kind} },
	} {
		near := map[Signature][]Signature{}
		for s := range sizes {
			if small(s) {
				near[fold(s)] = append(near[fold(s)], s)
			}
		}
		moved := map[Signature]Signature{}
		for whole, parts := range near {
			if len(parts) < 2 {
				continue
			}
			n := 0
			for _, s := range parts {
				n += sizes[s]
				delete(sizes, s)
				moved[s] = whole
			}
			sizes[whole] += n
		}
		for s, group := range into {
			if to, ok := moved[group]; ok {
				into[s] = to
			}
		}
	}
	return into
}

// maxReasons limits the number of different signatures. Beyond it only the kind of a failure is
// kept; beyond twice as many, nothing.
const maxReasons = 20_000

// Reasons holds the best reason of each item, as a number in a list of different reasons.
type Reasons struct {
	list  []Failure // the first means that there is no reason
	known map[Failure]uint32
}

// Number returns the number of the more exact of two reasons: a known one and f.
func (r *Reasons) Number(known uint32, f Failure) uint32 {
	if r.known == nil {
		r.list, r.known = make([]Failure, 1), map[Failure]uint32{}
	}
	if old := r.list[known]; f.Compare(&old) >= 0 {
		return known
	}
	n, ok := r.known[f]
	if ok {
		return n
	}
	switch {
	case len(r.list) > 2*maxReasons:
		f = Failure{Signature: Signature{Kind: "other"}, rank: byLabel}
	case len(r.list) > maxReasons:
		f = Failure{Signature: Signature{Kind: f.Kind}, rank: f.rank}
	}
	if n, ok = r.known[f]; !ok {
		n = uint32(len(r.list))
		r.list, r.known[f] = append(r.list, f), n
	}
	return n
}

// At returns the reason with this number.
func (r *Reasons) At(number uint32) Failure {
	if number == 0 {
		return Failure{}
	}
	return r.list[number]
}

// Meanings returns the known meanings of the kinds.
func (r *Reasons) Meanings() map[string]string {
	out := map[string]string{}
	for _, f := range r.list {
		if f.Meaning != "" && (out[f.Kind] == "" || f.Meaning < out[f.Kind]) {
			out[f.Kind] = f.Meaning
		}
	}
	return out
}

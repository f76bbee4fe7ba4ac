package scoreset

const (
	pageBits = 12
	pageSize = 1 << pageBits
)

// pages is a list that grows without copying what it holds.
type pages[T any] struct {
	list []*[pageSize]T
	n    int
}

func (p *pages[T]) add(v T) {
	if p.n>>pageBits == len(p.list) {
		p.list = append(p.list, new([pageSize]T))
	}
	p.list[p.n>>pageBits][p.n&(pageSize-1)] = v
	p.n++
}

func (p *pages[T]) at(i uint32) *T { return &p.list[i>>pageBits][i&(pageSize-1)] }

// sparse is a list of any length whose pages are made where something stands; what
// was never set is the zero value.
type sparse[T any] struct{ list []*[pageSize]T }

func (s *sparse[T]) get(i uint32) (v T) {
	at := int(i >> pageBits)
	if at >= len(s.list) || s.list[at] == nil {
		return v
	}
	return s.list[at][i&(pageSize-1)]
}

func (s *sparse[T]) set(i uint32, v T) {
	at := int(i >> pageBits)
	for at >= len(s.list) {
		s.list = append(s.list, nil)
	}
	if s.list[at] == nil {
		s.list[at] = new([pageSize]T)
	}
	s.list[at][i&(pageSize-1)] = v
}

// mapped makes a list of another kind, page by page.
func mapped[T, U any](s *sparse[T], of func(T) U) sparse[U] {
	out := sparse[U]{list: make([]*[pageSize]U, len(s.list))}
	for i, page := range s.list {
		if page == nil {
			continue
		}
		out.list[i] = new([pageSize]U)
		for k, v := range page {
			out.list[i][k] = of(v)
		}
		s.list[i] = nil
	}
	return out
}

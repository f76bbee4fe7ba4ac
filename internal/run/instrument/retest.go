package instrument

// SecondHearings are the judges again, each under a name of its own: the same model is
// asked the same with the same settings, and no answer is taken from the first hearing.
// What changes between the two is noise.
func SecondHearings(list []Judge) []Judge {
	var out []Judge
	for _, j := range list {
		j.RetestOf = j.Config.Name
		j.Config.Name += " (again)"
		out = append(out, j)
	}
	return out
}

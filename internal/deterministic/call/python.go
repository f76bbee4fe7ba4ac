package call

// readPython reads a string as Python calls; false when it is none.
func readPython(string) ([]Call, bool) { return nil, false }

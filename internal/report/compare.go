package report

// Comparison is what changed from run A to run B.
type Comparison struct {
	Rows []ChangeRow `json:"rows"`
}

// ChangeRow is the change of one instrument, over all items or those of one tool.
type ChangeRow struct {
	Instrument
	Tool     string `json:"tool,omitempty"`
	Mean     Change `json:"mean"`
	PassRate Change `json:"pass_rate"`
}

// Change is a paired difference B - A.
type Change struct {
	N     int      `json:"n"`
	A     Estimate `json:"a"`
	B     Estimate `json:"b"`
	Delta Estimate `json:"delta"`
}

package reporttest

import (
	"encoding/csv"
	"os"
	"testing"
)

// Rows returns the rows of a CSV file in the docs, without the header.
func Rows(t *testing.T, file string) [][]string {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	list, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return list[1:]
}

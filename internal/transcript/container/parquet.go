package container

// Parquet tables: exports of tracing services, data sets, pandas, DuckDB, Spark. A cell that is a
// text may hold JSON. Lost: the types of times and dates (they come as the numbers that the file
// holds), and bytes that are not text (as base64). LZ4 is not read.

import (
	"bufio"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strconv"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
	parquetformat "github.com/parquet-go/parquet-go/format"

	"github.com/judgekit/judge/internal/value"
)

func openParquet(in *bufio.Reader, _ int) (t io.Reader, err error) {
	s, err := NewSpool(in)
	if err != nil {
		return nil, err
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
		if err != nil {
			s.Close()
		}
	}()
	f, err := parquet.OpenFile(s, s.Size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, err
	}
	if err := checkCompression(f.Metadata()); err != nil {
		return nil, err
	}
	p := &parquetRows{GenericReader: parquet.NewGenericReader[any](f), buffer: make([]parquet.Row, 1)}
	return rows(s.Size, p.next, p, s), nil
}

// checkCompression refuses LZ4: from a damaged page the library allocates more and more memory, and
// it takes intact pages of other writers for damaged.
func checkCompression(m *parquetformat.FileMetaData) error {
	for _, group := range m.RowGroups {
		for _, c := range group.Columns {
			switch codec := c.MetaData.Codec; codec {
			case parquetformat.Lz4, parquetformat.Lz4Raw, parquetformat.LZO:
				return &Broken{Message: fmt.Sprintf("the columns are compressed with %v, which is not read: write the file "+
					"with Zstandard or Snappy", codec)}
			}
		}
	}
	return nil
}

// parquetRows reads the rows of a file.
type parquetRows struct {
	*parquet.GenericReader[any]
	buffer []parquet.Row
}

// next reads one row. The library panics on some damaged files.
func (p *parquetRows) next() (row value.Value, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &Broken{Message: fmt.Sprintf("the Parquet data is damaged: %v", r)}
		}
	}()
	for n := 0; n == 0; {
		n, err = p.ReadRows(p.buffer)
		switch {
		case n > 0 || err == nil:
		case errors.Is(err, io.EOF):
			return row, err
		default:
			return row, &Broken{Message: "the Parquet data is damaged: " + err.Error()}
		}
	}
	return p.value(), nil
}

// value builds a row from its columns.
func (p *parquetRows) value() value.Value {
	columns := make([][]parquet.Value, len(p.Schema().Columns()))
	p.buffer[0].Range(func(i int, values []parquet.Value) bool {
		columns[i] = values
		return true
	})
	v, _ := groupOf(p.Schema(), columns, levels{})
	return v
}

// levels holds the repetition and definition levels above a node.
type levels struct{ repetition, definition int }

// nodeValue returns the value of a node, which uses the first columns, and the remaining columns.
func nodeValue(n parquet.Node, columns [][]parquet.Value, at levels) (value.Value, [][]parquet.Value) {
	first := columns[0]
	present := len(first) > 0 && first[0].DefinitionLevel() > at.definition
	switch {
	case n.Repeated():
		own, rest := columns[:leaves(n)], columns[leaves(n):]
		at = levels{at.repetition + 1, at.definition + 1}
		elems := []value.Value{}
		for start := present; start && len(own[0]) > 0; {
			var element [][]parquet.Value
			element, own = firstElement(own, at.repetition)
			v, _ := plainNode(n, element, at)
			elems = append(elems, v)
		}
		return value.OfList(elems...), rest
	case n.Optional() && !present:
		return value.Value{}, columns[leaves(n):]
	case n.Optional():
		at.definition++
	}
	return plainNode(n, columns, at)
}

func plainNode(n parquet.Node, columns [][]parquet.Value, at levels) (value.Value, [][]parquet.Value) {
	if !n.Leaf() {
		return groupOf(n, columns, at)
	}
	v := value.Value{}
	if len(columns[0]) > 0 {
		v = leaf(n, columns[0][0])
	}
	return v, columns[1:]
}

// firstElement splits the first element of a list off the values of its columns.
func firstElement(columns [][]parquet.Value, repetition int) (element, rest [][]parquet.Value) {
	for _, values := range columns {
		end := min(1, len(values))
		for end < len(values) && values[end].RepetitionLevel() > repetition {
			end++
		}
		element, rest = append(element, values[:end]), append(rest, values[end:])
	}
	return element, rest
}

// groupOf returns a group as an object, a list or a map.
func groupOf(n parquet.Node, columns [][]parquet.Value, at levels) (value.Value, [][]parquet.Value) {
	var members []value.Member
	for _, f := range n.Fields() {
		var v value.Value
		v, columns = nodeValue(f, columns, at)
		members = append(members, value.Member{Key: f.Name(), Value: v})
	}
	if len(members) != 1 {
		return value.OfObject(members...), columns
	}
	switch logicalOf(n).(type) {
	case *parquetformat.ListType:
		return unwrapped(members[0].Value), columns
	case *parquetformat.MapType:
		var entries []value.Member
		for _, e := range members[0].Value.Elements() {
			entries = append(entries, value.Member{Key: e.Field("key").Text(), Value: e.Field("value")})
		}
		return value.OfObject(entries...), columns
	}
	return value.OfObject(members...), columns
}

// unwrapped removes the one-field group around each element of a list.
func unwrapped(list value.Value) value.Value {
	elems := make([]value.Value, 0, list.Len())
	for _, e := range list.Elements() {
		if e.Kind() == value.Object && e.Len() == 1 {
			e = e.At(0)
		}
		elems = append(elems, e)
	}
	return value.OfList(elems...)
}

func leaves(n parquet.Node) int {
	if n.Leaf() {
		return 1
	}
	count := 0
	for _, f := range n.Fields() {
		count += leaves(f)
	}
	return count
}

// logicalOf returns the logical type of a node's values; nil if the file does not say.
func logicalOf(n parquet.Node) any {
	if logical := n.Type().LogicalType(); logical != nil {
		return logical.Value
	}
	return nil
}

// leaf returns the value of a column.
func leaf(n parquet.Node, v parquet.Value) value.Value {
	logical := logicalOf(n)
	switch v.Kind() {
	case parquet.Boolean:
		return value.OfBool(v.Boolean())
	case parquet.Int32, parquet.Int64:
		if d, ok := logical.(*parquetformat.DecimalType); ok {
			return decimal(big.NewInt(v.Int64()), int(d.Scale))
		}
		if i, ok := logical.(*parquetformat.IntType); ok && !i.IsSigned {
			return value.OfNumber(fmt.Sprint(v.Uint64()))
		}
		return value.OfInt(v.Int64())
	case parquet.Float: // with the digits of its 32 bits, 0.1 and not 0.10000000149011612
		f, _ := strconv.ParseFloat(strconv.FormatFloat(float64(v.Float()), 'g', -1, 32), 64)
		return value.OfFloat(f)
	case parquet.Double:
		return value.OfFloat(v.Double())
	case parquet.ByteArray, parquet.FixedLenByteArray:
		text := string(v.ByteArray())
		switch logical := logical.(type) {
		case *parquetformat.JsonType:
			if inner, err := value.ParseString(text); err == nil {
				return inner
			}
		case *parquetformat.DecimalType:
			return decimal(signed(v.ByteArray()), int(logical.Scale))
		case *parquetformat.UUIDType:
			if len(text) == 16 {
				return value.OfString(fmt.Sprintf("%x-%x-%x-%x-%x", text[:4], text[4:6], text[6:8], text[8:10], text[10:]))
			}
		}
		if !utf8.ValidString(text) {
			text = base64.StdEncoding.EncodeToString([]byte(text))
		}
		return cell(text)
	}
	if v.IsNull() {
		return value.Value{}
	}
	return value.OfString(v.String())
}

// signed converts the bytes of an integer in two's complement, highest byte first.
func signed(b []byte) *big.Int {
	n := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0] >= 0x80 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return n
}

// decimal inserts a decimal point before the last digits of an integer.
func decimal(n *big.Int, scale int) value.Value {
	if scale <= 0 || scale > 1000 {
		return value.OfBigInt(n)
	}
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)
	return value.OfNumber(new(big.Rat).SetFrac(n, unit).FloatString(scale))
}

package container

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
)

// zipped packs a text with gzip, several times.
func zipped(text string, times int) string {
	for range times {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		z.Write([]byte(text))
		z.Close()
		text = b.String()
	}
	return text
}

// TestOpen: containers are removed and named, and a file without a readable form says what it is.
func TestOpen(t *testing.T) {
	const broken = "the gzip data is damaged or cut short: unexpected EOF"
	noise := ""
	for i := range 25 { // does not pack to almost nothing
		noise += string(rune('a'+i*7%26)) + string(rune('0'+i*3%10))
	}
	long := zipped("[1,\n"+strings.Repeat(`"`+noise+`",`+"\n", 3)+"2]", 1)
	for name, tt := range map[string]struct {
		text  string
		forms []string
		want  []string
	}{
		"marked":        {"\ufeff[1,2]", nil, []string{"1 1", "1 2"}},
		"packed":        {zipped("[1]", 3), []string{"gzip", "gzip", "gzip"}, []string{"1 1"}},
		"marked table":  {zipped("\ufeffmessages\n[1]\n", 1), []string{"gzip", "csv"}, []string{`2 {"messages":[1]}`}},
		"recording":     {"interactions:\n- a: 1\n", []string{"yaml"}, []string{`1 {"a":1}`}},
		"texts":         {`"{\"a\":1}" "[2]"`, []string{"json in a string"}, []string{`1 {"a":1}`, "2 [2]"}},
		"packed more":   {zipped("[1]", 4), nil, []string{"it is packed more than 3 times, at last as gzip: unpack it first"}},
		"zstd":          {zstdOf(t, "[1]"), []string{"zstd"}, []string{"1 1"}},
		"zstd, damaged": {ZstdMagic, nil, []string{"the zstd data is damaged or cut short: unexpected EOF"}},
		"a header alone": {"\x1f\x8b", nil, []string{
			"the gzip header cannot be read (unexpected EOF): the file is damaged, copy it again"}},
		"cut": {long[:len(long)-9], []string{"gzip"}, []string{"1 1", `2 "` + noise + `"`, `3 "` + noise + `"`,
			`4 "` + noise + `"`, "5 2", "5 problem: " + broken}},
		"a text of something else": {`"{\"a\":1}" "{"`, []string{"json in a string"}, []string{`1 {"a":1}`,
			"2 problem: a string of the file does not hold JSON: json: text ends early at byte 1: unexpected EOF"}},
		"texts, then a number": {`"{\"a\":1}" 7`, []string{"json in a string"}, []string{`1 {"a":1}`,
			"2 problem: the file begins with a string that holds JSON, but goes on with something else: json: " +
				"cannot unmarshal number into Go value of type string"}},
		"a text that is cut": {`"{\"a\":1}" "{\"a`, []string{"json in a string"}, []string{`1 {"a":1}`,
			"2 problem: the file ends inside of this record: it is cut short"}},
	} {
		if diff := cmp.Diff(tt.want, recordsOf(t, "a.json", tt.text, Layout{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		opts := Options{Limit: 64, Column: func(name string) bool { return name == "messages" }}
		if l, err := Open(strings.NewReader(tt.text), opts); err == nil {
			if l.Close(); !cmp.Equal(tt.forms, l.Forms) {
				t.Errorf("%s: %q, want %q", name, l.Forms, tt.forms)
			}
		}
	}
	failure := errors.New("the disk is gone")
	if _, err := Open(iotest.ErrReader(failure), Options{}); !errors.Is(err, failure) {
		t.Errorf("an error of the reader: %v", err)
	}
}

func zstdOf(t *testing.T, text string) string {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(w.EncodeAll([]byte(text), nil))
}

// TestAdvice: a file of a form that cannot be read says how to make it readable.
func TestAdvice(t *testing.T) {
	const save = ": save it as UTF-8, for instance with `iconv -f UTF-16"
	for text, want := range map[string]Broken{
		"SQLite format 3\x00": {"sqlite", "this is a SQLite database (sessions of the OpenAI Agents SDK and of ADK are): " +
			"write its table of messages as JSON, for instance with `sqlite3 -json FILE 'select * from agent_messages'`"},
		"BZh91AY":       {"bzip2", "this is bzip2 data: unpack it first with `bunzip2`"},
		"\xfd7zXZ":      {"xz", "this is xz data: unpack it first with `unxz`"},
		"\xff\xfe{\x00": {"utf-16", "this is UTF-16 text" + save + " -t UTF-8`"},
		"\xfe\xff\x00{": {"utf-16", "this is UTF-16 text" + save + " -t UTF-8`"},
		"{\x00\"\x00":   {"utf-16", "this is UTF-16 text without a mark" + save + "LE -t UTF-8`"},
		"[\x00{\x00":    {"utf-16", "this is UTF-16 text without a mark" + save + "LE -t UTF-8`"},
		"\x00{\x00\"":   {"utf-16", "this is UTF-16 text without a mark" + save + "BE -t UTF-8`"},
		"\x00[\x00{":    {"utf-16", "this is UTF-16 text without a mark" + save + "BE -t UTF-8`"},
	} {
		_, err := Open(strings.NewReader(text), Options{Limit: 64, Column: func(string) bool { return false }})
		if broken := (*Broken)(nil); !errors.As(err, &broken) || *broken != want {
			t.Errorf("%q: %#v", text, err)
		}
	}
}

// TestLongHead: the beginning of a log with a long first record can be looked at, and is read afterwards.
func TestLongHead(t *testing.T) {
	text := `{"a":"` + strings.Repeat("x", headSize) + `"}`
	l, err := Open(strings.NewReader(text), Options{Limit: 1 << 20, Column: func(string) bool { return false }})
	if err != nil {
		t.Fatal(err)
	}
	if got := len(l.Head()); got != headSize {
		t.Errorf("the head has %d bytes", got)
	}
	if got := string(l.LongHead()); got != text {
		t.Errorf("the long head has %d bytes, the text %d", len(got), len(text))
	}
	if r, err := l.Records("a.json", Layout{}).Next(); err != nil || r.Text != text {
		t.Errorf("the record has %d bytes, %v", len(r.Text), err)
	}
	l, err = Open(strings.NewReader(`{"a":1}`), Options{Limit: 64, Column: func(string) bool { return false }})
	if err != nil || l.LongHead() != nil {
		t.Errorf("a short log has a long head, %v", err)
	}
}

// TestDiskOfOpen: what the disk refuses is not said of the file.
func TestDiskOfOpen(t *testing.T) {
	refused := &fs.PathError{Op: "read", Path: "a.gz", Err: syscall.EIO}
	opts := Options{Limit: 64}
	_, err := Open(io.MultiReader(strings.NewReader("\x1f\x8b"), iotest.ErrReader(refused)), opts)
	if err != error(refused) {
		t.Errorf("a header that the disk does not give: %v", err)
	}
	none := filepath.Join(t.TempDir(), "none")
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, none)
	}
	_, err = Open(strings.NewReader("PAR1"+strings.Repeat("\x00", spoolMemory)), opts)
	if disk, ok := errors.AsType[*fs.PathError](err); !ok || filepath.Dir(disk.Path) != none || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder for temporary files: %v", err)
	}
}

// TestLimitIsOfARecord: a file may be far longer than the limit of a record, in every form.
func TestLimitIsOfARecord(t *testing.T) {
	const n = 3 * headSize / 32
	row := strings.Repeat("x", 40)
	for name, text := range map[string]string{
		"table": "messages,n\n" + strings.Repeat(row+",1\n", n),
		"texts": strings.Repeat(`"{\"a\":\"`+row+`\"}"`+"\n", n),
		"tapes": "interactions:\n" + strings.Repeat("- a: "+row+"\n", n),
	} {
		opts := Options{Limit: 64, Column: func(name string) bool { return name == "messages" }}
		l, err := Open(strings.NewReader(text), opts)
		if err != nil {
			t.Fatal(err)
		}
		r, got := l.Records("a.json", Layout{}), 0
		rec, err := r.Next()
		for ; err == nil && rec.Problem == ""; rec, err = r.Next() {
			got++
		}
		if got != n || !errors.Is(err, io.EOF) {
			t.Errorf("%s: %d of %d records, %v %s", name, got, n, err, rec.Problem)
		}
		l.Close()
	}
	_, err := Open(strings.NewReader(" \n"), Options{Limit: 64, Column: func(string) bool { return false }})
	if !errors.Is(err, io.EOF) {
		t.Errorf("a blank file: %v", err)
	}
}

// TestSeparator: a table has a column of a log, or several columns and as many cells in the next two lines.
func TestSeparator(t *testing.T) {
	for text, want := range map[string]rune{
		"messages,n\n[1],x\n": ',', "messages\nx\n": ',', ",messages\n0,x\n": ',', "n\t messages \n1\t2\n": '\t',
		"a,b\n1,2\n3,4\n": ',', "a\tb\n1\t2\n3\t4\n": '\t', "a;b\n1;2\n3;4\n": ';',
		"\nmessages\nx\n": 0, "a,b\n1,2\n": 0, "a,b\n1,2\n3\n": 0, "a,b\n1\n3,4\n": 0, "a\n1\n2\n": 0, "a,b": 0, "messages,n": 0,
		"[1],messages\n": 0, "{},messages\n": 0, "messages,a[b\n": 0, "messages,\"a\nb\"\n1,2\n": 0,
		"messages," + strings.Repeat("x", 80) + "\n": ',', "messages," + strings.Repeat("x", 81) + "\n": 0,
		"messages" + strings.Repeat(",n", 2044) + "\n": ',', "messages" + strings.Repeat(",n", 2044) + "n\n": 0,
	} {
		if got := separator([]byte(text), func(name string) bool { return name == "messages" }); got != want {
			t.Errorf("%.40q: %q, want %q", text, got, want)
		}
	}
}

// TestUnzstd: a block is unpacked to at most the limit.
func TestUnzstd(t *testing.T) {
	block := []byte(zstdOf(t, "0123456789"))
	if got, err := Unzstd(block, 10); string(got) != "0123456789" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := Unzstd(block, 9); err == nil || err.Error() != "it unpacks to more than 9 bytes" {
		t.Errorf("beyond the limit: %v", err)
	}
	if _, err := Unzstd(block[:len(block)-3], 10); err == nil || strings.Contains(err.Error(), "more than") {
		t.Errorf("cut: %v", err)
	}
}

// TestZip: the entries of a zip are parsed, and what cannot be read names its entry.
func TestZip(t *testing.T) {
	var file bytes.Buffer
	w := zip.NewWriter(&file)
	for _, e := range [][2]string{{"b.json", `{"a":[1]}`}, {"a.json", `{"a":`},
		{"full.json", `"` + strings.Repeat("x", 62) + `"`}, {"long.json", `"` + strings.Repeat("x", 63) + `"`}} {
		f, err := w.Create(e[0])
		if err != nil {
			t.Fatal(err)
		}
		f.Write([]byte(e[1]))
	}
	w.RegisterCompressor(zstd.ZipMethodWinZip, zstd.ZipCompressor())
	w.RegisterCompressor(99, zstd.ZipCompressor())
	for _, e := range []zip.FileHeader{{Name: "zstd.json", Method: zstd.ZipMethodWinZip}, {Name: "other.json", Method: 99},
		{Name: "damaged.json", Method: zip.Store}} {
		f, err := w.CreateHeader(&e)
		if err != nil {
			t.Fatal(err)
		}
		f.Write([]byte(`{"b":"in ` + e.Name + `"}`))
	}
	w.Close()
	whole := bytes.Replace(file.Bytes(), []byte("in damaged"), []byte("is damaged"), 1)
	a, err := OpenZip(bytes.NewReader(whole), 64)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	names := []string{"b.json", "a.json", "full.json", "long.json", "zstd.json", "other.json", "damaged.json"}
	if diff := cmp.Diff(names, a.Names); diff != "" {
		t.Error(diff)
	}
	if !a.Has("b.json") || a.Has("c.json") {
		t.Error("what the zip has")
	}
	if v, err := a.Entry("b.json"); err != nil || v.JSON() != `{"a":[1]}` {
		t.Errorf("%s, %v", v.JSON(), err)
	}
	if v, err := a.Entry("zstd.json"); err != nil || v.JSON() != `{"b":"in zstd.json"}` {
		t.Errorf("%s, %v", v.JSON(), err)
	}
	if v, err := a.Entry("full.json"); err != nil || len(v.Text()) != 62 {
		t.Errorf("an entry as long as the limit: %v", err)
	}
	for name, want := range map[string]string{"c.json": "c.json is missing",
		"a.json":       "a.json: json: text ends early at byte 5: unexpected EOF",
		"other.json":   "other.json: zip: unsupported compression algorithm",
		"damaged.json": "damaged.json: zip: checksum error",
		"long.json":    "long.json of 65 bytes is longer than the limit of 64"} {
		if _, err := a.Entry(name); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := OpenZip(strings.NewReader("no zip"), 64); err == nil {
		t.Error("a text was opened as a zip")
	}
}

// TestBrokenParquet: a Parquet file that cannot be read says why, and one that is damaged ends where it is.
func TestBrokenParquet(t *testing.T) {
	type row struct {
		N string `parquet:"n,plain"`
	}
	file := func(options ...parquet.WriterOption) string {
		var b bytes.Buffer
		w := parquet.NewGenericWriter[row](&b, options...)
		if _, err := w.Write([]row{{"first value"}, {"second value"}}); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	whole := file()
	for name, tt := range map[string]struct{ text, want string }{
		"LZ4": {file(parquet.Compression(&parquet.Lz4Raw)),
			"the columns are compressed with LZ4_RAW, which is not read: write the file with Zstandard or Snappy"},
		"damaged":   {strings.Replace(whole, "first value", "\xff\xff\xff\xff value", 1), "the Parquet data is damaged: "},
		"no pages":  {whole[:4] + strings.Repeat("\xff", 60) + whole[64:], "the Parquet data is damaged: "},
		"no footer": {whole[:len(whole)-9], "the parquet header cannot be read ("},
	} {
		got := recordsOf(t, "a.parquet", tt.text, Layout{})
		if len(got) != 1 || !strings.HasPrefix(got[0], tt.want) {
			t.Errorf("%s: %q, want %s", name, got, tt.want)
		}
	}
}

// TestParquetValues: each type of a column is read as the value that it means.
func TestParquetValues(t *testing.T) {
	type item struct {
		Name string   `parquet:"name"`
		Tags []string `parquet:"tags,list"`
		Note *string  `parquet:"note,optional"`
	}
	type row struct {
		Price int64             `parquet:"price,decimal(2:18)"`
		ID    [16]byte          `parquet:"id,uuid"`
		Share float32           `parquet:"share"`
		Big   uint64            `parquet:"big"`
		Data  string            `parquet:"data,json"`
		Bytes []byte            `parquet:"bytes"`
		Named map[string]string `parquet:"named"`
		Maybe *int32            `parquet:"maybe,optional"`
		Yes   bool              `parquet:"yes"`
		Exact []byte            `parquet:"exact,decimal(2:3)"`
		Text  string            `parquet:"text,json"`
		At    time.Time         `parquet:"at,timestamp"`
		Minus int64             `parquet:"minus"`
		Wide  float64           `parquet:"wide"`
		Items []item            `parquet:"items,list"`
		Plain []int64           `parquet:"plain"`
		One   struct {
			X int64 `parquet:"x"`
		} `parquet:"one"`
		Group *item  `parquet:"group,optional"`
		Last  string `parquet:"last"`
	}
	var file bytes.Buffer
	w := parquet.NewGenericWriter[row](&file)
	seven := int32(7)
	id := [16]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
	note := "n"
	first := row{-105, id, 0.1, 1<<64 - 1, `{"a":[1]}`, []byte{0xaa, 0xbb, 0xcc}, map[string]string{"k": "v"}, &seven,
		true, []byte{0xff, 0x97}, `7`, time.UnixMilli(5), -5, 0.1, []item{{"a", []string{"x", "y"}, nil}, {"b", nil, &note}},
		[]int64{1, 2}, struct {
			X int64 `parquet:"x"`
		}{3}, &item{"c", []string{"z"}, &note}, "end"}
	second := row{Price: 7, ID: id, Share: 1.25, Data: `no JSON`, Bytes: []byte("text"), Exact: []byte{0, 105}, Text: `"t"`,
		At: time.UnixMilli(0), Items: []item{{}}, Last: "end"}
	third := row{Exact: []byte{0, 0}, Group: &item{Name: "d"}, At: time.UnixMilli(0), Data: `{}`, Text: `[]`}
	if _, err := w.Write([]row{first, second, third}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	l, err := Open(&file, Options{Limit: 1 << 10, Column: func(string) bool { return false }})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	r := l.Records("a.parquet", Layout{})
	const uuid = "00010203-0405-0607-0809-0a0b0c0d0e0f"
	for _, want := range []string{
		`{"price":-1.05,"id":"` + uuid + `","share":0.1,"big":18446744073709551615,"data":{"a":[1]},"bytes":"qrvM",` +
			`"named":{"k":"v"},"maybe":7,"yes":true,"exact":-1.05,"text":7,"at":5,"minus":-5,"wide":0.1,` +
			`"items":[{"name":"a","tags":["x","y"],"note":null},{"name":"b","tags":[],"note":"n"}],"plain":[1,2],` +
			`"one":{"x":3},"group":{"name":"c","tags":["z"],"note":"n"},"last":"end"}`,
		`{"price":0.07,"id":"` + uuid + `","share":1.25,"big":0,` +
			`"data":"no JSON","bytes":"text","named":{},"maybe":null,"yes":false,"exact":1.05,"text":"t","at":0,"minus":0,` +
			`"wide":0.0,"items":[{"name":"","tags":[],"note":null}],"plain":[],"one":{"x":0},"group":null,"last":"end"}`,
		`{"price":0.00,"id":"00000000-0000-0000-0000-000000000000","share":0.0,"big":0,` +
			`"data":{},"bytes":"","named":{},"maybe":null,"yes":false,"exact":0.00,"text":[],"at":0,"minus":0,` +
			`"wide":0.0,"items":[],"plain":[],"one":{"x":0},"group":{"name":"d","tags":[],"note":null},"last":""}`,
	} {
		if got, err := r.Next(); err != nil || got.Text != want {
			t.Errorf("%s, %v\nwant %s", got.Text, err, want)
		}
	}
}

package export

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/cdphub/cdphub/internal/journal"
)

var update = flag.Bool("update", false, "write the expected files")

// recorded has one of everything.
const recorded = `{"cdphub":1,"hub":"","targetId":"T","began":1000}
{"seq":1,"at":1000,"kind":"command","method":"Emulation.setDeviceMetricsOverride","action":{"do":"viewport","x":800,"y":600}}
{"seq":2,"at":1010,"kind":"command","method":"Page.navigate","action":{"do":"navigate","url":"https://a.example/"}}
{"seq":3,"at":1020,"kind":"navigation","text":"https://a.example/"}
{"seq":4,"at":1030,"kind":"command","action":{"do":"type","length":3,"on":{"role":"textbox","name":"Name","css":"#name"}}}
{"seq":5,"at":1040,"kind":"command","action":{"do":"type","length":4,"keys":true,"on":{"label":"Password","css":"#pw","secret":true}}}
{"seq":6,"at":1050,"kind":"command","action":{"do":"click","x":5,"y":6,"on":{"role":"button","name":"Say \"hi\"","css":"#hi","nth":2,"dx":1,"dy":2}}}
{"seq":7,"at":1060,"kind":"command","error":"No","action":{"do":"click","x":5,"y":6}}
{"seq":8,"at":1070,"kind":"command","action":{"do":"click","x":9,"y":9,"button":"right","on":{"testId":"menu"}}}
{"seq":9,"at":1080,"kind":"command","action":{"do":"click","x":7,"y":7,"on":{"css":"#row"}}}
{"seq":10,"at":1081,"kind":"command","action":{"do":"dblclick","x":7,"y":7,"on":{"css":"#row"}}}
{"seq":11,"at":1090,"kind":"command","action":{"do":"press","key":"Control+A"}}
{"seq":12,"at":1095,"kind":"command","action":{"do":"press","key":"Enter","on":{"placeholder":"Search","css":"#q"}}}
{"seq":13,"at":1096,"kind":"navigation","text":"https://a.example/?q=[REDACTED]"}
{"seq":14,"at":1100,"kind":"command","action":{"do":"scroll","x":1,"y":2,"toY":300}}
{"seq":15,"at":1110,"kind":"command","action":{"do":"drag","x":1,"y":2,"toX":30,"toY":40}}
{"seq":16,"at":1120,"kind":"command","action":{"do":"upload","length":1,"on":{"label":"File","css":"#file"}}}
{"seq":17,"at":1130,"kind":"command","action":{"do":"click","x":3,"y":3}}
{"seq":18,"at":1140,"kind":"command","action":{"do":"dialog","key":"accept","length":2}}
{"seq":19,"at":1150,"kind":"command","action":{"do":"click","on":{"role":"link","name":"Next","css":"a"}}}
{"seq":20,"at":1160,"kind":"navigation","text":"https://a.example/next"}
{"seq":21,"at":1170,"kind":"command","action":{"do":"reload"}}
{"seq":22,"at":1180,"kind":"command","action":{"do":"navigate","url":"https://a.example/?token=[REDACTED]"}}
{"seq":23,"at":1190,"kind":"request","ms":5,"load":{"method":"GET","url":"https://a.example/x?a=1&b","status":200,"mime":"text/html","answered":{"Content-Encoding":"gzip","Server":"s"},"body":"aGVsbG8="}}
{"seq":24,"at":1200,"kind":"request","error":"net::ERR_FAILED","load":{"method":"GET","url":"https://a.example/y"}}
{"seq":25,"at":1210,"kind":"request","load":{"method":"GET","url":"data:text/plain,…"}}
{"seq":26,"at":1215,"kind":"command","action":{"do":"select","key":"price","values":["Price < 5"],"on":{"role":"combobox","name":"Sort","css":"#list > select","input":"select"}}}
{"seq":27,"at":1216,"kind":"command","action":{"do":"type","length":1,"keys":true,"on":{"role":"combobox","name":"Sort","css":"select","input":"select"}}}
{"seq":28,"at":1217,"kind":"command","action":{"do":"fill","length":10,"on":{"label":"Day","css":"#day","input":"date"}}}
{"seq":29,"at":1217,"kind":"command","action":{"do":"fill","length":10,"on":{"label":"Past","css":"#past","input":"date","min":"1999-01-01"}}}
{"seq":30,"at":1217,"kind":"command","action":{"do":"fill","length":2,"values":["42"],"on":{"role":"slider","name":"Size","css":"#size","input":"range"}}}
{"seq":31,"at":1217,"kind":"command","action":{"do":"type","length":7,"on":{"role":"textbox","name":"Mail","css":"#mail","input":"email"}}}
{"seq":32,"at":1217,"kind":"command","action":{"do":"type","length":2,"on":{"role":"spinbutton","name":"Count","css":"#count","input":"number"}}}
{"seq":33,"at":1217,"kind":"command","action":{"do":"check","on":{"role":"checkbox","name":"Agree","css":"#agree","input":"checkbox"}}}
{"seq":34,"at":1217,"kind":"command","action":{"do":"uncheck","on":{"name":"[REDACTED] desk","role":"checkbox","label":"[REDACTED] desk","css":"ul > li:nth-of-type(2) > input"}}}
{"seq":35,"at":1217,"kind":"command","action":{"do":"type","length":500,"on":{"css":"my-field >>> input"}}}
{"seq":36,"at":1217,"kind":"command","action":{"do":"click","on":{"role":"button","name":"Send","css":"button","frames":["#outer","host >>> iframe"]}}}
{"seq":37,"at":1217,"kind":"command","action":{"do":"click","x":3,"y":4,"inside":true}}
{"seq":38,"at":1217,"kind":"command","action":{"do":"upload","length":2}}
{"seq":39,"at":1217,"kind":"command","action":{"do":"upload","length":2,"on":{"label":"Files","css":"#files","input":"file"}}}
{"seq":40,"at":1217,"kind":"command","action":{"do":"select","values":["[REDACTED]"],"on":{"label":"PIN","css":"#pin","input":"select"}}}
{"seq":41,"at":1218,"kind":"reads","text":"Cart","action":{"do":"title","key":"Cart"}}
{"seq":42,"at":1218,"kind":"reads","text":"Your \"cart\"","action":{"do":"heading","key":"Your \"cart\""}}
{"seq":43,"at":1218,"kind":"reads","text":"Saved","action":{"do":"text","key":"Saved"}}
{"seq":44,"at":1219,"kind":"navigation","text":"https://a.example/?q=ab","typed":true}
{"seq":45,"at":1220,"kind":"command","action":{"do":"close"}}
`

func read(t *testing.T, text string) *journal.Recording {
	t.Helper()
	r, err := journal.Open(write(t, text))
	if err != nil || r.Cut != "" {
		t.Fatalf("%v, cut %q", err, r.Cut)
	}
	return r
}

func write(t *testing.T, text string) string {
	t.Helper()
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "r"+journal.Extension)
	if err := os.WriteFile(name, z.EncodeAll([]byte(text), nil), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestExports compares each export with a file of testdata, which go test -update
// writes.
func TestExports(t *testing.T) {
	r := read(t, recorded)
	for name, export := range map[string]func(io.Writer, *journal.Recording) error{
		"test.spec.ts": Playwright, "flow.json": ChromeRecorder, "app.har": HAR,
	} {
		var got bytes.Buffer
		if err := export(&got, r); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil { //nolint:gosec // a file of the repository
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(versionless(got.Bytes()), versionless(want)) {
			t.Errorf("%s: got\n%s\nwant\n%s", name, &got, want)
		}
		if bytes.Contains(got.Bytes(), []byte("token=[REDACTED]")) {
			t.Errorf("%s opens an address that is not whole", name)
		}
	}
}

// versionless is a HAR without the version of the program.
func versionless(b []byte) []byte {
	before, rest, found := bytes.Cut(b, []byte(`"name": "cdphub",`))
	if _, after, ok := bytes.Cut(rest, []byte("\n  },")); found && ok {
		return append(bytes.Clone(before), after...)
	}
	return b
}

// TestHostileTextsStayTexts has texts that would end a string of JavaScript.
func TestHostileTextsStayTexts(t *testing.T) {
	hostile := "\"); process.exit(1); (\"\n\u2028`${x}`*/"
	name, _ := json.Marshal(hostile)
	r := read(t, `{"cdphub":1,"hub":"","targetId":"T","began":1,"url":"https://a.example/"}`+"\n"+
		`{"seq":1,"at":1,"kind":"command","action":{"do":"click","on":{"role":`+string(name)+`,"name":`+string(name)+`}}}`+"\n"+
		`{"seq":2,"at":2,"kind":"command","action":{"do":"press","key":`+string(name)+`}}`+"\n")
	var got bytes.Buffer
	if err := Playwright(&got, r); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(got.String(), hostile) || strings.Count(got.String(), "\n  await") != 3 {
		t.Errorf("a text is a part of the program:\n%s", &got)
	}
}

// ffmpeg stands in place of the program, which few machines have: its video is the
// list of pictures, if they are there, and the filter.
const ffmpeg = `#!/bin/sh
while read -r word file; do
	[ "$word" != file ] || [ -s "$file" ] || exit 1
done < list.txt
printf '\032\105\337\243' > out.webm
cat list.txt >> out.webm
echo "$@" >> out.webm
`

func TestVideo(t *testing.T) {
	picture := new(bytes.Buffer)
	if err := jpeg.Encode(picture, image.NewGray(image.Rect(0, 0, 65, 33)), nil); err != nil {
		t.Fatal(err)
	}
	name := write(t, `{"cdphub":1,"hub":"","targetId":"T","began":1}`+"\n"+
		`{"seq":1,"at":1,"kind":"picture","picture":true}`+"\n"+`{"seq":2,"at":900,"kind":"picture","picture":true}`+"\n"+
		`{"seq":3,"at":1000,"kind":"picture","picture":true}`+"\n")
	r, err := journal.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	out, empty, stand := filepath.Join(t.TempDir(), "out.webm"), t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(stand, "ffmpeg"), []byte(ffmpeg), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	path := os.Getenv("PATH")
	t.Setenv("PATH", empty)
	if err := Video(t.Context(), out, r); err == nil || !strings.Contains(err.Error(), "apt-get install ffmpeg") {
		t.Errorf("no ffmpeg: %v", err)
	}
	t.Setenv("PATH", stand+string(filepath.ListSeparator)+path)
	if err := Video(t.Context(), out, r); err == nil || !strings.Contains(err.Error(), "no pictures") {
		t.Errorf("no pictures: %v", err)
	}
	if err := os.MkdirAll(filepath.Dir(r.PictureFile(1)), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, seq := range []uint64{1, 2} {
		if err := os.WriteFile(r.PictureFile(seq), picture.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	made := func() string {
		t.Helper()
		if err := Video(t.Context(), out, r); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(out)
		if err != nil || !bytes.HasPrefix(data, []byte{0x1a, 0x45, 0xdf, 0xa3}) { // EBML, as WebM begins
			t.Errorf("%v: %s", err, base64.StdEncoding.EncodeToString(data[:min(len(data), 20)]))
		}
		return string(data)
	}
	got := made()
	for _, want := range []string{"ffconcat version 1.0\nfile 00000001.jpg\nduration 0.899\nfile 00000002.jpg\nduration 1\n", "scale=64:32:", "-f webm out.webm"} {
		if !strings.Contains(got, want) {
			t.Errorf("ffmpeg is asked for\n%s\nwithout %s", got[4:], want)
		}
	}
	t.Setenv("PATH", path)
	if _, err := exec.LookPath("ffmpeg"); err == nil { // the program itself, where it is
		made()
	}
}

// TestR166ExportsOfABombAreSmall exports a recording that claims what no hub records:
// a program that believed it would need all memory, or end.
func TestR166ExportsOfABombAreSmall(t *testing.T) {
	const header = `{"cdphub":1,"hub":"","targetId":"T","began":1000}` + "\n"
	action := func(seq int, more string) string {
		return fmt.Sprintf(`{"seq":%d,"at":1,"kind":"command","action":{"on":{"css":"#a"},%s}}`+"\n", seq, more)
	}
	for name, text := range map[string]string{
		"characters":          action(1, `"do":"type","length":4611686018427387904`) + action(2, `"do":"type","length":4611686018427387904`),
		"less than none":      action(1, `"do":"type","length":-1`),
		"keys":                action(1, `"do":"press","key":"`+strings.Repeat("+", 1<<20)+`"`),
		"parts of an address": `{"seq":1,"at":1,"kind":"request","load":{"method":"GET","url":"http://a.example/?` + strings.Repeat("a&", 1<<20) + `"}}` + "\n",
	} {
		r := read(t, header+text)
		for format, write := range map[string]func(io.Writer, *journal.Recording) error{"HAR": HAR, "Playwright": Playwright, "Recorder": ChromeRecorder} {
			var out counter
			if err := write(&out, r); err != nil || out > 8<<20 {
				t.Errorf("%s as %s: %d bytes, %v", name, format, out, err)
			}
		}
	}
}

type counter int

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

// TestR345AddressesAreThoseOfTheApp exports a recording of an app behind a proxy.
func TestR345AddressesAreThoseOfTheApp(t *testing.T) {
	r := read(t, `{"cdphub":1,"hub":"","targetId":"T","began":1,"url":"http://127.0.0.1:9224/a","apps":{"http://127.0.0.1:9224":"https://app.example"}}`+"\n"+
		`{"seq":1,"at":1,"kind":"command","action":{"do":"navigate","url":"http://127.0.0.1:9224/a?b=1"}}`+"\n"+
		`{"seq":2,"at":2,"kind":"navigation","text":"http://127.0.0.1:9224/c"}`+"\n"+
		`{"seq":3,"at":3,"kind":"command","action":{"do":"navigate","url":"http://127.0.0.1:92241/other"}}`+"\n")
	var got bytes.Buffer
	if err := Playwright(&got, r); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`baseURL: process.env.BASE_URL ?? "https://app.example"`, `test("a recording of https://app.example/a"`, `goto("/a?b=1")`, `goto("http://127.0.0.1:92241/other")`} {
		if !strings.Contains(got.String(), want) {
			t.Errorf("the test lacks %s:\n%s", want, &got)
		}
	}
}

// TestR345LostPagesDownloadsAndOtherNames exports what a test cannot repeat as it was: a page that was lost, files that
// the page has downloaded, and the app by the other names of this machine.
func TestR345LostPagesDownloadsAndOtherNames(t *testing.T) {
	const click = `"kind":"command","action":{"do":"click","on":{"css":"#a"}}`
	for name, tt := range map[string]struct{ entries, want string }{
		"lost by a click": {
			`{` + click + `},{"kind":"navigation","text":"chrome-error://chromewebdata/"},{"kind":"command","action":{"do":"navigate","url":"http://localhost:3000/b"}}`,
			`page.locator("#a").click();|// Here the page could not be loaded, or left the app for one that the recording does not have.|await page.goto("/b");`,
		},
		"lost in the history": {
			`{"kind":"command","action":{"do":"history"}},{"kind":"navigation","text":"chrome-error://chromewebdata/"},{` + click + `}`,
			`// Here the page could not be loaded, or left the app for one that the recording does not have.|await page.locator("#a").click();`,
		},
		"a download by a click": {
			`{` + click + `},{"kind":"reads","action":{"do":"download"}},{"kind":"reads","text":"T","action":{"do":"title","key":"T"}}`,
			`const download1 = page.waitForEvent("download");|await page.locator("#a").click();|await download1;|await expect(page).toHaveTitle("T");`,
		},
		"a download by its address": {
			`{"kind":"command","action":{"do":"navigate","url":"http://localhost:3000/file"}},{"kind":"reads","action":{"do":"download"}}`,
			`const download1 = page.waitForEvent("download");|await page.goto("/file").catch(() => {});|await download1;`,
		},
		"another name of the machine": {
			`{"kind":"command","action":{"do":"navigate","url":"http://127.0.0.1:3000/c?d=1"}},{` + click + `},{"kind":"navigation","text":"http://127.0.0.1:3000/e?f=1"},{` + click + `},{"kind":"navigation","text":"http://[::1]:3001/g"}`,
			`await page.goto("/c?d=1");|await page.locator("#a").click();|await page.waitForURL((url) => url.href.endsWith("/e?f=1"));|await page.locator("#a").click();|await page.waitForURL("http://[::1]:3001/g");`,
		},
		"another site": {
			`{"kind":"command","action":{"do":"navigate","url":"http://127.0.0.1.example:3000/c"}}`,
			`await page.goto("http://127.0.0.1.example:3000/c");`,
		},
	} {
		text := `{"cdphub":1,"hub":"","targetId":"T","began":1}` + "\n"
		entries := `{"kind":"command","action":{"do":"navigate","url":"http://localhost:3000/"}},` + tt.entries
		for i, e := range strings.Split(strings.ReplaceAll(entries, `},{"kind"`, "}\n"+`{"kind"`), "\n") {
			text += fmt.Sprintf(`{"seq":%d,"at":%[1]d,`, i+1) + e[1:] + "\n"
		}
		var got, flow bytes.Buffer
		r := read(t, text)
		if err := Playwright(&got, r); err != nil {
			t.Fatal(err)
		}
		_, steps, _ := strings.Cut(got.String(), "  await page.goto(\"/\");\n  ")
		steps = strings.ReplaceAll(strings.TrimSuffix(steps, "\n});\n"), "\n  ", "|")
		if !strings.HasSuffix(steps, tt.want) {
			t.Errorf("%s: got\n%s\nwant\n%s", name, steps, tt.want)
		}
		if err := ChromeRecorder(&flow, r); err != nil || strings.Contains(flow.String()+got.String(), "chrome-error:") {
			t.Errorf("%s: %v, or a step goes to the error page:\n%s", name, err, &flow)
		}
	}
}

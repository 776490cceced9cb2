package scope

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/secrets"
)

// leaks are texts with a secret in an address, as they stand in events and answers: alone,
// inside of a longer text, and escaped.
var leaks = func() (list []string) {
	for _, name := range strings.Fields("code token access_token client_assertion oauth_verifier SAMLart X-Amz-Signature sig ticket api-key") {
		for _, around := range []string{
			"https://a.test/?x=1&NAME=SECRET&y=2", "/#NAME=SECRET", "//a.test/?NAME=SECRET#top", "?NAME=SECRET", "wss://me:SECRET@a.test/?NAME=SECRET",
			"Failed to load https://a.test/x.js?NAME=SECRET: net::ERR_FAILED", "Error: x\n    at f (https://a.test/?NAME=SECRET:1:2)\n    at g",
			`</style.css?NAME=SECRET>; rel=preload`, "0; url=/?NAME=SECRET", "default-src 'self'; report-uri /r?NAME=SECRET", "/*# sourceMappingURL=a.map?NAME=SECRET */",
			`{"to":"https:\/\/a.test\/?x=1\u0026NAME=SECRET","n":1}`, `"{\"to\":\"/?NAME=SECRET\"}"`, `<a href="/?x=1&amp;NAME=SECRET">go</a>`,
			"https://b.test/?next=https%3A%2F%2Fme%3ASECRET%40a.test%2F%3FNAME%3DSECRET%26x%3D1&y=2", "?a=%253FNAME%253DSECRET", "x=1&NAME=SECRET", "data:text/html,<a href='?NAME=SECRET'>",
			"url(https://a.test/a.png?NAME=SECRET)", "blob:https://a.test/#NAME=SECRET",
		} {
			list = append(list, strings.ReplaceAll(around, "NAME", name))
		}
	}
	return list
}()

// description is the protocol, with what the types of its members are.
type description struct {
	Domains []struct {
		Domain string
		Types  []shape
		Events []struct {
			Name       string
			Parameters []shape
		}
		Commands []struct {
			Name    string
			Returns []shape
		}
	}
	types map[string]shape
}

type shape struct {
	ID, Name, Type string
	Ref            string `json:"$ref"`
	Enum           []string
	Items          *shape
	Properties     []shape
}

func readDescription(t *testing.T) *description {
	t.Helper()
	text, err := os.ReadFile("../../httpdiscovery/protocol.json")
	if err != nil {
		t.Fatal(err)
	}
	d := &description{types: make(map[string]shape)}
	if err := json.Unmarshal(text, d); err != nil {
		t.Fatal(err)
	}
	for _, domain := range d.Domains {
		for _, s := range domain.Types {
			d.types[domain.Domain+"."+s.ID] = s
		}
	}
	return d
}

// filler writes JSON as the protocol describes it, with texts in each string at any depth.
type filler struct {
	*description
	text func() string
	n    int // strings
}

// object writes an object. Within is the types around: some contain themselves.
func (f *filler) object(domain string, members []shape, within []string) map[string]any {
	out := make(map[string]any)
	for _, m := range members {
		if v := f.value(domain, m, within); v != nil {
			out[m.Name] = v
		}
	}
	return out
}

func (f *filler) value(domain string, s shape, within []string) any {
	if s.Ref != "" {
		name := full(domain, s.Ref)
		if slices.Contains(within, name) {
			return nil
		}
		domain, _, _ = strings.Cut(name, ".")
		return f.value(domain, f.types[name], append(slices.Clone(within), name))
	}
	switch s.Type {
	case "string", "binary", "any":
		if len(s.Enum) > 0 {
			return s.Enum[0]
		}
		f.n++
		return f.text()
	case "array":
		if v := f.value(domain, *s.Items, within); v != nil {
			return []any{v, v}
		}
		return []any{}
	case "object":
		if len(s.Properties) == 0 { // of any members, such as headers
			f.n += 2
			return map[string]any{"x " + f.text(): f.text(), "Location": f.text()}
		}
		return f.object(domain, s.Properties, within)
	case "boolean":
		return true
	}
	return 1
}

// messages calls fn with all events that a Client of scope readonly gets, and all answers
// to the methods that it may call, filled with texts. It returns how many strings they have.
func messages(t *testing.T, text func() string, fn func(name string, json []byte, seen func([]byte) []byte)) (n int) {
	t.Helper()
	d := readDescription(t)
	f := &filler{description: d, text: text}
	for _, domain := range d.Domains {
		for _, e := range domain.Events {
			name := domain.Domain + "." + e.Name
			if _, ok := Readonly.Event(name, []byte("{}")); !ok {
				continue
			}
			fn(name, encode(t, f.object(domain.Domain, e.Parameters, nil)), func(in []byte) []byte {
				seen, _ := Readonly.Event(name, in)
				return seen
			})
		}
		for _, c := range domain.Commands {
			if name := domain.Domain + "." + c.Name; Readonly.Refuse(name) == "" {
				fn(name, encode(t, f.object(domain.Domain, c.Returns, nil)), Redact)
			}
		}
	}
	return f.n
}

// encode is v as JSON, in which & and < are escaped, as encoding/json does.
func encode(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestR265NoSecretInAnyString puts each text with a secret into each string that a Client of
// scope readonly gets, at any depth.
func TestR265NoSecretInAnyString(t *testing.T) {
	n := 0
	const shapes = 20 // of texts for one name: each string gets each shape, with another name
	for turn := range shapes {
		next := turn * (shapes + 1)
		n += messages(t, func() string { next++; return leaks[next%len(leaks)] }, func(name string, in []byte, seen func([]byte) []byte) {
			before := bytes.Clone(in)
			out := seen(in)
			if i := bytes.Index(out, []byte("SECRET")); i >= 0 {
				t.Errorf("%s tells …%s…", name, out[max(0, i-80):min(len(out), i+40)])
			}
			if !json.Valid(out) || !bytes.Equal(in, before) {
				t.Errorf("%s is not valid JSON, or its input has changed: %s", name, out)
			}
		})
		if t.Failed() {
			return
		}
	}
	if n < 1000*shapes {
		t.Errorf("only %d strings had a secret", n)
	}
}

// plainTexts are what strings hold that are no addresses with secrets: ids, data in base64,
// prose, code, and addresses.
var plainTexts = []string{
	"5D0A1B2C3D4E5F60718293A4B5C6D7E8", "4711.2", "-3", "interception-job-1.0", "iVBORw0KGgoAAAANSUhEUgAAAAUA+/8BAFcvcw==", "sha256-47DEQpj8HBSa+/TImW==", "R0lGcvc=",
	"data:image/png;base64,iVBORw0KGgo/+AAcvcwAA==", "https://a.test/path;v=1?page=2&q=a%20b%26c#top", "a@b.test", "// by me@b.test", "x = y; a && b; i == 0 ? 1 : 2",
	"color: red; --main: \"\\201C\"", "100 %, 5 < 6 & 7", "\u2028😀 \\ \" / \b", `{"a":"b\\"}`, "", "=", "\\", "%", "Bearer of news",
}

// TestR266NothingElseIsAltered wants what has no secret byte for byte as it was.
func TestR266NothingElseIsAltered(t *testing.T) {
	for turn := range plainTexts {
		next := turn
		messages(t, func() string { next++; return plainTexts[next%len(plainTexts)] }, func(name string, in []byte, _ func([]byte) []byte) {
			if out := Redact(in); !bytes.Equal(out, in) {
				t.Errorf("%s became\n%s\n%s", name, in, out)
			}
		})
	}
	for _, in := range []string{`{"a\/\u0062":"\u0041 = \/ 😀","n":[1e5,-0.0,null,{}]}`, `[]`, `{}`, `"\\"`, ` { "a" : "=" } `} {
		if out := Redact([]byte(in)); string(out) != in {
			t.Errorf("%s became %s", in, out)
		}
	}
	const in, want = `{ "a": "\u003f\u0063ode=s\u0026b\/", "b\/": "\/" ,"c?key=s":1e5}`, `{ "a": "?code=[REDACTED]&b/", "b\/": "\/" ,"c?key=[REDACTED]":1e5}`
	if out := Redact([]byte(in)); string(out) != want {
		t.Errorf("%s became %s, want %s", in, out, want)
	}
}

// TestR265OnlyReaders wants the other scopes to see addresses as they are.
func TestR265OnlyReaders(t *testing.T) {
	const in = `{"frame":{"url":"https://a.test/?token=s"}}`
	for _, s := range []Scope{Standard, Full, Privileged} {
		if out, _ := s.Event("Page.frameNavigated", []byte(in)); string(out) != in || s.Redacts() {
			t.Errorf("%s gets %s", s, out)
		}
	}
}

// FuzzR266Redact redacts any JSON with a secret in it: the secret has gone, the JSON is
// valid, it has the same shape, and to redact it again changes nothing.
func FuzzR266Redact(f *testing.F) {
	for _, text := range slices.Concat(leaks[:20], plainTexts) {
		f.Add(text, "")
		f.Add("", text)
	}
	f.Fuzz(func(t *testing.T, before, after string) {
		in := encode(t, map[string]any{"a": []any{before + " https://a.test/?x=1&code=PLANTED-7392 " + after, 1, true}, before: after, "b": after})
		out := Redact(in)
		if bytes.Contains(out, []byte("PLANTED-7392")) && !strings.Contains(before+after, "PLANTED") {
			t.Errorf("%s became %s", in, out)
		}
		if again := Redact(out); !bytes.Equal(again, out) {
			t.Errorf("%s became %s, and then %s", in, out, again)
		}
		var was, is any
		if err := json.Unmarshal(in, &was); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(out, &is); err != nil {
			t.Fatalf("%s: %v", out, err)
		}
		if text := secrets.Text(before); !secrets.MayBeIn(before) && !strings.Contains(before, `"`) && text != before {
			t.Errorf("%q became %q", before, text)
		}
		if skeleton(was) != skeleton(is) && secrets.Text(before) == before {
			t.Errorf("%s became %s", in, out)
		}
	})
}

// skeleton is a value of JSON without its strings.
func skeleton(v any) string {
	switch v := v.(type) {
	case map[string]any:
		var list []string
		for name, of := range v {
			list = append(list, name+":"+skeleton(of))
		}
		slices.Sort(list)
		return fmt.Sprint(list)
	case []any:
		out := "["
		for _, of := range v {
			out += skeleton(of) + ","
		}
		return out
	case string:
		return "text"
	}
	return fmt.Sprint(v)
}

// event is a request as a page with many of them sends it.
const event = `{"requestId":"5D0A1B2C.12","loaderId":"5D0A1B2C","documentURL":"https://app.test/inbox","request":{"url":"https://app.test/api/items/17","method":"GET",` +
	`"headers":{"Referer":"https://app.test/inbox","User-Agent":"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36","Accept":"application/json","Cookie":"a"},"initialPriority":"High",` +
	`"referrerPolicy":"strict-origin-when-cross-origin"},"timestamp":1234.5678,"wallTime":1700000000.5,"initiator":{"type":"script","stack":{"callFrames":[{"functionName":"get",` +
	`"scriptId":"12","url":"https://app.test/main.js","lineNumber":17,"columnNumber":4}]}},"type":"Fetch","frameId":"5D0A1B2C3D4E","hasUserGesture":false}`

func BenchmarkRedactEvent(b *testing.B) {
	with := strings.ReplaceAll(event, "/items/17", "/items/17?page=2&token=abcdefgh")
	node := `{"nodeId":17,"node":{"nodeId":18,"backendNodeId":19,"nodeType":1,"nodeName":"DIV","localName":"div","nodeValue":"","attributes":["class","a b c"]}}`
	for _, bb := range []struct{ name, method, params string }{
		{"request", "Network.requestWillBeSent", event}, {"secret", "Network.requestWillBeSent", with}, {"node", "DOM.childNodeInserted", node},
	} {
		for _, s := range []Scope{Readonly, Standard} {
			b.Run(bb.name+"/"+s.String(), func(b *testing.B) {
				in := []byte(bb.params)
				b.SetBytes(int64(len(in)))
				b.ReportAllocs()
				for b.Loop() {
					s.Event(bb.method, in)
				}
			})
		}
	}
}

func BenchmarkRedactAnswer(b *testing.B) {
	for name, in := range map[string]string{
		"picture": `{"data":"` + strings.Repeat("iVBORw0KGgoAAAANSUhEUgAAAAUA+/8B", 1<<15) + `=="}`,
		"html":    `{"outerHTML":"` + strings.Repeat(`<a class=\"x y\" href=\"/item?page=2&amp;q=some+words\">Some words to read</a>\n`, 1<<14) + `"}`,
	} {
		b.Run(name, func(b *testing.B) {
			in := []byte(in)
			b.SetBytes(int64(len(in)))
			for b.Loop() {
				Redact(in)
			}
		})
	}
}

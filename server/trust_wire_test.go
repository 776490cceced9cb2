package server

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/cdphub/cdphub/internal/browsertest"
	"github.com/cdphub/cdphub/internal/methods"
)

// cdpSocket is a way in for CDP, whose frames are answered: that of a bare Chromium, or of a hub.
type cdpSocket struct {
	*far
	session, page string // of the page that was opened for it
	window        string // its number
	synced        int
}

// bareChromium returns the address of a browser without a hub, as host:port, and the path of
// its browser socket.
func bareChromium(t *testing.T) (addr, path string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(browsertest.Borrow(t), "DevToolsActivePort"))
	if err != nil {
		t.Fatal(err)
	}
	port, path, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	return "127.0.0.1:" + port, path
}

// openSocket connects to a browser, and opens a page.
func openSocket(t *testing.T, url string) *cdpSocket {
	t.Helper()
	d := &cdpSocket{far: dial(t, url, nil)}
	d.send(`{"id":1,"method":"Target.createTarget","params":{"url":"about:blank"}}`)
	d.page = resultText(t, d.until(`"id":1,`), "targetId")
	d.session = d.Attach(d.page)
	return d.findWindow(d.page)
}

// openPageSocket connects to the socket of a page.
func openPageSocket(t *testing.T, url string) *cdpSocket {
	t.Helper()
	d := &cdpSocket{far: dial(t, url, nil), session: "SESSION"}
	return d.findWindow(url[strings.LastIndexByte(url, '/')+1:])
}

// findWindow asks for the window of a page, as a Client must before it may name it.
func (d *cdpSocket) findWindow(page string) *cdpSocket {
	var a struct {
		Result struct{ WindowID json.Number }
	}
	d.send(fmt.Sprintf(`{"id":2,"method":"Browser.getWindowForTarget","params":{"targetId":%q}}`, page))
	if text := d.until(`"id":2,`); json.Unmarshal([]byte(text), &a) != nil || a.Result.WindowID == "" {
		d.t.Fatalf("%s names no window", text)
	}
	d.window = a.Result.WindowID.String()
	return d
}

// resultText is a member of the result in an answer.
func resultText(t *testing.T, answer, name string) string {
	t.Helper()
	var a struct{ Result map[string]any }
	text, ok := "", false
	if json.Unmarshal([]byte(answer), &a) == nil {
		text, ok = a.Result[name].(string)
	}
	if !ok {
		t.Fatalf("%s has no %s", answer, name)
	}
	return text
}

// ask sends a frame and returns all that is answered, shortened to what must be equal: the
// id as it is written, the code and the message of an error, and the session.
func (d *cdpSocket) ask(frame string) string {
	d.t.Helper()
	d.send(strings.NewReplacer("$S", d.session, "$W", d.window).Replace(frame))
	d.synced++
	sync := 100_000 + d.synced
	// A page answers in its own time, and takes no id twice meanwhile: the last word is its own.
	last := fmt.Sprintf(`{"id":%d,"method":"Sync.nothing","sessionId":%q}`, sync, d.session)
	if d.session == "" || d.page == "" {
		last = fmt.Sprintf(`{"id":%d,"method":"Sync.nothing"}`, sync)
	}
	d.send(last)
	answers, synced := []string{}, false
	for timeout := time.After(within); ; {
		select {
		case m := <-d.Got:
			if strings.HasPrefix(m, fmt.Sprintf(`{"id":%d,`, sync)) {
				synced = true
			} else if short, isAnswer := d.shorten(m); isAnswer {
				answers = append(answers, short)
			}
			if synced && len(answers) > 0 { // some methods answer later than others
				return strings.Join(answers, "\n")
			}
		case <-d.Closed:
			return "closed"
		case <-timeout:
			d.t.Fatalf("%.200q: neither an answer nor the end", frame)
		}
	}
}

// shorten leaves of an answer what must be equal.
func (d *cdpSocket) shorten(m string) (short string, isAnswer bool) {
	var a struct {
		ID        json.RawMessage
		Method    string
		SessionID *string
		Error     *struct {
			Code    int
			Message string
		}
	}
	if err := json.Unmarshal([]byte(m), &a); err != nil {
		d.t.Fatalf("%q: %v", m, err)
	}
	switch {
	case a.Error == nil && a.ID == nil:
		return "", false // an event
	case a.Error == nil:
		short = "result"
	default:
		short = fmt.Sprint(a.Error.Code, " ", a.Error.Message)
	}
	if a.SessionID != nil {
		short += " in " + strings.Replace(*a.SessionID, d.session, "$S", 1)
	}
	return "id " + string(a.ID) + ": " + short, true
}

// frameDifferences are the rows of differences.txt: whether the answers to a frame, Chromium's
// first, differ for the reason of the row.
var frameDifferences = map[string]func(frame, bare, hub string) bool{
	"id": func(_, bare, hub string) bool {
		_, of := cutID(bare)
		id, is := cutID(hub)
		return strings.HasPrefix(bare, "id : ") && id != "" && of == is
	},
	"members": func(_, bare, _ string) bool {
		return strings.Contains(bare, "Message has property other than") || strings.Contains(bare, "CBOR: invalid map key")
	},
	"not-json": func(_, bare, hub string) bool {
		_, of := cutID(bare)
		_, is := cutID(hub)
		return strings.HasPrefix(of, "-32700 ") && strings.HasPrefix(is, "-32700 ")
	},
	"method-length": func(frame, bare, _ string) bool { return strings.Contains(bare, strings.Repeat("x", 129)) },
	"doubled-param": func(frame, _, hub string) bool {
		twice := strings.Count(frame, `"a":`) == 2 || strings.Count(frame, `"targetId":`) == 2 || strings.Contains(frame, "targetID")
		return twice && strings.Contains(hub, "-32602")
	},
	"number-bound": func(_, _, hub string) bool {
		return strings.Contains(hub, "-32602") && strings.Contains(hub, " is allowed")
	},
	"depth": func(frame, _, hub string) bool {
		return strings.Count(frame, "}")+strings.Count(frame, "]") == maxDepth+1 && strings.Contains(hub, "-32700")
	},
	"iframe-json": func(frame, _, hub string) bool {
		return strings.Contains(hub, "-32700") && (strings.ContainsAny(frame, "\x00\x01\t\n\v\f") || strings.Contains(frame, `\v`))
	},
	"iframe-number": func(frame, bare, _ string) bool { return strings.Contains(bare, "JSON: invalid number") },
	"utf-8":         func(frame, _, hub string) bool { return !utf8.ValidString(frame) && hub == "closed" },
}

// maxDepth is how deep a message may nest.
const maxDepth = 300

// cutID splits "id 7: result" before the colon.
func cutID(answer string) (id, rest string) {
	id, rest, _ = strings.Cut(strings.TrimPrefix(answer, "id "), ": ")
	return id, rest
}

// oddFrames are frames as clients of all languages, and people with a terminal, write them.
func oddFrames() (list []string) {
	all := func(format string, values ...string) {
		for _, v := range values {
			list = append(list, strings.ReplaceAll(format, "%", v))
		}
	}
	// Every form of an id, with every form of params, with every form of a sessionId.
	ids := []string{`"id":7,`, `"id":-0,`, `"id":7.0,`, `"id":1e3,`, `"id":"7",`, `"id":null,`, `"id":7.5,`, `"id":2147483648,`, ``}
	params := []string{``, `,"params":{}`, `,"params":[]`, `,"params":null`, `,"params":5`, `,"params":"x"`, `,"params":[{"nodeId":1}]`, `,"params":{"a":1e400}`}
	sessions := []string{``, `,"sessionId":""`, `,"sessionId":"$S"`, `,"sessionId":"none"`, `,"sessionId":null`, `,"sessionId":5`}
	for _, id := range ids {
		for _, p := range params {
			for _, s := range sessions {
				list = append(list, `{`+id+`"method":"Page.nothing"`+p+s+`}`)
			}
		}
	}
	all(`{"id":%,"method":"A.b"}`, strings.Fields("0 -1 1 1e0 1E0 10e-1 0.1e1 -1.0 100e-2 2147483647 2147483647.0 -2147483648 -2147483649 4294967297 99999999999999999999 1e9 1e10 1e400 -1e400 1e-400 true [] {} 01 +1 1. .5 - 1e 0x1 NaN Infinity 0e0 -0.0")...)
	// Methods with and without params, of the browser and of a page.
	for _, m := range []string{
		`"Browser.getVersion"`, `"Target.getTargets"`, `"Target.getTargetInfo"`, `"Target.setDiscoverTargets"`, `"Browser.getWindowBounds"`, `"Schema.getDomains"`, `"Fetch.disable"`,
		`"Runtime.disable","sessionId":"$S"`, `"Page.getFrameTree","sessionId":"$S"`, `"DOM.describeNode","sessionId":"$S"`, `"Page.reload","sessionId":"$S"`, `"Network.enable","sessionId":"$S"`,
	} {
		all(`{"id":7,"method":`+m+`,"params":%}`, `[]`, `{}`, `null`, `[1]`, `{"":1}`, `{"a":"x","a":"y"}`)
	}
	all(`{"id":7,"method":%}`, `""`, `null`, `1`, `[]`, `"."`, `"x"`, `"x."`, `".x"`, `"browser.getVersion"`, `"Browser.getVersion "`, `"Browser.getVersion\u0000"`, `"Br\u006fwser.nothing"`, `"\ud800"`, `"\ud83d\ude00"`, `"é"`, `"a\"b"`, `"a\n.b"`, `"Target"`, `"Target."`, `"a.b.c"`, `"<b>.x"`, `"\u007f.x"`, `"`+strings.Repeat("x", 300)+`"`)
	all(`{"id":7,"method":%,"sessionId":"$S"}`, `""`, `"."`, `"x"`, `"Page.enable "`, `"\ud800"`, `"P\u0061ge.nothing"`)
	all(`{"id":7,"method":"A.b","sessionId":%}`, `[]`, `{}`, `true`, `"\u0000"`, `"$S "`, `"é"`, `"\ud800"`, `"`+strings.Repeat("x", 1000)+`"`)
	all(`{"id":7,"method":"Browser.getWindowBounds","params":{"windowId":%}}`, `$W`, `$W.0`, `$We0`, `-1`, `1e99`, `1.5`, `"1"`, `null`, `true`, `[]`)
	all(`{"id":7,"method":"Target.getTargetInfo","params":{%}}`, `"targetId":""`, `"targetId":"x"`, `"targetId":null`, `"targetId":5`, `"targetId":{}`, `"targetId":"\ud800"`, `"target\u0049d":"x"`, `"targetId":"a","targetId":"b"`, `"targetID":"x"`, `"other":1`)
	all(`{"id":7,"method":"DOM.describeNode","sessionId":"$S","params":{"nodeId":%}}`, `1.0`, `1e0`, `-0`, `1e308`, `"1"`, `null`, `1.5`)
	// The order of members, members that are there twice, others.
	all(`{%}`, `"method":"A.b","id":7`, `"sessionId":"$S","params":{},"method":"A.b","id":7`, `"params":{},"sessionId":"$S","method":"A.b","id":7`, `"\u0069d":7,"m\u0065thod":"A.b"`,
		`"method":5,"id":7`, `"params":5,"method":5,"id":7`, `"id":"x","method":5`, `"sessionId":5,"id":7,"method":"A.b"`, `"id":7,"id":8,"method":"A.b"`, `"id":7,"\u0069d":7,"method":"A.b"`, `"id":"x","id":7,"method":"A.b"`,
		`"id":7,"method":"A.b","method":"A.b"`, `"id":7,"method":"A.b","params":{},"params":{}`, `"id":7,"method":"A.b","sessionId":"$S","sessionId":"$S"`, `"id":7,"method":"A.b","other":{"a":1}`, `"Id":7,"method":"A.b"`,
		`"other":1,"id":7,"method":"A.b"`, `"id":7,"method":"A.b","":1`, `"id":7,"method":"A.b","é":1`, `"id":7,"result":{}`, `"id":7`, `"method":"A.b"`, ``)
	// White space, and what is no JSON.
	whole := `{"id":7,"method":"A.b"}`
	all(`%`, " \n\t\r"+whole+" \n\t\r", "\v"+whole, "\f"+whole, "{\n\"id\"\v:\f7\n,\n\"method\"\r:\t\"A.b\"\n}\n", "\u00a0"+whole, "\ufeff"+whole, whole+whole, whole+"\n"+whole, whole+" x", whole+"\x00", whole+"/", whole+"//x", "/**/"+whole,
		`{"id":7,/*x*/"method":"A.b"}`, `{"id":7,"method":"A.b",}`, `{,"id":7,"method":"A.b"}`, `{"id":7 "method":"A.b"}`, `{"id":7,,"method":"A.b"}`, `{'id':7,"method":"A.b"}`, `{id:7,"method":"A.b"}`, `{"id" 7}`, `{"id":7,"method":"A.b"`, `{"id":`,
		``, ` `, "\x00", `{`, `}`, `[`, `]`, `[]`, `[`+whole+`]`, `null`, `true`, `5`, `"x"`, `""`, `"`, `nul`, `-`, `\`)
	// What stands in a string.
	for _, text := range []string{"a\nb", "a\tb", "\x00", "\x01\x1f", `\v`, `\a`, `\x41`, `\u12`, `\u12g4`, `\ud800`, `\udc00\ud800`, `\ud83d\ude00`, `\/`, `\'`, `\0`, `\u0000`, "\x7f\u2028é😀", `\U0041`, `\u`, "\xff", "\xed\xa0\x80"} {
		all(`{"id":7,"method":"A.b","params":{%}}`, `"a":"`+text+`"`, `"`+text+`":1`)
		all(`{"id":7,"method":"Target.getTargetInfo","params":{"targetId":"%"}}`, text)
		all(`{"id":7,"method":"Runtime.evaluate","params":{"expression":"void '%'"},"sessionId":"$S"}`, text)
	}
	all(`{"id":7,"method":"A.b","params":{"a":%}}`, strings.Fields("1e400 -1e400 1e308 1e-400 1. .5 01 -01 -0 00 - --1 1e+ 1E5 123456789012345678901234567890 1.5e 0x10")...)
	all(`{"id":7,"method":"A.b","params":{"a":%}}`, strings.Repeat("9", 308), strings.Repeat("9", 310))
	for _, levels := range []int{298, 299, 300, 301} {
		all(`{"id":7,"method":"A.b","params":%}`, strings.Repeat(`{"a":`, levels-1)+`{}`+strings.Repeat(`}`, levels-1), strings.Repeat(`[`, levels)+strings.Repeat(`]`, levels))
		all(`%`, strings.Repeat(`[`, levels)+strings.Repeat(`]`, levels))
	}
	return list
}

// TestR300FramesAsChromium sends odd frames to a bare Chromium and to a hub with a browser, at
// the socket of the browser and at that of a page. Each answer is the same, or a row of
// internal/methods/differences.txt says why not.
func TestR300FramesAsChromium(t *testing.T) {
	s := start(t, func(o *Options) { o.Browsers, o.Drain = testBrowser(), time.Millisecond })
	hubAddr := s.addr(false) + "/hub/chromium"
	bareAddr, path := bareChromium(t)
	used := map[string]bool{}
	t.Run("browser", func(t *testing.T) {
		bareURL, hubURL := "ws://"+bareAddr+path, "ws://"+hubAddr+"/devtools/browser"
		compareFrames(t, used, oddFrames(), false, bareURL, hubURL, openSocket)
	})
	t.Run("hub of frames", func(t *testing.T) {
		s.host(t)
		list := slices.DeleteFunc(oddFrames(), func(f string) bool { // what the Host would answer, and the browser's methods
			return strings.Contains(f, "$S") || !strings.Contains(f, "A.b") && !strings.Contains(f, "Page.nothing") && strings.Contains(f, `"method":"`)
		})
		open := func(t *testing.T, url string) *cdpSocket {
			return &cdpSocket{far: dial(t, url, nil), session: "SESSION"}
		}
		compareFrames(t, used, list, true, "ws://"+bareAddr+path, "ws://"+s.addr(false)+"/devtools/browser", open)
	})
	t.Run("page", func(t *testing.T) {
		bare, hub := openSocket(t, "ws://"+bareAddr+path), openSocket(t, "ws://"+hubAddr+"/devtools/browser")
		list := slices.DeleteFunc(oddFrames(), func(f string) bool { return strings.Contains(f, "Target.setDiscoverTargets") })
		compareFrames(t, used, list, false, "ws://"+bareAddr+"/devtools/page/"+bare.page, "ws://"+hubAddr+"/devtools/page/"+hub.page, openPageSocket)
	})
	listed := differences(t, "frame")
	for name := range frameDifferences {
		if !used[name] || !listed[name] {
			t.Errorf("the difference %s: seen %t, in differences.txt %t", name, used[name], listed[name])
		}
	}
	for name := range listed {
		if frameDifferences[name] == nil {
			t.Errorf("the test does not know the row %s of differences.txt", name)
		}
	}
}

// differences are the names in the rows of one kind of internal/methods/differences.txt.
func differences(t *testing.T, kind string) map[string]bool {
	t.Helper()
	rows, err := methods.Differences()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, row := range rows {
		if row.Kind == kind {
			for name := range strings.SplitSeq(row.Name, ", ") {
				names[name] = true
			}
		}
	}
	return names
}

// sameAnswer reports whether an answer is Chromium's. The message of an error may go on with
// what to do, after Chromium's own words.
func sameAnswer(want, got string) bool {
	more, begins := strings.CutPrefix(got, want)
	return begins && (more == "" || strings.Contains(want, ": -32") && (strings.HasPrefix(more, ". ") || strings.HasPrefix(more, ": ")))
}

// compareFrames sends frames to two sockets, and notes the rows by which the answers differ.
func compareFrames(t *testing.T, used map[string]bool, frames []string, iframes bool, bareURL, hubURL string, open func(*testing.T, string) *cdpSocket) {
	bare, hub := open(t, bareURL), open(t, hubURL)
	for _, frame := range frames {
		want, got := bare.ask(frame), hub.ask(frame)
		if want == "closed" {
			bare = open(t, bareURL)
		}
		if got == "closed" {
			hub = open(t, hubURL)
		}
		if sameAnswer(want, got) {
			continue
		}
		explained := false
		for name, explains := range frameDifferences {
			if (iframes || !strings.HasPrefix(name, "iframe-")) && explains(frame, want, got) {
				explained, used[name] = true, true
			}
		}
		if !explained {
			t.Errorf("%.150q\nChromium: %s\nthe hub:  %s", frame, want, got)
		}
	}
	if len(frames) < 100 {
		t.Errorf("%d frames are too few", len(frames))
	}
}

// TestR300BinaryFramesEndTheConnection sends a binary frame: neither Chromium nor a hub goes on.
func TestR300BinaryFramesEndTheConnection(t *testing.T) {
	s := start(t, func(o *Options) { o.Browsers, o.Drain = testBrowser(), time.Millisecond })
	bareAddr, path := bareChromium(t)
	for addr, path := range map[string]string{bareAddr: path, s.addr(false): "/hub/chromium/devtools/browser"} {
		nc, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer nc.Close()
		nc.SetDeadline(time.Now().Add(within))
		io.WriteString(nc, handshake(path))
		in := bufio.NewReader(nc)
		if r, err := http.ReadResponse(in, nil); err != nil || r.StatusCode != http.StatusSwitchingProtocols {
			t.Fatal(r, err)
		}
		frame := `{"id":7,"method":"Browser.getVersion"}`
		nc.Write(append([]byte{0x82, 0x80 | byte(len(frame)), 0, 0, 0, 0}, frame...)) // masked with zeros
		if rest, _ := io.ReadAll(in); strings.Contains(string(rest), "protocolVersion") {
			t.Errorf("%s answers a binary frame: %q", addr, rest)
		}
	}
}

package server

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/cdphub/cdphub/internal/logging/logtest"
	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/targets"
)

// hostSocket connects a Host that has yet to say ready.
func (s started) hostSocket(t *testing.T) *far {
	t.Helper()
	return dial(t, "ws://"+s.addr(true)+"/icdp/host", nil)
}

// TestR80AnswersNobodyWaitsFor sends answers that are not to be passed on.
func TestR80AnswersNobodyWaitsFor(t *testing.T) {
	s := start(t, nil)
	host, c := s.host(t), s.client(t)
	tail := c.attachTo("T1")
	ask := func(id int) command {
		t.Helper()
		c.send(fmt.Sprintf(`{"id":%d,"method":"A.b"%s`, id, tail))
		return readCommand(t, host.until(`"A.b"`))
	}
	answer := func(cmd command, result string) { host.send(cmd.result(result)) }

	first := ask(1)
	answer(first, `{"n":1}`)
	answer(first, `{"n":2}`) // twice
	c.wants(`{"id":1,"result":{"n":1}` + tail)

	second := ask(2)
	for _, id := range []int64{0, -1, second.ID + 1, 1 << 53} { // never asked
		never := second
		never.ID = id
		answer(never, `{"n":3}`)
	}
	other := second // of another session
	other.SessionID = "another"
	answer(other, `{"n":4}`)
	other.SessionID = ""
	answer(other, `{"n":5}`)
	host.send(fmt.Sprintf(`{"kind":"browserResult","id":%d,"result":{"n":6}}`, second.ID))
	answer(second, `{"n":7}`) // it was in flight all the time
	c.wants(`{"id":2,"result":{"n":7}` + tail)

	third := ask(3)
	next := s.hostSocket(t) // takes the place of the Host
	next.send(readyWith("T1", "T2"))
	c.until("Target.detachedFromTarget")
	s.awaitTarget(t, "", "T2")
	host = next
	answer(third, `{"n":8}`)
	tail = c.attachTo("T1")
	answer(ask(4), `{"n":9}`)
	c.wants(`{"id":4,"result":{"n":9}` + tail)

	got := s.hubs.Stats()
	if got.AnswersDuplicate != 1 || got.AnswersUnsolicited != 4 || got.AnswersWrongSession != 3 || got.AnswersOutdated != 1 {
		t.Errorf("answers dropped: twice %d, unasked %d, of another session %d, of the Host before %d; want 1, 4, 3, 1",
			got.AnswersDuplicate, got.AnswersUnsolicited, got.AnswersWrongSession, got.AnswersOutdated)
	}
}

// statusOf is the list of Targets in /icdp/status.
func (s started) statusOf(t *testing.T) (list []struct{ TargetID, Title, URL string }) {
	t.Helper()
	var body struct {
		Targets []struct{ TargetID, Title, URL string }
	}
	_, text := s.get(t, s.addr(false), "/icdp/status", nil)
	if err := json.Unmarshal([]byte(text), &body); err != nil {
		t.Fatalf("%.300s: %v", text, err)
	}
	return body.Targets
}

func TestR81HostsThatAnnounceNonsense(t *testing.T) {
	long := strings.Repeat("x", 300)
	out, log := infoLog()
	s := startLogged(t, log, nil)
	warnings := func() int { return strings.Count(out.String(), `"level":"warn"`) }
	targetsAre := func(t *testing.T, ids ...string) {
		t.Helper()
		var got []string
		for _, target := range s.statusOf(t) {
			got = append(got, target.TargetID)
		}
		if strings.Join(got, " ") != strings.Join(ids, " ") {
			t.Errorf("the Targets are %.200q, want %q", got, ids)
		}
	}
	// after waits until all that the Host said has been heard, which one more
	// Target shows.
	after := func(t *testing.T, h *far) {
		t.Helper()
		h.send(`{"kind":"targetCreated","target":{"targetId":"end"}}`)
		s.awaitTarget(t, "", "end")
		h.send(`{"kind":"targetDestroyed","targetId":"end"}`)
		await(t, "it is gone", func() bool {
			_, body := s.get(t, s.addr(false), "/icdp/status", nil)
			return !strings.Contains(body, `"targetId":"end"`)
		})
	}
	t.Run("ready without Targets", func(t *testing.T) {
		h := s.hostSocket(t)
		for _, m := range []string{
			`{"kind":"ready"}`, `{"kind":"ready","v":1}`, `{"kind":"ready","v":1,"targets":null}`, `{"kind":"ready","v":1,"targets":{}}`,
			`{"kind":"ready","v":1,"targets":"T"}`, `{"kind":"ready","v":2,"targets":[]}`,
		} {
			h.send(m)
		}
		h.send(readyWith("T1"))
		s.awaitTarget(t, "", "T1")
		targetsAre(t, "T1")
		if n := warnings(); n != 1 {
			t.Errorf("%d warnings, want 1", n)
		}
		h.Conn.Close(wsconn.ReasonNormal)
		s.await(t, `"hostConnected":false`)
	})
	t.Run("bad Targets among good ones", func(t *testing.T) {
		h := s.hostSocket(t)
		before := warnings()
		h.send(`{"kind":"ready","v":1,"targets":[5,null,[],{},{"targetId":""},{"targetId":5},{"targetId":"` + long + `"},{"title":"none"},` +
			`{"targetId":"A","title":"one"},{"targetId":"A","title":"two"},{"targetId":"B","title":{}},{"targetId":"C","url":"u"}]}`)
		s.awaitTarget(t, "", "C")
		targetsAre(t, "A", "C")
		if title := s.statusOf(t)[0].Title; title != "two" {
			t.Errorf("of a doubled Target the title is %q, want the last", title)
		}
		for range 1000 {
			h.send(`{"kind":"targetCreated"}`)
			h.send(`{"kind":"targetCreated","target":{"targetId":"` + long + `"}}`)
			h.send(`{"kind":"event","targetId":5,"method":"A.b"}`)
		}
		after(t, h)
		targetsAre(t, "A", "C")
		if n := warnings() - before; n != 1 {
			t.Errorf("%d warnings, want 1", n)
		}
		h.Conn.Close(wsconn.ReasonNormal)
		s.await(t, `"hostConnected":false`)
	})
	t.Run("created twice, and events of an unknown Target", func(t *testing.T) {
		h := s.hostSocket(t)
		h.send(readyWith("T1"))
		s.awaitTarget(t, "", "T1")
		c := s.client(t)
		c.send(`{"id":1,"method":"Target.setDiscoverTargets","params":{"discover":true}}`)
		c.until(`{"id":1,`)
		tail := c.attachTo("T1")
		c.send(`{"id":2,"method":"Target.setAutoAttach","params":{"autoAttach":true,"flatten":true,"waitForDebuggerOnStart":false}}`)
		c.until(`{"id":2,`)
		h.send(`{"kind":"targetCreated","target":{"targetId":"T1","title":"again"}}`)
		if got := c.next(); !strings.HasPrefix(got, `{"method":"Target.targetInfoChanged"`) || !strings.Contains(got, "again") {
			t.Errorf("for a Target created twice came %s, want Target.targetInfoChanged", got)
		}
		h.send(`{"kind":"targetInfoChanged","target":{"targetId":"ghost","title":"x"}}`)
		h.send(`{"kind":"event","targetId":"ghost","method":"A.b","params":{}}`)
		h.send(`{"kind":"targetDestroyed","targetId":"ghost"}`)
		h.send(`{"kind":"event","targetId":"T1","method":"A.end","params":{}}`)
		c.wants(`{"method":"A.end","params":{}` + tail)
		targetsAre(t, "T1")
		h.Conn.Close(wsconn.ReasonNormal)
		s.await(t, `"hostConnected":false`)
	})
	t.Run("8,193 Targets", func(t *testing.T) {
		h := s.hostSocket(t)
		before := warnings()
		ids := make([]string, targets.MaxCount+1)
		for i := range ids {
			ids[i] = fmt.Sprint("T", i)
		}
		h.send(readyWith(ids...))
		s.awaitTarget(t, "", ids[len(ids)-2])
		for i := range 1000 {
			h.send(fmt.Sprintf(`{"kind":"targetCreated","target":{"targetId":"more%d"}}`, i))
		}
		h.send(`{"kind":"targetInfoChanged","target":{"targetId":"T0","title":"end"}}`)
		s.await(t, `"title":"end"`)
		if list := s.statusOf(t); len(list) != targets.MaxCount || list[0].Title != "end" || list[len(list)-1].TargetID != "T8191" {
			t.Errorf("there are %d Targets, the last is %s", len(list), list[len(list)-1].TargetID)
		}
		if n := warnings() - before; n != 1 {
			t.Errorf("%d warnings, want 1", n)
		}
	})
}

func TestR82HostileTitles(t *testing.T) {
	out := &logtest.Buffer{}
	s := startLogged(t, zap.New(zapcore.NewCore(zapcore.NewConsoleEncoder(zap.NewDevelopmentEncoderConfig()), out, zap.DebugLevel)), nil)
	host := s.hostSocket(t)
	host.send(readyWith("T1"))
	s.awaitTarget(t, "", "T1")
	c := s.client(t)
	huge := strings.Repeat("é", 1<<19)
	for _, tt := range []struct{ name, sent, title string }{
		{"script", `</script><script>alert(1)</script>`, "</script><script>alert(1)</script>"},
		{"terminal escapes", `\u001b[2J\u001b]0;x\u0007\u009b`, "\x1b[2J\x1b]0;x\a\u009b"},
		{"line ends", `a\r\nb\u2028c`, "a\r\nb\u2028c"},
		{"lone surrogates", `a\ud83db\ude00c`, "a\ufffdb\ufffdc"},
		{"1 MB", huge, huge[:targets.MaxTitle]},
	} {
		t.Run(tt.name, func(t *testing.T) {
			host.send(`{"kind":"targetInfoChanged","target":{"targetId":"T1","title":"` + tt.sent + `","url":"` + tt.sent + `"}}`)
			var list []struct{ Title, URL string }
			await(t, "the title has changed", func() bool {
				_, body := s.get(t, s.addr(false), "/json/list", nil)
				if err := json.Unmarshal([]byte(body), &list); err != nil || !utf8.ValidString(body) || strings.ContainsAny(body, "\x1b\r\n") {
					t.Fatalf("/json/list is %.200q, %v", body, err)
				}
				return list[0].Title == tt.title
			})
			if len(list[0].URL) > targets.MaxURL || !strings.HasPrefix(list[0].URL, tt.title) {
				t.Errorf("the url is %d bytes of %.100q", len(list[0].URL), list[0].URL)
			}
			c.send(`{"id":1,"method":"Target.getTargetInfo","params":{"targetId":"T1"}}`)
			var m struct {
				Result struct{ TargetInfo struct{ Title string } }
			}
			answer := c.next()
			if err := json.Unmarshal([]byte(answer), &m); err != nil || m.Result.TargetInfo.Title != tt.title || strings.ContainsAny(answer, "\x1b\r\n") {
				t.Errorf("Target.getTargetInfo answers %.200q, %v", answer, err)
			}
		})
	}
	t.Run("invalid UTF-8", func(t *testing.T) {
		nc, err := net.Dial("tcp", s.addr(true))
		if err != nil {
			t.Fatal(err)
		}
		defer nc.Close()
		nc.SetDeadline(time.Now().Add(within))
		io.WriteString(nc, handshake("/icdp/host"))
		const m = `{"kind":"ready","v":1,"targets":[{"targetId":"T1","title":"` + "\xff" + `"}]}`
		io.WriteString(nc, "\x81"+string([]byte{0x80 | byte(len(m))})+"\x00\x00\x00\x00"+m)
		if got, err := io.ReadAll(nc); err != nil || !strings.Contains(string(got), "\x03\xefinvalid UTF-8") {
			t.Errorf("got %q, %v, want close 1007", got, err)
		}
	})
	if text := out.String(); strings.ContainsAny(text, "\x1b\x07\u009b") || strings.Contains(text, "script>") {
		t.Error("the log has a title as it came")
	}
}

func TestR83HostReplaced(t *testing.T) {
	s := start(t, nil)
	first := s.hostSocket(t)
	first.send(namedReady)
	s.awaitTarget(t, "", "T1")
	c := s.client(t)
	tail := c.attachTo("T1")
	const n = 100
	for i := range n {
		c.send(fmt.Sprintf(`{"id":%d,"method":"A.b"%s`, i, tail))
	}
	for range n {
		first.until(`"A.b"`)
	}
	second := s.hostSocket(t)
	begun := time.Now()
	second.send(strings.NewReplacer(`"H"`, `"other"`, "T1", "T2").Replace(namedReady))
	for i := range n {
		c.wants(fmt.Sprintf(`{"id":%d,"error":{"code":-32000,"message":"Host replaced by a newer connection: list the targets again, which are those of the new one"}%s`, i, tail))
	}
	t.Logf("all answered after %v", time.Since(begun))
	if got := c.next(); !strings.HasPrefix(got, `{"method":"Target.detachedFromTarget"`) {
		t.Errorf("then came %s, want Target.detachedFromTarget", got)
	}
	if r := first.reason(); r.Code != 1008 || r.Text != "Host replaced by a newer connection" {
		t.Errorf("the first Host was closed with %v", r)
	}
	c.send(`{"id":1,"method":"A.b"` + tail)
	if got := c.next(); !strings.Contains(got, "-32001") {
		t.Errorf("in its session: %s, want -32001", got)
	}
	s.awaitTarget(t, "", "T2")
	if status, body := s.get(t, s.addr(false), "/icdp/status", http.Header{}); status != 200 || strings.Contains(body, "T1") {
		t.Errorf("the status is %s", body)
	}
}

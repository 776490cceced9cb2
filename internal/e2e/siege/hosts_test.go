package siege

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/coder/websocket"
)

// hosted is an attack by a Host: of a hub of its own, in the same process. It says what it
// answers to a command of a method.
func hosted(name string, quick bool, answer func(method string) string, flood ...string) attack {
	return attack{name: name, scope: "standard", in: frames, quick: quick, begin: func(ctx context.Context, a *attacker) { a.host(ctx, answer, flood) }}
}

// host offers targets at the hub "evil", answers the commands of an action API there, and
// sends what it floods with.
func (a *attacker) host(ctx context.Context, answer func(method string) string, flood []string) {
	conn, _, err := websocket.Dial(ctx, "ws://"+a.hub.HostAddr+"/hub/evil/icdp/host", &websocket.DialOptions{HTTPHeader: bearer(hostToken)})
	if err != nil {
		a.t.Errorf("the Host is refused: %v", err)
		return
	}
	defer conn.CloseNow()
	conn.SetReadLimit(-1)
	write := func(text string) bool { return conn.Write(ctx, websocket.MessageText, []byte(text)) == nil }
	write(`{"kind":"ready","v":1,"features":["sessions"],"targets":[{"targetId":"T","title":"t","url":"http://evil.test/"}]}`)
	go func() {
		for {
			var c struct {
				ID                      int
				Kind, Method, SessionID string
			}
			if _, raw, err := conn.Read(ctx); err != nil || json.Unmarshal(raw, &c) != nil {
				return
			}
			if c.Kind == "command" {
				write(fmt.Sprintf(`{"kind":"response","sessionId":%q,"id":%d,"result":%s}`, c.SessionID, c.ID, answer(c.Method)))
			}
		}
	}()
	go a.actAt(ctx, "evil")
	repeat(ctx, 100000, func(i int) bool {
		if len(flood) == 0 {
			<-ctx.Done()
			return false
		}
		return write(strings.ReplaceAll(flood[i%len(flood)], "$i", fmt.Sprint(i)))
	})
}

// actAt uses every action that reads, at a hub, by an action API.
func (a *attacker) actAt(ctx context.Context, hub string) {
	l := a.connectTo(ctx, "/hub/"+hub+"/ndjson", tokenOf("full"))
	repeat(ctx, 1000, func(i int) bool {
		for n, action := range []string{"page.snapshot", "page.text", "page.html", "page.screenshot", "page.click", "page.frames", "page.evaluate"} {
			if !l.write(ctx, fmt.Sprintf(`{"id":"%d","action":%q,"params":{"ref":"e1","script":"1"}}`+"\n", 10*i+n, action)) {
				return false
			}
		}
		return true
	})
}

// script is the answer of the page script of actions: a JSON text with this value. All
// contexts are there that a caller may want.
func script(value string) func(string) string {
	text, err := json.Marshal(`{"ok":` + value + `}`)
	if err != nil {
		panic(err)
	}
	return func(method string) string {
		switch method {
		case "Page.getFrameTree":
			return `{"frameTree":{"frame":{"id":"A","url":"http://evil.test/","loaderId":"L"}}}`
		case "Page.createIsolatedWorld":
			return `{"executionContextId":1}`
		}
		return `{"result":{"type":"string","objectId":"1","value":` + string(text) + `}}`
	}
}

// hostAttacks are Hosts, and apps in their frames, that lie.
func hostAttacks() []attack {
	return []attack{
		hosted("an answer with a depth of ten trillion", true, script(`{"Text":"- iframe\n- iframe","Count":2,"Holes":[{"Handle":"h","Line":0,"Depth":10000000000000,"Above":"f1"},{"Handle":"i","Line":-9,"Depth":-9,"Above":"f2"}]}`)),
		hosted("a circle of frames", true, func(method string) string {
			if method == "Page.getFrameTree" {
				return `{"frameTree":{"frame":{"id":"A","parentId":"B","url":"http://evil.test/"},"childFrames":[{"frame":{"id":"B","parentId":"A","url":"http://evil.test/"}}]}}`
			}
			return script(`{}`)(method)
		}),
		hosted("answers that are deep", false, script(strings.Repeat("[", 50000)+strings.Repeat("]", 50000))),
		hosted("answers of numbers that are none", false, script(`{"x":1e999,"y":-1e999,"width":1e308,"height":"NaN","Count":-9223372036854775808,"Holes":[{"Line":1e18}]}`)),
		hosted("answers of five megabytes", false, script(`"`+text(5<<20)+`"`)),
		hosted("answers that nobody waits for", false, script("0"), `{"kind":"response","sessionId":"S","id":$i,"result":{}}`),
		hosted("events without an end", false, script("0"), `{"kind":"event","targetId":"T","method":"Runtime.consoleAPICalled","params":{"type":"log","args":[{"type":"string","value":"$i"}]}}`),
		hosted("frames that are attached without an end", false, script("0"), `{"kind":"event","targetId":"T","method":"Page.frameAttached","params":{"frameId":"F$i","parentFrameId":"F$i"}}`),
		hosted("targets without an end", false, script("0"), `{"kind":"targetCreated","target":{"targetId":"T$i","title":"`+text(1000)+`","url":"http://evil.test/"}}`),
		hosted("messages that are nonsense", false, script("0"), `{"kind":"`+text(1000)+`"}`, `[]`, `{"kind":7}`, `{"kind":"response","id":"x"}`),
	}
}

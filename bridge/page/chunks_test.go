package page

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/wsconn"
)

const readyChunks = `{"kind":"ready","v":1,"targets":[{"targetId":"T1"}],"features":["sessions","chunks"]}`

// chunked says a message in pieces of so many bytes, with another message before each of
// them, and takes what comes.
func (p *page) chunked(t *testing.T, message string, size int) {
	t.Helper()
	for at := 0; at < len(message); at += size {
		p.say(`{"kind":"event","targetId":"T1","method":"A.b","params":{}}`)
		want(t, p.hub.lines, "event T1 A.b {}")
		end := min(at+size, len(message))
		p.say(fmt.Sprintf(`{"kind":"chunk","last":%v}`, end == len(message)) + "\n" + message[at:end])
		want(t, p.frames, `{"kind":"chunkTaken"}`)
	}
}

// TestR58PageChunks has a Host send messages in chunks, with others between them.
func TestR58PageChunks(t *testing.T) {
	p := connect(t)
	p.say(readyChunks)
	want(t, p.hub.lines, "ready [{T1   }] |")
	want(t, p.frames, `{"kind":"accepted","features":["sessions","chunks"]}`)

	result := `{"data":"` + strings.Repeat(`x\n`, 5000) + `"}`
	for _, size := range []int{1000, 1 << 20} {
		p.chunked(t, `{"kind":"response","sessionId":"S","id":7,"result":`+result+`}`, size)
		want(t, p.hub.lines, "result 7 S "+result)
	}
	p.chunked(t, `{"kind":"targetDestroyed","targetId":"T1"}`, 1)
	want(t, p.hub.lines, "gone T1")
	p.say("{\"kind\":\"chunk\",\"last\":true}\n{\"kind\":\"chunk\",\"last\":true}\n{}") // a chunk of a chunk is nothing
	want(t, p.frames, `{"kind":"chunkTaken"}`)
	p.saysOne(t, "", "")
}

// TestR58PageChunksThatAreWrong has a Host send chunks that are none: the command of the
// message ends all the same, and the next message is good.
func TestR58PageChunksThatAreWrong(t *testing.T) {
	const answer = `{"kind":"response","sessionId":"S","id":7,"result":{"data":"x"}}`
	const invalid = `result 7 S {"code":-32000,"message":"Invalid answer from the Host: host.js and the hub may be of different versions; load the page again"}`
	p := connect(t)
	p.say(readyChunks)
	want(t, p.hub.lines, "ready [{T1   }] |")
	for _, wrong := range []string{`{"kind":"chunk","last":false}`, `{"kind":"chunk","last":}` + "\n", `{"kind":"chunk"` + "\nx"} {
		p.say(`{"kind":"chunk"}` + "\n" + answer[:len(answer)-2])
		p.say(wrong)
		p.say(`{"kind":"chunk","last":true}` + "\n" + answer[len(answer)-2:])
		want(t, p.hub.lines, invalid)
		p.saysOne(t, answer, `result 7 S {"data":"x"}`)
	}
	p.say(`{"kind":"chunk","last":true}` + "\n" + answer + answer)
	want(t, p.hub.lines, invalid)
}

// TestR58PageChunksNotAccepted has a Host send a chunk that the hub does not know.
func TestR58PageChunksNotAccepted(t *testing.T) {
	p := connect(t)
	p.say(readyT1)
	want(t, p.hub.lines, "ready [{T1 one http://a/ }] |")
	p.saysOne(t, `{"kind":"chunk","last":true}`+"\n"+`{"kind":"targetDestroyed","targetId":"T1"}`, "")
}

// TestR58PageChunksHaveLimits has a Host send a message in chunks that is larger than any
// may be, and one that it does not finish.
func TestR58PageChunksHaveLimits(t *testing.T) {
	piece := `{"kind":"chunk"}` + "\n" + strings.Repeat("x", 1<<20)
	p := connectWith(t, wsconn.Options{Limits: wsconn.Limits{MaxMessage: 4 << 20}})
	p.say(readyChunks)
	for range 4 {
		p.say(piece)
	}
	want(t, p.frames, `{"kind":"accepted","features":["sessions","chunks"]}`)
	want(t, p.frames, slices.Repeat([]string{`{"kind":"chunkTaken"}`}, 4)...)
	if used := p.budget.Used(); used < 4<<20 {
		t.Errorf("4 MiB of chunks count for %d bytes", used)
	}
	p.say(piece)
	if why := <-p.ended; why.Code != 1009 {
		t.Errorf("the Host was closed with %v, want 1009", why)
	}
	want(t, p.hub.lines, "ready [{T1   }] |", "host lost")
	if used := p.budget.Used(); used != 0 {
		t.Errorf("%d bytes are left of a connection that has ended", used)
	}
}

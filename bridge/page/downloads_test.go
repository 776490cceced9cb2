package page

import (
	"encoding/base64"
	"strings"
	"testing"
)

// TestPageDownloads has a Host send a file in parts.
func TestPageDownloads(t *testing.T) {
	p := connect(t)
	p.say(`{"kind":"ready","v":1,"targets":[{"targetId":"T1"}],"features":["downloads"]}`)
	want(t, p.hub.lines, "ready [{T1   }] |")
	want(t, p.frames, `{"kind":"accepted","features":["downloads"]}`)
	long := base64.StdEncoding.EncodeToString(make([]byte, maxPart+3))
	for _, tt := range []struct{ in, want, answer string }{
		{`{"kind":"downloadBegins","targetId":"T1","frameId":"F","guid":"G","url":"http://a/x","suggestedFilename":"a\"b.txt"}`, `download {T1 F G http://a/x a"b.txt}`, `"G","more":true`},
		{`{"kind":"downloadBegins","targetId":5,"guid":"H"}`, "download {  H  }", `"H","more":false`},
		{`{"kind":"downloadPart","guid":"G","data":"aGk="}`, "part G hi", `"G","more":true`},
		{`{"kind":"downloadPart","guid":"G"}`, "part G ", `"G","more":true`},
		{`{"kind":"downloadPart","guid":"G","data":"aGk"}`, "", `"G","more":false`},
		{`{"kind":"downloadPart","guid":"G","data":"` + long + `"}`, "", `"G","more":false`},
		{`{"kind":"downloadPart","guid":7,"data":"aGk="}`, "", ""},
		{`{"kind":"downloadEnds","guid":"G","totalBytes":2}`, "download ends G 2", ""},
		{`{"kind":"downloadEnds","guid":"G"}`, "download ends G -1", ""},
	} {
		p.saysOne(t, tt.in, tt.want)
		if tt.answer != "" {
			want(t, p.frames, `{"kind":"downloadTaken","guid":`+tt.answer+`}`)
		}
	}
	p.say(strings.Replace(readyT1, `"v":1,`, `"v":1,"features":["chunks"],`, 1))
	want(t, p.hub.lines, "ready again [{T1 one http://a/ }] |")
	want(t, p.frames, `{"kind":"accepted","features":["chunks"]}`)
	p.saysOne(t, `{"kind":"downloadBegins","targetId":"T1","guid":"G"}`, "") // the feature was not accepted
}

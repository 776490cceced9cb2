package journal

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/cdphub/cdphub/internal/secrets"
)

// longestBody is how many bytes of a body are recorded; of a longer one, nothing is.
const longestBody = 1 << 20

// askBody asks for the body of a response, if the recording has the page's text. It
// reports false when it did not.
func (j *Journal) askBody(l *line, e *event, id string, x *load) bool {
	if j.files == nil || !j.files.o.Text || x.Size > longestBody || x.Status < 200 || x.Status == 204 || x.Status >= 300 && x.Status < 400 {
		return false
	}
	session := l.session
	l.session = e.session
	defer func() { l.session = session }()
	params, _ := json.Marshal(map[string]string{"requestId": id}) // of a string
	l.ask("Network.getResponseBody", params, func(j *Journal, l *line, result []byte, _ bool) {
		var answer struct {
			Body          string
			Base64Encoded bool
		}
		read(result, &answer)
		body := []byte(answer.Body)
		if answer.Base64Encoded {
			body, _ = base64.StdEncoding.DecodeString(answer.Body) // nothing, if it is not base64
		}
		if len(body) <= longestBody {
			x.Body = l.body(x.Mime, body)
		}
		l.finish(j, e, id, x, "")
	})
	return true
}

// body is a body as it may be kept: of texts that the page shows and reads, without
// secrets. Scripts and style sheets would not work without a part of them.
func (l *line) body(mime string, body []byte) []byte {
	if strings.Contains(mime, "html") || strings.Contains(mime, "json") || strings.Contains(mime, "xml") || mime == "text/plain" {
		return []byte(secrets.Text(l.typed.redact(string(body))))
	}
	return body
}

package journal

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/cdphub/cdphub/internal/secrets"
)

// longestBody is how many bytes of a body are recorded; of a longer one, nothing is.
const longestBody = 1 << 20

// askBody asks for the body of a response, if the recording is to have the page's
// text. It reports false when it did not ask; the caller then makes the entry itself.
// Redirects and 204 have no body (RFC 9110, sections 15.4 and 15.3.5).
func (j *Journal) askBody(l *line, e *event, id string, x *load) bool {
	if j.files == nil || !j.files.o.Text || x.Size > longestBody || x.Status < 200 || x.Status == 204 || x.Status >= 300 && x.Status < 400 {
		return false
	}
	session := l.session
	// The body is known only in the session that had the event.
	l.session = e.session
	defer func() { l.session = session }()
	params, _ := json.Marshal(map[string]string{"requestId": id}) // of a string
	l.ask("Network.getResponseBody", params, func(j *Journal, l *line, result []byte, _ bool) {
		var answer struct {
			Body          string
			Base64Encoded bool
		}
		readParams(result, &answer)
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

// body is a body as it may be kept: texts that the page shows and reads are redacted.
// Scripts and style sheets stay whole: they would not work without a part of them.
func (l *line) body(mime string, body []byte) []byte {
	if strings.Contains(mime, "html") || strings.Contains(mime, "json") || strings.Contains(mime, "xml") || mime == "text/plain" {
		return []byte(secrets.Text(l.typed.redact(string(body))))
	}
	return body
}

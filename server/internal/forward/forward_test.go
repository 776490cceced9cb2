package forward

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/limittest"
)

func TestR296Limits(t *testing.T) {
	limittest.Reach(t, "maxRewrites", maxRewrites, func(n int) bool {
		answer := &http.Response{Body: io.NopCloser(strings.NewReader(strings.Repeat("x", n))), Header: http.Header{}}
		return restoreToken(answer, "mark", "token") == nil && answer.ContentLength == int64(n)
	})
}

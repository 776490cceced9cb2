package link

import (
	"net/http"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/limittest"
)

// TestR296Limits reads keys that are as long as they may be, and longer and shorter ones.
func TestR296Limits(t *testing.T) {
	reads := func(n int) bool {
		h := http.Header{}
		Hello{Key: strings.Repeat("x", n), Epoch: 1}.set(h)
		_, err := ReadHello(h)
		return err == nil
	}
	limittest.Reach(t, "maxKey", maxKey, func(n int) bool { return reads(n) })
	limittest.Reach(t, "minKey", -minKey, func(n int) bool { return reads(-n) })
}

package export

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/journal"
	"github.com/cdphub/cdphub/internal/limittest"
)

// TestR296Limits goes to what an export writes of one entry.
func TestR296Limits(t *testing.T) {
	limittest.Reach(t, "mostParameters", mostParameters, func(n int) bool {
		return len(queryPairs("http://a.test/?"+strings.Repeat("a=b&", n-1)+"a=b")) == n
	})
	limittest.Reach(t, "mostKeys", mostKeys, func(n int) bool {
		return len(recorderKeys(strings.Repeat("a+", n-1)+"a")) == 2*n
	})
	limittest.Reach(t, "mostTyped", mostTyped, func(n int) bool {
		typed := func(n int) string {
			return fmt.Sprintf(`{"seq":%d,"at":1,"kind":"command","action":{"do":"type","length":%d,"on":{"css":"#a"}}}`+"\n", n, n)
		}
		var out strings.Builder
		if err := ChromeRecorder(&out, read(t, `{"cdphub":1,"hub":"","targetId":"T","began":1}`+"\n"+typed(1)+typed(n-1))); err != nil {
			t.Fatal(err)
		}
		return strings.Contains(out.String(), `"`+strings.Repeat("x", n-1)+`"`)
	})
	limittest.Reach(t, "mostFiles", mostFiles, func(n int) bool {
		var out strings.Builder
		(&playwrightTest{out: &out}).input(step{Action: journal.Action{Do: journal.Upload, Length: n}})
		return strings.Contains(out.String(), fmt.Sprintf("files(1, %d)", n))
	})
	limittest.Reach(t, "longestLiteral", longestLiteral, func(n int) bool {
		return !strings.Contains(new(playwrightTest).text(step{Action: journal.Action{Length: n}}), "repeat")
	})
}

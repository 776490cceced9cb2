package actions_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/actions"
)

// TestOpenPageThatCannotBeReached opens a page where nobody listens, which is
// closed again.
func TestOpenPageThatCannotBeReached(t *testing.T) {
	nobody := httptest.NewServer(nil)
	nobody.Close()
	on(t, func(t *testing.T, b *actions.Browser) {
		before := len(b.Pages())
		_, _, err := b.OpenPage(t.Context(), nobody.URL+"/", "")
		fails(t, err, actions.NavigationFailed)
		if err == nil || !strings.HasPrefix(err.Error(), "navigation failed: "+nobody.URL+"/ cannot be reached") {
			t.Errorf("the error is %v", err)
		}
		if left := len(b.Pages()); left != before {
			t.Errorf("%d pages are left, want %d", left, before)
		}
	})
}

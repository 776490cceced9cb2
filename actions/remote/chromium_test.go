package remote

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/internal/browsertest"
)

func TestMain(m *testing.M) { os.Exit(browsertest.Main(m)) }

// TestR309PlainChromiumByItsAddress connects to a Chromium by the address that a hub would have, without the random
// part of its path.
func TestR309PlainChromiumByItsAddress(t *testing.T) {
	port, err := os.ReadFile(filepath.Join(browsertest.Borrow(t), "DevToolsActivePort"))
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(port), "\n")
	b, err := actions.Open(t.Context(), Join("ws://127.0.0.1:"+first+"/devtools/browser", nil), actions.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if pages := b.Pages(); len(pages) != 1 {
		t.Errorf("%d pages, want the blank one", len(pages))
	}
}

package downloads

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/cdphub/cdphub/internal/limittest"
)

func TestR296Limits(t *testing.T) {
	limittest.Reach(t, "maxNames", maxNames, func(n int) bool {
		dir := t.TempDir()
		from := filepath.Join(dir, "from")
		if err := os.WriteFile(from, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		err := error(nil)
		for range n {
			_, err = SaveAs(from, filepath.Join(dir, "a.txt"))
		}
		return err == nil
	})
}

package clients

import (
	"bytes"
	"fmt"
	"image"
	_ "image/jpeg" // the form of screenshots
	_ "image/png"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// text, value and seen are questions to the page's witness.
func text(id string) string  { return fmt.Sprintf("document.getElementById(%q).textContent", id) }
func value(id string) string { return fmt.Sprintf("document.getElementById(%q).value", id) }

// seen asks for the events of these types on the element, oldest first.
func seen(id, types string) string {
	return fmt.Sprintf("seen.filter((e) => e[1] === %q && %q.split(' ').includes(e[0])).map((e) => e[0])", id, types)
}

// fileOf asks for name and text of the file that was put into #file.
const fileOf = "(async (f) => [f.name, await f.text()])(document.getElementById('file').files[0])"

// refused wants the refusal of what needs scope privileged.
func refused(t *testing.T, err error) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), harness.NotPrivileged) {
		t.Errorf("%v, want %q", err, harness.NotPrivileged)
	}
}

// letter writes a file to upload and returns its path.
func letter(t *testing.T) string {
	t.Helper()
	path := filepath.Join(scratch, "letter.txt")
	if err := os.WriteFile(path, []byte("Dear reader"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// isPicture checks that the bytes are an image of a format and returns its size.
func isPicture(t *testing.T, picture []byte, format string) (width, height int) {
	t.Helper()
	config, got, err := image.DecodeConfig(bytes.NewReader(picture))
	if err != nil || got != format {
		t.Fatalf("%.20q is of the format %q, %v; want %s", picture, got, err, format)
	}
	return config.Width, config.Height
}

// wrong is a value that is not as it should be.
type wrong struct {
	what      string
	got, want any
}

func (w *wrong) Error() string { return fmt.Sprintf("%s: %v, want %v", w.what, w.got, w.want) }

// same fails the test unless got is want.
func same[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Error(&wrong{what, got, want})
	}
}

// number reads an id that a tool has printed.
func number(t *testing.T, digits string) int {
	t.Helper()
	n, err := strconv.Atoi(digits)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

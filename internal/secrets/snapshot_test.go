package secrets

import (
	"io"
	"mime/quotedprintable"
	"strings"
	"testing"
)

// TestR267SecretsInSnapshots has an address begin at each place of a line of a snapshot, so
// that the line ends at each place of the address.
func TestR267SecretsInSnapshots(t *testing.T) {
	const head = "MIME-Version: 1.0\r\n\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n"
	encode := func(text string) string {
		var b strings.Builder
		w := quotedprintable.NewWriter(&b)
		io.WriteString(w, text)
		w.Close()
		return head + b.String()
	}
	for at := range 80 {
		before := `<p class="` + strings.Repeat("x", at) + `"><a href="https://app.example/`
		in := encode(before + `?access_token=first0secret&amp;a=b"><a href="https://ann:second0secret@app.example/">`)
		out := Text(in)
		_, body, _ := strings.Cut(out, head)
		got, err := io.ReadAll(quotedprintable.NewReader(strings.NewReader(body)))
		if err != nil || strings.Contains(string(got), "0secret") || !strings.HasPrefix(string(got), before) || !strings.Contains(string(got), "&amp;a=b") {
			t.Fatalf("after %d characters: %v %s", at, err, got)
		}
	}
	if in := encode(strings.Repeat("nothing = to hide. ", 20)); Text(in) != in {
		t.Errorf("without secrets it becomes %q", Text(in))
	}
}

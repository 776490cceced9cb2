package docs

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// serving are the commands that run until they are ended: the lines after one are
// for another terminal.
var serving = regexp.MustCompile(`^(npx )?cdphub (serve|open|proxy|demo)\b`)

// shell runs the lines of a block in their order. A command that serves goes on
// until the next one that does.
func (r *run) shell(t *testing.T) {
	t.Helper()
	r.inputs(t)
	var serves *service
	var script strings.Builder
	execute := func() {
		if script.Len() > 0 {
			r.end(t, "bash", "-euo", "pipefail", "-c", script.String())
		}
		script.Reset()
	}
	for line := range strings.Lines(strings.ReplaceAll(r.text, "\\\n", " ")) {
		if !serving.MatchString(line) {
			script.WriteString(line)
			continue
		}
		execute()
		if serves != nil {
			serves.stop(t)
		}
		if strings.Contains(line, "--drive") { // which ends by itself
			r.end(t, "bash", "-c", line)
			continue
		}
		serves = start(t, r.ports, command(t, r.dir, "bash", "-c", "exec "+line))
	}
	execute()
	if strings.Contains(r.text, "agent-browser") {
		_ = command(t, r.dir, "agent-browser", "close").Run() // ends its background process
	}
	if serves != nil {
		serves.stop(t)
	}
}

// inputs writes the files that the commands of the documentation name.
func (r *run) inputs(t *testing.T) {
	t.Helper()
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	seed, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	r.file(t, "private.pem", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: seed})))
	r.file(t, "public.pem", string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: verifier})))
	r.file(t, "cdphub.yaml", "log-level: info\n")
	entry, err := command(t, r.dir, "cdphub", "token", "new", "--name", "ci").Output()
	if err != nil {
		t.Fatal(err)
	}
	r.file(t, "tokens.yaml", string(entry))
	if err := os.Symlink(filepath.Join(harness.Repository(), "examples"), filepath.Join(r.dir, "examples")); err != nil {
		t.Fatal(err)
	}
}

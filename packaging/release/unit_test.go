package main

import (
	"bytes"
	"cmp"
	"crypto/ed25519"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/cdphub/cdphub/internal/hubtest"
)

// serviceUser is a user as systemd makes it for DynamicUser=.
const serviceUser = 61184

// service is a unit as systemd would run it in a root, without systemd.
type service struct {
	root, name string
	unit       map[string][]string // values by the name of the setting
	scheme     string              // of its addresses
	container
}

// openService reads a unit of a root, and makes the folders, credentials, groups and
// variables that the unit asks for.
func openService(t *testing.T, root, name string) *service {
	t.Helper()
	for dir := root; dir != os.TempDir(); dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil { //nolint:gosec // the service's user must enter it
			t.Fatal(err)
		}
	}
	s := &service{root: root, name: name, scheme: "http", unit: readSettings(t, filepath.Join(root, "usr/lib/systemd/system", name))}
	s.container = container{root: root, uid: strconv.Itoa(serviceUser), user: &syscall.Credential{Uid: serviceUser, Gid: serviceUser}}
	s.env = []string{"PATH=/usr/bin:/bin", "HOME=/tmp"}
	for _, group := range s.unit["SupplementaryGroups"] {
		s.user.Groups = append(s.user.Groups, groupIn(t, root, group))
	}
	s.ownFolder(t, "var/lib", s.unit["StateDirectory"])
	s.ownFolder(t, "run", s.unit["RuntimeDirectory"])
	for _, line := range s.unit["LoadCredential"] {
		id, path, _ := strings.Cut(line, ":")
		raw, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Fatal(err)
		}
		folder := s.ownFolder(t, "run/credentials", []string{name})
		writeOwned(t, filepath.Join(folder, id), raw)
	}
	for _, file := range s.unit["EnvironmentFile"] {
		raw, err := os.ReadFile(filepath.Join(root, strings.TrimPrefix(file, "-")))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(raw)) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
				s.env = append(s.env, line)
			}
		}
	}
	return s
}

// readSettings reads a unit.
func readSettings(t *testing.T, file string) map[string][]string {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]string{}
	for line := range strings.Lines(string(raw)) {
		if key, value, is := strings.Cut(strings.TrimSpace(line), "="); is && !strings.HasPrefix(key, "#") {
			all[key] = append(all[key], value)
		}
	}
	return all
}

// groupIn is the number of a group of the root.
func groupIn(t *testing.T, root, group string) uint32 {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(root, "etc/group"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut("\n"+string(raw), "\n"+group+":x:")
	number, _, _ := strings.Cut(rest, ":")
	id, err := strconv.ParseUint(number, 10, 32)
	if !found || err != nil {
		t.Fatalf("there is no group %s: systemd would not start the unit", group)
	}
	return uint32(id)
}

// ownFolder makes folders of the service's user, and returns the last one.
func (s *service) ownFolder(t *testing.T, below string, names []string) (made string) {
	t.Helper()
	for _, name := range names {
		made = filepath.Join(s.root, below, name)
		if err := cmp.Or(os.MkdirAll(filepath.Dir(made), 0o755), os.MkdirAll(made, 0o700)); err != nil { //nolint:gosec // its user must enter it
			t.Fatal(err)
		}
		if err := os.Chown(made, serviceUser, serviceUser); err != nil {
			t.Fatal(err)
		}
		s.binds = append(s.binds, "/"+below+"/"+name)
	}
	return made
}

func writeOwned(t *testing.T, file string, raw []byte) {
	t.Helper()
	os.Remove(file)
	if err := os.WriteFile(file, raw, 0o400); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(file, serviceUser, serviceUser); err != nil {
		t.Fatal(err)
	}
}

// runAsRoot runs the commands of a setting that are for root ("+"), with the programs of
// this machine, on the configuration of the root.
func (s *service) runAsRoot(t *testing.T, setting string) {
	t.Helper()
	for _, line := range s.unit[setting] {
		if command, isRoot := strings.CutPrefix(line, "+"); isRoot {
			all := []string{"--ro-bind", "/", "/", "--bind", filepath.Join(s.root, "etc"), "/etc", "--"}
			output(t, "bwrap", append(all, strings.Fields(command)...)...)
		}
	}
}

// start runs what the unit starts, until the test ends.
func (s *service) start(t *testing.T) {
	t.Helper()
	s.runAsRoot(t, "ExecStartPre")
	s.serve(t, strings.Fields(strings.ReplaceAll(s.unit["ExecStart"][0], "%d", "/run/credentials/"+s.name))...)
}

// program is what the unit starts, without its arguments.
func (s *service) program() string { return strings.Fields(s.unit["ExecStart"][0])[0] }

// runUnit runs a unit with everything that the documentation tells an administrator to
// make for it: tokens, the key and certificate of TLS, a key of signed tokens, each with the mode
// 0600 that its program gives it, and a folder for recordings.
func runUnit(t *testing.T, root, unit string) {
	name := "cdphub"
	if unit == clusterUnit {
		name = "cdphub-cluster"
	}
	etc := filepath.Join(root, "etc", name)
	os.Remove(filepath.Join(etc, "tokens.yaml")) // of another unit
	newToken := func(user, role string) string {
		out, err := exec.CommandContext(t.Context(), filepath.Join(root, "usr/bin", name), "token", "new",
			"--name", user, "--role", role, "--hub", "*", "--append", filepath.Join(etc, "tokens.yaml")).Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	token := newToken("agent", "client")
	newToken("page", "host")
	makeKeys(t, etc)
	addr := hubtest.FreeAddr(t)
	s := openService(t, root, unit)
	s.env = append(s.env, "CDPHUB_CLIENT_ADDR="+addr, "CDPHUB_HOST_ADDR="+addr,
		"CDPHUB_TOKENS=/etc/"+name+"/tokens.yaml", "CDPHUB_JWT_KEY=/etc/"+name+"/public.pem",
		"CDPHUB_RECORD=/var/lib/"+name+"/recordings")
	isBrowser := strings.Contains(unit, "browser")
	if !isBrowser { // drive uses no TLS
		s.scheme = "https"
		s.env = append(s.env, "CDPHUB_TLS_CERT=/etc/"+name+"/cert.pem", "CDPHUB_TLS_KEY=/etc/"+name+"/key.pem")
	}
	if unit == clusterUnit {
		s.env = append(s.env, "CDPHUB_CLUSTER_ADDR="+hubtest.FreeAddr(t), "CDPHUB_DIRECTORY_ADDR="+hubtest.FreeAddr(t))
	}
	s.runAsRoot(t, "ExecStartPre")
	if found := outputOf(t, s.command(t.Context(), s.program(), "doctor", "--admin-addr=")); strings.Contains(found, "fail") {
		t.Errorf("as the user of the service, doctor says\n%s", found)
	}
	s.start(t)
	admin := "unix:/run/" + s.unit["RuntimeDirectory"][0] + "/admin.sock"
	if got := outputOf(t, s.command(t.Context(), s.program(), "health", "--admin-addr", admin)); got != "healthy: "+admin+"/readyz: ok\n" {
		t.Errorf("cdphub health: %q", got)
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}} //nolint:gosec // a certificate of the test
	s.wantAccepted(t, client, addr, token)
	later := newToken("later", "client") // the file stays readable
	s.runAsRoot(t, "ExecReload")
	hubtest.Eventually(t, "the later token is accepted", func() bool { return s.status(t, client, addr, later) == http.StatusOK })
	if _, err := os.Stat(filepath.Join(root, "var/lib", name, "recordings")); err != nil {
		t.Error(err)
	}
	if isBrowser {
		drive(t, addr, hubtest.Bearer(token))
	}
}

// wantAccepted wants a token to be accepted, and another one not.
func (s *service) wantAccepted(t *testing.T, client *http.Client, addr, token string) {
	t.Helper()
	if got := s.status(t, client, addr, token); got != http.StatusOK {
		t.Errorf("with the token of the file: %d", got)
	}
	if got := s.status(t, client, addr, "x"); got != http.StatusUnauthorized {
		t.Errorf("with another token: %d", got)
	}
}

func (s *service) status(t *testing.T, client *http.Client, addr, token string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.scheme+"://"+addr+"/json/protocol", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode
}

// makeKeys makes keys for a service, readable for their owner alone.
func makeKeys(t *testing.T, etc string) {
	t.Helper()
	hubtest.WriteCertificate(t, etc, 1)
	public, _, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(etc, "public.pem"), pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestR320UnitReadsItsFiles runs the unit of the hub in a root that has the program and
// the package's files alone. TestPackages does the same with the packages, and with a browser.
func TestR320UnitReadsItsFiles(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can be two users")
	}
	root := t.TempDir()
	for _, folder := range []string{"usr/bin", "usr/lib/systemd/system", "etc/default", "etc/cdphub", "var/lib", "run", "tmp", "proc", "dev"} {
		if err := os.MkdirAll(filepath.Join(root, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(root, "usr/bin/cdphub"), "./cmd/cdphub")
	build.Dir, build.Env = repository, append(os.Environ(), "CGO_ENABLED=0")
	outputOf(t, build)
	for from, to := range map[string]string{"../systemd/cdphub.service": "usr/lib/systemd/system/cdphub.service", "../default": "etc/default/cdphub"} {
		raw, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, to), raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	script, err := os.ReadFile("../scripts/postinstall")
	if err != nil || !bytes.Contains(script, []byte("\ngroupadd --system --force cdphub-config\n")) {
		t.Fatalf("the package makes no group: %v", err)
	}
	if err := os.WriteFile(filepath.Join(root, "etc/group"), []byte("root:x:0:\ncdphub-config:x:901:\n"), 0o644); err != nil { //nolint:gosec // as /etc/group is
		t.Fatal(err)
	}
	runUnit(t, root, "cdphub.service")
}

package cli

import (
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/coreos/go-systemd/v22/unit"
	"go.yaml.in/yaml/v3"
)

const packaging = "../../packaging/"

// readUnit reads a systemd unit: values by section and name.
func readUnit(t *testing.T, name string) map[string][]string {
	t.Helper()
	f, err := os.Open(packaging + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	options, err := unit.DeserializeOptions(f)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	values := map[string][]string{}
	for _, o := range options {
		key := o.Section + "." + o.Name
		values[key] = append(values[key], o.Value)
	}
	return values
}

// parseServe parses a command line as cdphub does.
func parseServe(t *testing.T, args []string) serveCmd {
	t.Helper()
	var c cli
	p, err := newParser(&c, "cdphub", io.Discard, io.Discard, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Parse(args); err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	return c.Serve
}

func TestServiceUnit(t *testing.T) {
	u := readUnit(t, "systemd/cdphub.service")
	one := func(key string) string {
		t.Helper()
		if len(u[key]) != 1 {
			t.Fatalf("%s is there %d times", key, len(u[key]))
		}
		return u[key][0]
	}
	command := strings.Fields(one("Service.ExecStart"))
	if command[0] != "/usr/bin/cdphub" || command[1] != "serve" {
		t.Errorf("it runs %q", command)
	}
	serve := parseServe(t, command[1:])
	if !inRuntimeDirectory(u, serve) || serve.InsecureBind {
		t.Errorf("operators are at %s, which is no socket of the service alone", serve.AdminAddr)
	}
	if one("Service.Type") != "notify" || u["Service.ExecReload"][len(u["Service.ExecReload"])-1] != "/bin/kill -HUP $MAINPID" || one("Service.Restart") != "on-failure" {
		t.Error("the service manager is not told how it starts, reloads and ends")
	}
	for _, name := range []string{
		"DynamicUser", "NoNewPrivileges", "LockPersonality", "MemoryDenyWriteExecute", "PrivateDevices", "PrivateTmp", "PrivateUsers",
		"ProtectClock", "ProtectControlGroups", "ProtectHome", "ProtectHostname", "ProtectKernelLogs", "ProtectKernelModules",
		"ProtectKernelTunables", "RemoveIPC", "RestrictNamespaces", "RestrictRealtime", "RestrictSUIDSGID",
	} {
		if got := one("Service." + name); got != "yes" {
			t.Errorf("%s=%s, want yes", name, got)
		}
	}
	for name, want := range map[string]string{
		"CapabilityBoundingSet": "", "AmbientCapabilities": "", "ProtectSystem": "strict", "ProtectProc": "invisible",
		"RestrictAddressFamilies": "AF_INET AF_INET6 AF_UNIX", "SystemCallArchitectures": "native",
	} {
		if got := one("Service." + name); got != want {
			t.Errorf("%s=%s, want %q", name, got, want)
		}
	}
	if filter := u["Service.SystemCallFilter"]; len(filter) != 2 || filter[0] != "@system-service" {
		t.Errorf("the system calls are %q", filter)
	}
}

// TestR320UnitsGiveTheirFiles wants each unit to let its service read the folder that the
// package has for its configuration, and to have a folder to write to. packaging/release
// runs the units as their user.
func TestR320UnitsGiveTheirFiles(t *testing.T) {
	for file, name := range map[string]string{"systemd/cdphub.service": "cdphub", "systemd/cdphub-browser.service": "cdphub", "cluster/cdphub-cluster.service": "cdphub-cluster"} {
		u := readUnit(t, file)
		give := []string{"+/bin/chgrp -R cdphub-config /etc/" + name, "+/bin/chmod -R g+rX,o= /etc/" + name}
		for key, want := range map[string][]string{
			"ExecStartPre": give, "ExecReload": append(slices.Clone(give), "/bin/kill -HUP $MAINPID"),
			"SupplementaryGroups": {"cdphub-config"}, "StateDirectory": {name}, "StateDirectoryMode": {"0700"},
		} {
			if got := u["Service."+key]; !slices.Equal(got, want) {
				t.Errorf("%s: %s=%q, want %q", file, key, got, want)
			}
		}
	}
}

// inRuntimeDirectory reports whether operators are at a Unix socket in a folder that
// systemd makes for a unit, and that no other user enters.
func inRuntimeDirectory(unit map[string][]string, serve serveCmd) bool {
	folder, mode := unit["Service.RuntimeDirectory"], unit["Service.RuntimeDirectoryMode"]
	return len(folder) == 1 && slices.Equal(mode, []string{"0700"}) && serve.AdminAddr == "unix:/run/"+folder[0]+"/admin.sock"
}

// TestSocketUnits wants the names that the hub knows and the addresses that it
// would listen at itself.
func TestSocketUnits(t *testing.T) {
	usual := parseServe(t, []string{"serve"})
	sockets := strings.Fields(readUnit(t, "systemd/cdphub.service")["Unit.Requires"][0])
	found := map[string]string{}
	for _, name := range sockets {
		u := readUnit(t, "systemd/"+name)
		found[u["Socket.FileDescriptorName"][0]] = strings.Join(u["Socket.ListenStream"], " ")
		if name != "cdphub.socket" && strings.Join(u["Socket.Service"], "") != "cdphub.service" {
			t.Errorf("%s starts %q", name, u["Socket.Service"])
		}
	}
	if len(found) != 2 || found["clients"] != usual.ClientAddr || found["hosts"] != usual.HostAddr {
		t.Errorf("the sockets are %v, want %s and %s", found, usual.ClientAddr, usual.HostAddr)
	}
}

// TestBrowserUnit wants the hardening of cdphub.service but for what Chromium's
// sandbox needs, which the unit lists.
func TestBrowserUnit(t *testing.T) {
	hub, browser := readUnit(t, "systemd/cdphub.service"), readUnit(t, "systemd/cdphub-browser.service")
	differ := map[string]string{
		"Unit.Description": "", "Unit.Conflicts": "", "Unit.Requires": "", "Unit.After": "", "Service.ExecStart": "", "Service.TimeoutStopSec": "",
		"Service.Environment":             "HOME=/tmp",
		"Service.MemoryDenyWriteExecute":  "",
		"Service.RestrictNamespaces":      "user pid net",
		"Service.RestrictAddressFamilies": "AF_INET AF_INET6 AF_UNIX AF_NETLINK",
		"Service.SystemCallFilter":        "@system-service ~@privileged @resources chroot capset seccomp",
	}
	for key := range maps.Keys(hub) {
		if _, may := differ[key]; !may && !slices.Equal(hub[key], browser[key]) {
			t.Errorf("%s=%q, want %q", key, browser[key], hub[key])
		}
	}
	for key, want := range differ {
		if got := strings.Join(browser[key], " "); strings.HasPrefix(key, "Service.") && want != "" && got != want {
			t.Errorf("%s=%s, want %s", key, got, want)
		}
	}
	plain, serve := parseServe(t, strings.Fields(hub["Service.ExecStart"][0])[1:]), parseServe(t, strings.Fields(browser["Service.ExecStart"][0])[1:])
	if !serve.Browser || serve.AdminAddr != plain.AdminAddr || serve.InsecureBind || serve.BrowserNoSandbox {
		t.Errorf("it runs %q", browser["Service.ExecStart"])
	}
}

// TestClusterUnit wants the hardening of cdphub.service.
func TestClusterUnit(t *testing.T) {
	hub, node := readUnit(t, "systemd/cdphub.service"), readUnit(t, "cluster/cdphub-cluster.service")
	if serve := strings.Fields(node["Service.ExecStart"][0]); !slices.Contains(serve, "--admin-addr=unix:/run/cdphub-cluster/admin.sock") || !slices.Equal(node["Service.RuntimeDirectory"], []string{"cdphub-cluster"}) {
		t.Errorf("it runs %q", serve)
	}
	for key, want := range hub {
		switch key {
		case "Unit.Description", "Unit.Requires", "Unit.After", "Service.ExecStart", "Service.EnvironmentFile", "Service.TimeoutStopSec", "Service.LimitNOFILE", "Service.RuntimeDirectory",
			"Service.ExecStartPre", "Service.ExecReload", "Service.StateDirectory", "Service.User":
		default:
			if !slices.Equal(node[key], want) {
				t.Errorf("%s=%q, want %q", key, node[key], want)
			}
		}
	}
	for _, unit := range []string{"cdphub.service", "cdphub.socket", "cdphub-hosts.socket", "cdphub-browser.service"} {
		if !slices.Contains(strings.Fields(node["Unit.Conflicts"][0]), unit) {
			t.Errorf("it may run beside %s, which has the same addresses", unit)
		}
	}
}

// goreleaser is what of packaging/goreleaser.yaml says which files go where.
type goreleaser struct {
	Archives []struct{ Files []struct{ Src string } }
	NFPMs    []struct{ Contents []struct{ Src, Dst string } } `yaml:"nfpms"`
}

// TestR324PackagedLinks follows each relative link of the documentation within what an archive
// and a package have.
func TestR324PackagedLinks(t *testing.T) {
	raw, err := os.ReadFile(packaging + "goreleaser.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var config goreleaser
	if err := yaml.Unmarshal(raw, &config); err != nil {
		t.Fatal(err)
	}
	for _, a := range config.Archives {
		files := map[string]string{}
		for _, f := range a.Files {
			addFiles(t, files, f.Src, func(path string) string { return path })
		}
		checkLinks(t, "an archive", files)
	}
	for _, p := range config.NFPMs {
		files := map[string]string{}
		for _, f := range p.Contents {
			if strings.HasPrefix(f.Dst, "/usr/share/doc/") && strings.HasPrefix(f.Src, "docs/") {
				addFiles(t, files, f.Src, func(path string) string { return filepath.Join(f.Dst, filepath.Base(path)) })
			}
		}
		checkLinks(t, "a package", files)
	}
}

// addFiles adds the files of a pattern, by the path that they get.
func addFiles(t *testing.T, files map[string]string, pattern string, where func(path string) string) {
	t.Helper()
	found, err := filepath.Glob("../../" + pattern)
	if err != nil || len(found) == 0 && !strings.Contains(pattern, "THIRD-PARTY") { // which make release writes
		t.Fatalf("%s: %v", pattern, err)
	}
	for _, path := range found {
		files[where(strings.TrimPrefix(path, "../../"))] = path
	}
}

var relativeLink = regexp.MustCompile(`\]\(([^)#: ]+)(?:#[^)]*)?\)|(?:src|srcset)="([^":]+)"`)

// checkLinks wants each relative link of the Markdown files to lead to another of the files.
func checkLinks(t *testing.T, what string, files map[string]string) {
	t.Helper()
	checked := 0
	for path, source := range files {
		if filepath.Ext(path) != ".md" {
			continue
		}
		text, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range relativeLink.FindAllStringSubmatch(string(text), -1) {
			checked++
			if to := filepath.Join(filepath.Dir(path), m[1]+m[2]); files[to] == "" {
				t.Errorf("%s: %s leads to %s, which is not there", what, path, m[1]+m[2])
			}
		}
	}
	if checked < 100 {
		t.Errorf("%s: there are only %d links", what, checked)
	}
}

package cli

import (
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/coreos/go-systemd/v22/unit"
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
	if one("Service.Type") != "notify" || one("Service.ExecReload") != "/bin/kill -HUP $MAINPID" || one("Service.Restart") != "on-failure" {
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
		case "Unit.Description", "Unit.Requires", "Unit.After", "Service.ExecStart", "Service.EnvironmentFile", "Service.TimeoutStopSec", "Service.LimitNOFILE", "Service.RuntimeDirectory":
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

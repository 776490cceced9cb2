package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// clusterUnit is the one of package cdphub-cluster.
const clusterUnit = "cdphub-cluster.service"

// units are those of package cdphub.
var units = []string{"cdphub.service", "cdphub-browser.service", "cdphub.socket", "cdphub-hosts.socket"}

// packageOf finds the package of a program for this machine.
func packageOf(t *testing.T, name, kind string) string {
	t.Helper()
	pattern := name + "_*_" + runtime.GOARCH + ".deb"
	if kind == "rpm" {
		pattern = name + "-[0-9]*." + map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[runtime.GOARCH] + ".rpm"
	}
	found, err := filepath.Glob(filepath.Join(*dist, pattern))
	if err != nil || len(found) != 1 {
		t.Fatalf("packages: %q, %v", found, err)
	}
	return found[0]
}

// TestUnits lets systemd judge the units, beside the program that they start.
func TestUnits(t *testing.T) {
	built(t)
	root := t.TempDir()
	for name := range licensesOf {
		output(t, "dpkg-deb", "-x", packageOf(t, name, "deb"), root)
	}
	all := append(slices.Clone(units), clusterUnit)
	var files []string
	for _, unit := range all {
		files = append(files, filepath.Join(root, "usr/lib/systemd/system", unit))
	}
	for i, name := range files { // by the program in the package, not on this machine
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[i] = filepath.Join(t.TempDir(), all[i])
		text := strings.ReplaceAll(string(raw), "/usr/bin/cdphub", filepath.Join(root, "usr/bin/cdphub"))
		if err := os.WriteFile(files[i], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.CommandContext(t.Context(), "systemd-analyze", append([]string{"verify", "--man=no"}, files...)...).CombinedOutput(); err != nil ||
		strings.Contains(string(out), "cdphub") {
		t.Errorf("systemd-analyze verify: %v\n%s", err, out)
	}
	// From 0, safe, to 10; Debian's own services have 9 and more.
	for unit, most := range map[string]string{files[0]: "1.3", files[1]: "2.3", files[len(files)-1]: "1.3"} {
		threshold := strings.ReplaceAll(most, ".", "")
		if out, err := exec.CommandContext(t.Context(), "systemd-analyze", "security", "--offline=true", "--threshold="+threshold, unit).CombinedOutput(); err != nil {
			t.Errorf("systemd-analyze security: more than %s\n%s", most, out)
		}
	}
}

// TestPackages installs the deb with Chromium in a fresh Debian, runs what the
// units start, removes it, and installs the rpm.
func TestPackages(t *testing.T) {
	r := built(t)
	root := t.TempDir()
	if err := os.Chmod(root, 0o755); err != nil { //nolint:gosec // its users must enter it
		t.Fatal(err)
	}
	output(t, "debootstrap", "--variant=minbase", debian, root)
	t.Cleanup(func() { exec.Command("umount", filepath.Join(root, "proc")).Run() }) // debootstrap may leave it
	in := func(args ...string) string { return output(t, "chroot", append([]string{root}, args...)...) }
	in("apt-get", "update", "-q")
	in("apt-get", "install", "-q", "-y", "--no-install-recommends", "chromium")
	calls := fakeSystemctl(t, root)
	said := installDeb(t, root, "cdphub")
	if got, want := calls(), "daemon-reload\ntry-restart cdphub.service cdphub-browser.service\n"; !strings.HasSuffix(got, want) || strings.Contains(got, "enable") {
		t.Errorf("the installation called systemctl %q, want %q\n%s", got, want, said)
	}
	if got := in("cdphub", "--version"); !strings.HasPrefix(got, "cdphub "+r.Version+" (") {
		t.Errorf("cdphub --version: %q", got)
	}
	for name, want := range map[string]string{"/etc/default/cdphub": "600 root", "/etc/cdphub": "750 root", "/usr/bin/cdphub": "755 root", "/usr/lib/systemd/system/cdphub.service": "644 root"} {
		if got := strings.TrimSpace(in("stat", "-c", "%a %U", name)); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	for _, unit := range units[:2] {
		t.Run(unit, func(t *testing.T) { runUnit(t, root, unit) })
	}
	in("sh", "-c", "rm -r /etc/cdphub/* /var/lib/cdphub /run/cdphub")
	in("sh", "-c", "echo CDPHUB_DRAIN=1s >> /etc/default/cdphub")
	in("apt-get", "install", "-q", "-y", "--reinstall", "/cdphub.deb")
	if got := in("cat", "/etc/default/cdphub"); !strings.Contains(got, "CDPHUB_DRAIN=1s") {
		t.Errorf("a second installation has lost the configuration: %s", got)
	}
	calls()
	in("dpkg", "--purge", "cdphub")
	if got := calls(); !strings.HasPrefix(got, "disable --now cdphub.socket") || !strings.HasSuffix(got, "daemon-reload\n") {
		t.Errorf("the removal called systemctl %q", got)
	}
	if got := in("sh", "-c", "find / -xdev -name '*cdphub*' -not -name cdphub.deb"); got != "" {
		t.Errorf("the removal leaves %s", got)
	}

	installRPM(t, root, "cdphub", r.Version)
	if got := calls(); strings.Contains(got, "enable") || !strings.Contains(got, "daemon-reload\n") {
		t.Errorf("the installation of the rpm called systemctl %q", got)
	}
	output(t, "rpm", "--root", root, "-e", "cdphub")
	if got := calls(); !strings.HasPrefix(got, "disable --now cdphub.socket") {
		t.Errorf("the removal of the rpm called systemctl %q", got)
	}
	testClusterPackages(t, r, root, calls)
}

// testClusterPackages installs and removes both packages of cdphub-cluster, and makes
// keys and runs a node in between.
func testClusterPackages(t *testing.T, r release, root string, calls func() string) {
	in := func(args ...string) string { return output(t, "chroot", append([]string{root}, args...)...) }
	installDeb(t, root, "cdphub-cluster")
	if got, want := calls(), "daemon-reload\ntry-restart cdphub-cluster.service\n"; !strings.HasSuffix(got, want) || strings.Contains(got, "enable") {
		t.Errorf("the installation called systemctl %q, want %q", got, want)
	}
	if got := strings.TrimSpace(in("stat", "-c", "%a %U", "/etc/default/cdphub-cluster")); got != "600 root" {
		t.Errorf("/etc/default/cdphub-cluster: %s", got)
	}
	in("cdphub-cluster", "cluster", "keys", "/etc/cdphub-cluster/keys")
	t.Run(clusterUnit, func(t *testing.T) { runUnit(t, root, clusterUnit) })
	in("sh", "-c", "rm -r /etc/cdphub-cluster/* /var/lib/cdphub-cluster /run/cdphub-cluster /run/credentials")
	in("dpkg", "--purge", "cdphub-cluster")
	if got := calls(); !strings.HasPrefix(got, "disable --now cdphub-cluster.service\n") || !strings.HasSuffix(got, "daemon-reload\n") {
		t.Errorf("the removal called systemctl %q", got)
	}
	if got := in("sh", "-c", "find / -xdev -name '*cdphub*' -not -name 'cdphub*.deb'"); got != "" {
		t.Errorf("the removal leaves %s", got)
	}
	installRPM(t, root, "cdphub-cluster", r.Version)
	output(t, "rpm", "--root", root, "-e", "cdphub-cluster")
}

// installDeb copies a package to the root and installs it there with apt. It returns what
// apt says.
func installDeb(t *testing.T, root, name string) string {
	t.Helper()
	deb, err := os.ReadFile(packageOf(t, name, "deb"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, name+".deb"), deb, 0o644); err != nil { //nolint:gosec // apt's user reads it
		t.Fatal(err)
	}
	return output(t, "chroot", root, "apt-get", "install", "-q", "-y", "/"+name+".deb")
}

// installRPM installs a package into the root, and asks its program for the version.
func installRPM(t *testing.T, root, name, version string) {
	t.Helper()
	output(t, "rpm", "--root", root, "-i", "--nodeps", "--nodigest", packageOf(t, name, "rpm"))
	if got := output(t, "chroot", root, name, "--version"); !strings.HasPrefix(got, name+" "+version+" (") {
		t.Errorf("of the rpm, %s --version: %q", name, got)
	}
}

// fakeSystemctl makes the root look as if systemd ran there. calls returns, and
// forgets, with which arguments packages have called systemctl.
func fakeSystemctl(t *testing.T, root string) (calls func() string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(root, "run/systemd/system"), 0o755); err != nil {
		t.Fatal(err)
	}
	const program = "#!/bin/sh\necho \"$*\" >> /systemctl.log\n"
	if err := os.WriteFile(filepath.Join(root, "usr/bin/systemctl"), []byte(program), 0o755); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	return func() string {
		log := filepath.Join(root, "systemctl.log")
		raw, _ := os.ReadFile(log) // there is none before the first call
		os.Remove(log)
		return string(raw)
	}
}

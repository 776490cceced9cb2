package harness

import (
	"os"
	"os/exec"
	"testing"
)

// StartWebKit opens url in a headless WPE WebKit with folders of its own and no way
// in for a client. It ends with the test at the latest.
func StartWebKit(t testing.TB, url string) *Browser {
	t.Helper()
	path, err := LookUp("COG", "cog")
	if err != nil {
		t.Fatal(err)
	}
	profile, err := os.MkdirTemp(scratch, "profile")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "--platform=headless", "--enable-write-console-messages-to-stdout=1", url)
	cmd.Env = append(os.Environ(), "HOME="+profile, "XDG_CONFIG_HOME="+profile, "XDG_CACHE_HOME="+profile,
		"XDG_DATA_HOME="+profile, "XDG_RUNTIME_DIR="+profile, "DBUS_SESSION_BUS_ADDRESS=disabled:")
	return startBrowser(t, profile, cmd)
}

package harness

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// quiet keeps Firefox from asking its makers and its user anything.
const quiet = `
user_pref("app.normandy.enabled", false);
user_pref("app.update.enabled", false);
user_pref("browser.aboutwelcome.enabled", false);
user_pref("browser.safebrowsing.malware.enabled", false);
user_pref("browser.safebrowsing.phishing.enabled", false);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("browser.startup.homepage_override.mstone", "ignore");
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("extensions.update.enabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("toolkit.telemetry.enabled", false);
`

// StartFirefox opens url in a headless Firefox with a profile of its own and no
// way in for a client. It ends with the test at the latest.
func StartFirefox(t testing.TB, url string) *Browser {
	t.Helper()
	path, err := LookUp("FIREFOX", "firefox-esr", "firefox")
	if err != nil {
		t.Fatal(err)
	}
	profile, err := os.MkdirTemp(scratch, "profile")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(profile, "user.js"), []byte(quiet), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "--headless", "--no-remote", "--window-size", "1280,800", "--profile", profile, url)
	cmd.Env = append(os.Environ(), "HOME="+profile, "MOZ_CRASHREPORTER_DISABLE=1")
	return startBrowser(t, profile, cmd)
}

//go:build unix

package chrome

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/tempdir"
)

// TestMain lets this binary be a hub that is killed.
func TestMain(m *testing.M) {
	if os.Getenv(victimProfiles) != "" {
		beVictim()
		return
	}
	os.Exit(m.Run())
}

// victimProfiles names the folder where a victim makes its profiles.
const victimProfiles = "CHROME_TEST_VICTIM"

// victimKeeps names the folder of a profile that the victim's browser keeps.
const victimKeeps = "CHROME_TEST_KEEPS"

// beVictim launches a browser, says which processes it has made, and lives on.
func beVictim() {
	os.Setenv("TMPDIR", os.Getenv(victimProfiles))
	l, err := launchBrowser(Options{NoSandbox: true, Profile: os.Getenv(victimKeeps)})
	if err != nil {
		fmt.Println(err)
		return
	}
	answered := make(chan struct{}, 1)
	go l.Serve(receiver{receive: func([]byte) { answered <- struct{}{} }})
	if os.Getenv("CHROME_TEST_AT_ONCE") == "" {
		l.OfferOwn(nil, frame(`{"id":1,"method":"Browser.getVersion"}`))
		<-answered
	}
	fmt.Println("pids", l.process.cmd.Process.Pid, l.process.reaper.cmd.Process.Pid, l.process.profile.temporary.Path)
	time.Sleep(time.Hour)
}

// TestKilledHubLeavesNothing kills a process that has launched a browser, one
// that runs and one that is only starting.
func TestKilledHubLeavesNothing(t *testing.T) {
	options(t) // the victim starts a browser
	for _, when := range []string{"running", "starting", "kept", "reaper"} {
		t.Run(when, func(t *testing.T) {
			victim := exec.Command(os.Args[0])
			victim.Env = append(os.Environ(), victimProfiles+"="+t.TempDir())
			if when == "starting" {
				victim.Env = append(victim.Env, "CHROME_TEST_AT_ONCE=1")
			}
			if when == "kept" {
				kept := t.TempDir()
				victim.Env = append(victim.Env, victimKeeps+"="+kept)
				defer func() { noProcessLeft(t, kept, 0) }()
			}
			out, err := victim.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := victim.Start(); err != nil {
				t.Fatal(err)
			}
			line, _ := bufio.NewReader(out).ReadString('\n')
			var browser, reaper int
			var dir string
			if _, err := fmt.Sscanf(line, "pids %d %d %s", &browser, &reaper, &dir); err != nil {
				t.Errorf("the victim said %q", line)
			} else if when == "reaper" {
				syscall.Kill(reaper, syscall.SIGKILL)
			}
			victim.Process.Kill()
			victim.Wait()
			if when == "reaper" { // as when a service manager kills all at once: the next hub removes the folder
				noProcessLeft(t, dir, browser)
				tempdir.Sweep(filepath.Dir(dir))
			}
			nothingLeft(t, dir, browser)
			noProcessLeft(t, dir, reaper)
		})
	}
}

// TestReaperStays sends the signals of terminals and service managers to a
// reaper, which must stay for its job.
func TestReaperStays(t *testing.T) {
	p, err := newProfile("")
	if err != nil {
		t.Fatal(err)
	}
	os.WriteFile(filepath.Join(p.dir, "some file"), nil, 0o600)
	r, err := newReaper(p)
	if err != nil {
		t.Fatal(err)
	}
	r.watch(0)
	for end := time.Now().Add(patience); !ignores(t, r.cmd.Process.Pid, syscall.SIGTERM); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the reaper does not ignore SIGTERM")
		}
	}
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		r.cmd.Process.Signal(s)
	}
	if sid := sessionOf(t, r.cmd.Process.Pid); sid != r.cmd.Process.Pid {
		t.Errorf("the reaper is in session %d", sid)
	}
	r.dismiss()
	if !r.cmd.ProcessState.Success() {
		t.Errorf("the reaper ended with %v", r.cmd.ProcessState)
	}
	if _, err := os.Stat(p.dir); !os.IsNotExist(err) {
		t.Errorf("of the folder: %v", err)
	}
}

// TestReaperLeavesAKeptProfile dismisses one that has a group to kill, and no
// folder to remove.
func TestReaperLeavesAKeptProfile(t *testing.T) {
	cmd := exec.Command("sh", "-c", "sleep 1000 & sleep 1000")
	ownGroup(cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p, err := newProfile(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r, err := newReaper(p)
	if err != nil {
		t.Fatal(err)
	}
	r.watch(cmd.Process.Pid)
	r.dismiss()
	if err := cmd.Wait(); err == nil || err.Error() != "signal: killed" {
		t.Errorf("the group's leader ended with %v", err)
	}
	if _, err := os.Stat(p.dir); err != nil {
		t.Error(err)
	}
	noProcessLeft(t, p.dir, cmd.Process.Pid)
}

// status reads a field of /proc/PID/status.
func status(t *testing.T, pid int, field string) string {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, field+":"); ok {
			return strings.TrimSpace(value)
		}
	}
	t.Fatalf("process %d has no %s", pid, field)
	return ""
}

func ignores(t *testing.T, pid int, s syscall.Signal) bool {
	t.Helper()
	set, err := strconv.ParseUint(status(t, pid, "SigIgn"), 16, 64)
	if err != nil {
		t.Fatal(err)
	}
	return set&(1<<(s-1)) != 0
}

func sessionOf(t *testing.T, pid int) int {
	t.Helper()
	sid, err := strconv.Atoi(status(t, pid, "NSsid"))
	if err != nil {
		t.Fatal(err)
	}
	return sid
}

//go:build unix

package tempdir

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// victimOf names the folder in which this binary, as a process that is killed, makes its own.
const victimOf = "TEMPDIR_TEST_VICTIM"

func TestMain(m *testing.M) {
	if parent := os.Getenv(victimOf); parent != "" {
		beVictim(parent)
	}
	os.Exit(m.Run())
}

// beVictim makes everything that there is, starts a child that uses one folder too, and waits.
func beVictim(parent string) {
	made := []string{}
	for _, k := range kinds {
		dir, err := Make(parent, k)
		if err != nil {
			panic(err)
		}
		os.MkdirAll(filepath.Join(dir.Path, "a", "b"), 0o700)
		os.WriteFile(filepath.Join(dir.Path, "a", "file"), []byte("x"), 0o400)
		made = append(made, filepath.Base(dir.Path))
		if k == Browser {
			child := exec.Command("sleep", "600")
			child.ExtraFiles = []*os.File{dir.Lock}
			if err := child.Start(); err != nil {
				panic(err)
			}
			fmt.Println(child.Process.Pid, made[0])
		}
		defer dir.Remove()
	}
	root, err := os.OpenRoot(parent)
	if err != nil {
		panic(err)
	}
	if _, name, err := CreateFile(root); err == nil {
		made = append(made, name)
	}
	fmt.Println(strings.Join(made, " "))
	select {}
}

func namesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// TestR352KilledProcessesLeaveNothing kills a process that has made each kind of folder. What it or its
// child holds stays, and everything else that it has made goes with the next Sweep.
func TestR352KilledProcessesLeaveNothing(t *testing.T) {
	parent := t.TempDir()
	victim := exec.Command(os.Args[0])
	victim.Env = append(os.Environ(), victimOf+"="+parent)
	out, err := victim.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	var child int
	var browser string
	lines := bufio.NewReader(out)
	first, _ := lines.ReadString('\n')
	if _, err := fmt.Sscan(first, &child, &browser); err != nil {
		t.Fatalf("the victim said %q", first)
	}
	endChild := sync.OnceFunc(func() { syscall.Kill(child, syscall.SIGKILL) })
	t.Cleanup(endChild)
	last, _ := lines.ReadString('\n')
	made := strings.Fields(last)
	if len(made) != len(kinds)+1 {
		t.Fatalf("the victim made %q", made)
	}
	own, err := Make(parent, Kept)
	if err != nil {
		t.Fatal(err)
	}
	ours := filepath.Base(own.Path)

	Sweep(parent)
	if got, want := namesIn(t, parent), slices.Sorted(slices.Values(append(made, ours))); !slices.Equal(got, want) {
		t.Errorf("while both processes live there is %q, want %q", got, want)
	}
	victim.Process.Kill()
	victim.Wait()
	Sweep(parent)
	if got, want := namesIn(t, parent), slices.Sorted(slices.Values([]string{browser, ours})); !slices.Equal(got, want) {
		t.Errorf("while the child lives there is %q, want %q", got, want)
	}
	endChild()
	for end := time.Now().Add(time.Minute); len(namesIn(t, parent)) > 1 && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		Sweep(parent)
	}
	if got := namesIn(t, parent); !slices.Equal(got, []string{ours}) {
		t.Errorf("at the end there is %q, want %q", got, ours)
	}
	if err := own.Remove(); err != nil || len(namesIn(t, parent)) > 0 {
		t.Errorf("after Remove (%v) there is %q", err, namesIn(t, parent))
	}
}

// TestR352OnlyOwnNamesAreSwept has what others may have put beside the folders.
func TestR352OnlyOwnNamesAreSwept(t *testing.T) {
	parent, elsewhere := t.TempDir(), t.TempDir()
	at := func(name string) string { return filepath.Join(parent, name) }
	os.WriteFile(filepath.Join(elsewhere, "file"), nil, 0o600)
	const random = "ABCDEFGH27"
	for _, name := range []string{
		"cdphub", "cdphub-kept-", "cdphub-kept-backup", "cdphub-kept-1234567890", "cdphub-kept-abcdefgh27", "cdphub-kept-ABCDEFGH2", "cdphub-kept-" + random + "A",
		"kept-" + random, "cdphub-" + random, "x-cdphub-kept-" + random, random,
	} {
		if err := os.Mkdir(at(name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(at("cdphub-kept-PIPEPIPEAA"), 0o600); err != nil {
		t.Fatal(err)
	}
	os.Symlink(elsewhere, at("cdphub-kept-LINKLINKAA"))
	os.Symlink(filepath.Join(elsewhere, "file"), at(".cdphub-LINKLINKBB"))
	if os.Geteuid() == 0 {
		const other = 65534
		os.Mkdir(at("cdphub-kept-OTHERUSERA"), 0o700)
		os.Chown(at("cdphub-kept-OTHERUSERA"), other, other)
	}
	before := namesIn(t, parent)
	os.Mkdir(at("cdphub-kept-"+random), 0o700)
	os.Symlink(elsewhere, at("cdphub-kept-"+random+"/out"))
	Sweep(parent)
	if got := namesIn(t, parent); !slices.Equal(got, before) {
		t.Errorf("there is %q, want %q", got, before)
	}
	if got := namesIn(t, elsewhere); len(got) != 1 {
		t.Errorf("elsewhere is %q", got)
	}
	Sweep(at("nowhere"))
}

// TestR352MakeWhileOthersSweep makes folders and files while others sweep: each that was made is there.
func TestR352MakeWhileOthersSweep(t *testing.T) {
	parent := t.TempDir()
	root, err := os.OpenRoot(parent)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	stop := make(chan struct{})
	var sweeping sync.WaitGroup
	for range 2 {
		sweeping.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					Sweep(parent)
				}
			}
		})
	}
	for range 300 {
		dir, err := Make(parent, Kept)
		if err != nil {
			t.Fatal(err)
		}
		f, name, err := CreateFile(root)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{dir.Path, filepath.Join(parent, name)} {
			if _, err := os.Stat(path); err != nil {
				t.Error(err)
			}
		}
		f.Close()
		if err := dir.Remove(); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	sweeping.Wait()
	Sweep(parent)
	if got := namesIn(t, parent); len(got) > 0 {
		t.Errorf("left is %q", got)
	}
}

// TestR352NothingIsMadeWhereNothingCanBe has no lock to hold.
func TestR352NothingIsMadeWhereNothingCanBe(t *testing.T) {
	if _, err := Make(filepath.Join(t.TempDir(), "nowhere"), Kept); err == nil {
		t.Error("a folder was made in none")
	}
	var none *Dir
	if err := none.Remove(); err != nil {
		t.Error(err)
	}
}

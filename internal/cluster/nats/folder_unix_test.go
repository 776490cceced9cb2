//go:build unix

package natsdir

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// The folder of a server that was killed is removed by the next one, and that of a server
// that lives is not.
func TestFoldersOfKilledServersAreRemoved(t *testing.T) {
	age := func(dir string) {
		if err := os.Chtimes(dir, time.Now(), time.Now().Add(-2*made)); err != nil {
			t.Fatal(err)
		}
	}
	lives, held, err := newFolder()
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(lives)
	defer held.Close()
	killed, lock, err := newFolder()
	if err != nil {
		t.Fatal(err)
	}
	lock.Close() // as the kernel does when a process ends
	age(lives)
	age(killed)
	next, nextHeld, err := newFolder()
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(next)
	defer nextHeld.Close()
	if _, err := os.Stat(killed); !os.IsNotExist(err) {
		t.Errorf("the folder of the killed server: %v", err)
	}
	if _, err := os.Stat(lives); err != nil {
		t.Errorf("the folder of the server that lives: %v", err)
	}
}

// What another user has left by such a name is no folder: it is passed over.
func TestWhatIsNoFolderIsPassedOver(t *testing.T) {
	parent := os.TempDir()
	if info, err := os.Stat(inMemory); err == nil && info.IsDir() {
		parent = inMemory
	}
	pipe := filepath.Join(parent, folderName+"pipe-of-"+rand.Text())
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	defer os.Remove(pipe)
	if err := os.Chtimes(pipe, time.Now(), time.Now().Add(-2*made)); err != nil {
		t.Fatal(err)
	}
	made := make(chan error, 1)
	go func() {
		dir, held, err := newFolder()
		if err == nil {
			os.RemoveAll(dir)
			held.Close()
		}
		made <- err
	}()
	select {
	case err := <-made:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(5 * time.Second):
		t.Error("the server waits for whoever writes into the pipe")
	}
}

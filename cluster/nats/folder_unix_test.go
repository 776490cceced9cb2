//go:build unix

package natsdir

import (
	"os"
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

//go:build unix

package chrome

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"syscall"
)

// ownGroup puts a command's processes into a group of their own, which ^C in
// the terminal does not reach.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// passFiles gives a command files, from descriptor 3 on, and then the lock of its temporary folder, which
// it holds as long as it runs. File i is descriptor 3+i of the command (exec.Cmd.ExtraFiles). Chromium
// reads commands from 3 and writes to 4.
func passFiles(cmd *exec.Cmd, files []*os.File, lock *os.File) error {
	cmd.ExtraFiles = append(slices.Clone(files), lock)
	return nil
}

// killGroup kills that group. A negative number stands for a group: kill(2).
func killGroup(cmd *exec.Cmd) {
	syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) //nolint:errcheck // it may have ended
}

// reaper is a shell that waits until this process has gone, however it went:
// only it holds the other end of the shell's input. The shell then kills the
// browser's group and removes its folder. A nil reaper does nothing.
type reaper struct {
	cmd   *exec.Cmd
	input io.WriteCloser
}

// reap reads the group to kill, a line each time it changes, and is given the
// folder to remove, and a profile that is kept. It tries for ten seconds: what was killed may still be
// writing. Chromium, whose pipe has ended too, has two seconds to leave a profile that is kept in order.
const reap = `trap '' HUP INT QUIT TERM
group=
while read -r line; do group=$line; done
if [ -n "$group" ]; then
	[ -z "$2" ] || sleep 2
	kill -KILL "-$group"
fi
for second in 1 2 3 4 5 6 7 8 9 10; do
	rm -rf -- "$1" && exit 0
	sleep 1
done`

// newReaper starts one. It is in a session of its own, where no terminal reaches it. Its environment has
// none of the hub's tokens. It holds the temporary folder, too.
func newReaper(p profile) (*reaper, error) {
	kept := ""
	if p.kept {
		kept = p.dir
	}
	r := &reaper{cmd: exec.Command("/bin/sh", "-c", reap, "cdphub-reaper", p.temporary.Path, kept)} //nolint:gosec // folders of ours
	r.cmd.Dir, r.cmd.ExtraFiles = "/", []*os.File{p.temporary.Lock}
	r.cmd.Env = browserEnvironment()
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	var err error
	if r.input, err = r.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := r.cmd.Start(); err != nil {
		return nil, err
	}
	return r, nil
}

// watch says which group to kill; 0: none.
func (r *reaper) watch(group int) {
	if r == nil {
		return
	}
	line := "\n"
	if group != 0 {
		line = fmt.Sprintln(group)
	}
	io.WriteString(r.input, line) //nolint:errcheck // it may have been killed
}

// dismiss ends the reaper, which then removes the rest of the folder.
func (r *reaper) dismiss() {
	if r == nil {
		return
	}
	r.input.Close()
	r.cmd.Wait() //nolint:errcheck // whatever became of it
}

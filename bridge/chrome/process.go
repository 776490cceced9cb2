package chrome

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/optionname"
)

// stderrGrace is how long a child that outlives its browser may keep the
// browser's standard error open. It is exec.Cmd.WaitDelay: otherwise Wait would wait for
// the child.
const stderrGrace = time.Second

// process is a browser that was started here, with the processes of its group, the folder
// of its profile, and the reaper. The reaper removes all of this if the hub's process is
// killed.
type process struct {
	cmd     *exec.Cmd
	profile profile
	reaper  *reaper
	forget  func() // in the fence
	stderr  *stderrTail
	log     *zap.Logger

	gone chan struct{} // closed when nothing is left
}

// startBrowser runs a browser with the files from descriptor 3 on. Whoever starts one
// must end it.
func startBrowser(o *Options, args []string, files ...*os.File) (*process, error) {
	path, err := Find(o.Path)
	if err != nil {
		return nil, err
	}
	profile, err := newProfile(o.Profile)
	if err != nil {
		return nil, fmt.Errorf("make a folder for the browser's profile: %w", err)
	}
	if o.Network != nil {
		if err := stopPreloading(profile.dir); err != nil {
			return nil, errors.Join(err, profile.remove())
		}
	}
	log := o.logger()
	p := &process{profile: profile, stderr: &stderrTail{log: log}, log: log, gone: make(chan struct{})}
	p.cmd = exec.Command(path, append(o.arguments(profile.dir), args...)...) //nolint:gosec // a path the user gave
	if err := p.run(files, o.fence()); err != nil {
		p.removeAll()
		return nil, fmt.Errorf("start the browser %s: %w", path, err)
	}
	log.Info("started a browser", zap.String("browser", path), zap.Int("pid", p.cmd.Process.Pid))
	go p.wait()
	return p, nil
}

// run starts the reaper and then the browser. In this order the reaper only has
// to learn the process group once the browser runs. Until then the browser ends
// by itself when its pipe does.
func (p *process) run(files []*os.File, fence Fence) (err error) {
	p.cmd.Env = append(browserEnvironment(), p.profile.variables()...)
	p.cmd.Stderr = p.stderr
	p.cmd.WaitDelay = stderrGrace
	ownGroup(p.cmd)
	if err := passFiles(p.cmd, files, p.profile.temporary.Lock); err != nil {
		return err
	}
	if p.reaper, err = newReaper(p.profile); err != nil {
		p.log.Warn("the browser has no watchdog: if this process is killed, the browser and its folder stay", zap.Error(err))
	}
	if err := p.cmd.Start(); err != nil {
		return err
	}
	p.reaper.watch(p.cmd.Process.Pid)
	p.forget = fence.Started(p.cmd.Process.Pid)
	return nil
}

// browserEnvironment is that of this process without the hub's own variables, which
// may hold tokens.
func browserEnvironment() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "CDPHUB_") })
}

// wait waits for the end of the browser and removes what it leaves. It kills what is left
// of the group, since processes of Chromium may outlive the one that was started. The
// reaper forgets the group at once, as the system may give its number to another.
func (p *process) wait() {
	defer close(p.gone)
	p.cmd.Wait() //nolint:errcheck // its state says how it ended
	killGroup(p.cmd)
	p.forget()
	p.reaper.watch(0)
	p.removeAll()
	p.log.Info("the browser has ended", zap.Int("pid", p.cmd.Process.Pid), zap.Stringer("how", p.cmd.ProcessState))
}

// removeAll removes the folder, and the reaper with it.
func (p *process) removeAll() {
	if err := p.profile.remove(); err != nil {
		p.log.Warn("the browser's profile is left behind", zap.Error(err))
	}
	p.reaper.dismiss()
}

// end waits for the browser to end by itself, kills it when it has not, and
// returns when nothing is left of it. It may be called by several goroutines. Patience of 0
// kills at once.
func (p *process) end(patience time.Duration) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-p.gone:
		return
	case <-timer.C:
	}
	killGroup(p.cmd)
	<-p.gone
}

// failure says how the browser, which has gone, ended, and what to do. The last lines of
// its standard error are part of the text, with what to do if one of them is known.
func (p *process) failure() error {
	lines, advice := p.stderr.tail()
	// A Chromium with the profile of a running one opens a window there, and exits with 0.
	if advice == "" && p.profile.kept && p.cmd.ProcessState.Success() {
		advice = profileInUse // it has handed over to that browser
	}
	text := fmt.Sprintf("the browser %s ended: %v", p.cmd.Path, p.cmd.ProcessState)
	if advice != "" {
		text += ": " + optionname.Text(advice)
	}
	if len(lines) > 0 {
		text += "; it said: " + strings.Join(lines, " | ")
	}
	return errors.New(text)
}

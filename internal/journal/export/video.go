package export

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/jpeg"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/cdphub/cdphub/internal/journal"
	"github.com/cdphub/cdphub/internal/tempdir"
)

// How long a picture is shown in a video, in milliseconds.
const (
	shortestShot = 200
	longestShot  = 3000
)

// Video writes the pictures of a recording as a WebM file with VP9. It runs ffmpeg,
// which must be in PATH, in a temporary folder. ctx ends ffmpeg.
func Video(ctx context.Context, name string, r *journal.Recording) error {
	ffmpeg, err := exec.LookPath("ffmpeg")
	if err != nil {
		return errors.New("a video needs ffmpeg, which is not installed: install it (Debian: apt-get install ffmpeg)")
	}
	temporary, err := tempdir.Make(os.TempDir(), tempdir.Video)
	if err != nil {
		return err
	}
	defer temporary.Remove() //nolint:errcheck // the next hub removes it
	dir := temporary.Path
	width, height, err := writeShots(dir, r)
	if err != nil {
		return err
	}
	// The pictures may differ in size: all get the size of the first, made even,
	// since the chroma of yuv420p has half the width and height.
	size := fmt.Sprintf("scale=%[1]d:%[2]d:force_original_aspect_ratio=decrease,pad=%[1]d:%[2]d:(ow-iw)/2:(oh-ih)/2", width&^1, height&^1)
	cmd := exec.CommandContext(ctx, ffmpeg, "-nostdin", "-hide_banner", "-loglevel", "error", "-y",
		"-f", "concat", "-i", "list.txt", "-vf", size+",fps=10,format=yuv420p", "-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8",
		"-b:v", "0", "-crf", "36", "-f", "webm", "out.webm")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("ffmpeg failed: %w: %s", err, bytes.TrimSpace(out))
	}
	data, err := os.ReadFile(filepath.Join(dir, "out.webm"))
	if err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o600)
}

// writeShots writes the pictures into a folder, with a list for ffmpeg's concat demuxer of
// how long each is shown. It returns the size of the first in pixels.
func writeShots(dir string, r *journal.Recording) (width, height int, err error) {
	var list strings.Builder
	var last int64
	for _, e := range r.Entries {
		if !e.Picture {
			continue
		}
		data, err := r.Picture(e.Seq)
		if err != nil {
			continue // it went with older ones
		}
		size, err := jpeg.DecodeConfig(bytes.NewReader(data))
		if err != nil || size.Width < 2 || size.Height < 2 {
			continue
		}
		name := fmt.Sprintf("%08d.jpg", e.Seq)
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			return 0, 0, err
		}
		if width == 0 {
			width, height = size.Width, size.Height
			list.WriteString("ffconcat version 1.0\n")
		} else {
			fmt.Fprintf(&list, "duration %.3f\n", float64(min(max(e.At-last, shortestShot), longestShot))/1000)
		}
		last = e.At
		fmt.Fprintf(&list, "file %s\n", name)
	}
	if width == 0 {
		return 0, 0, errors.New("the recording has no pictures: they must be in the folder next to the file, whose name ends in .pictures")
	}
	// The last picture has no successor, and is shown for a second.
	list.WriteString("duration 1\n")
	return width, height, os.WriteFile(filepath.Join(dir, "list.txt"), []byte(list.String()), 0o600)
}

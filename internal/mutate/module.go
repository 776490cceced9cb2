package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// copyModule copies the files that git knows, or would take, and links the packages
// of npm. Faults are put into the copy.
func copyModule(ctx context.Context, from, to string) error {
	out, err := outputOf(ctx, from, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if err != nil {
		return err
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if err := copyFile(filepath.Join(from, name), filepath.Join(to, name)); err != nil {
			return err
		}
	}
	locks, err := filepath.Glob(filepath.Join(to, "*", "package-lock.json"))
	if err != nil {
		return err
	}
	for _, lock := range locks {
		folder := filepath.Base(filepath.Dir(lock))
		packages, err := filepath.Abs(filepath.Join(from, folder, "node_modules"))
		if err != nil {
			return err
		}
		// A lock file younger than the packages would have them installed again.
		err = errors.Join(os.Chtimes(lock, time.Time{}, time.Unix(0, 0)),
			os.Symlink(packages, filepath.Join(to, folder, "node_modules")))
		if err != nil {
			return err
		}
	}
	return nil
}

// copyFile copies a file, or a link; a folder, or what is gone, is left out.
func copyFile(from, to string) error {
	info, err := os.Lstat(from)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.IsDir() {
		return nil
	}
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := os.Readlink(from)
		return errors.Join(err, os.Symlink(target, to))
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, info.Mode().Perm())
}

// packageFaults lists the faults of a package, and the packages whose tests shall
// notice them: its own, and those that import it.
func packageFaults(ctx context.Context, dir, folder, skip string) (faults []fault, by []string, err error) {
	skipped, err := regexp.Compile(skip)
	if err != nil {
		return nil, nil, err
	}
	out, err := outputOf(ctx, dir, "go", "list", "-json=ImportPath,Dir,Module,GoFiles,TestGoFiles,XTestGoFiles,Imports,TestImports,XTestImports", "./...")
	if err != nil {
		return nil, nil, err
	}
	var self listed
	var all []listed
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, nil, err
		}
		all = append(all, p)
		if p.ImportPath == path.Join(p.Module.Path, folder) {
			self = p
		}
	}
	if self.ImportPath == "" {
		return nil, nil, fmt.Errorf("there is no package %s", folder)
	}
	by = []string{self.ImportPath}
	for _, p := range all {
		uses := slices.Contains(slices.Concat(p.Imports, p.TestImports, p.XTestImports), self.ImportPath)
		if uses && len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 && p.ImportPath != self.ImportPath && !skipped.MatchString(p.ImportPath) {
			by = append(by, p.ImportPath)
		}
	}
	for _, name := range self.GoFiles {
		src, err := os.ReadFile(filepath.Join(self.Dir, name))
		if err != nil {
			return nil, nil, err
		}
		found, err := goFaults(path.Join(folder, name), src)
		if err != nil {
			return nil, nil, err
		}
		faults = append(faults, found...)
	}
	return faults, by, nil
}

// listed is what go list says of a package.
type listed struct {
	ImportPath, Dir                    string
	Module                             struct{ Path string }
	GoFiles, TestGoFiles, XTestGoFiles []string
	Imports, TestImports, XTestImports []string
}

// scriptFaults lists the faults of the TypeScript in a folder.
func scriptFaults(ctx context.Context, dir, folder string) (faults []fault, err error) {
	out, err := outputOf(ctx, dir, "node", "web/build/faults.mjs", folder)
	if err == nil {
		err = json.Unmarshal(out, &faults)
	}
	return faults, err
}

// outputOf runs a command, whose error says what it has printed.
func outputOf(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s%s", name, args[0], err, out, stderr.Bytes())
	}
	return out, nil
}

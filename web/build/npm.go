package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// installPackages runs npm ci when web/node_modules is missing or was
// installed from an older lock file. npm leaves its own record of the
// installation in node_modules/.package-lock.json.
func installPackages(root string) error {
	lock, err := os.Stat(filepath.Join(root, "package-lock.json"))
	if err != nil {
		return err
	}
	done, err := os.Stat(filepath.Join(root, "node_modules", ".package-lock.json"))
	if err == nil && !done.ModTime().Before(lock.ModTime()) {
		return nil
	}
	cmd := exec.Command("npm", "ci", "--no-fund", "--no-audit")
	cmd.Dir = root
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("npm ci in %s: %w", root, err)
	}
	return nil
}

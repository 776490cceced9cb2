package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/evanw/esbuild/pkg/api"
)

// runTests bundles each src/**/*.test.ts for Node and runs them with Node's
// own test runner. Tests that need a browser are not among these.
func runTests(root string) error {
	var tests []string
	for _, pattern := range []string{"*.test.ts", "*/*.test.ts", "*/*/*.test.ts"} {
		found, err := filepath.Glob(filepath.Join(root, "src", pattern))
		if err != nil {
			return err
		}
		tests = append(tests, found...)
	}
	if len(tests) == 0 {
		return errors.New("no tests found under src")
	}
	dir, err := os.MkdirTemp("", "cdphub-webtest-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	res := api.Build(api.BuildOptions{
		EntryPoints:   tests,
		AbsWorkingDir: root,
		Bundle:        true,
		Write:         true,
		Outdir:        dir,
		Outbase:       filepath.Join(root, "src"),
		OutExtension:  map[string]string{".js": ".cjs"},
		Format:        api.FormatCommonJS,
		Platform:      api.PlatformNode,
		Target:        api.ES2022,
		Sourcemap:     api.SourceMapInline,
		Plugins:       []api.Plugin{nestedBundles(root, map[string]bool{})},
		LogLevel:      api.LogLevelWarning,
	})
	if err := buildFailure(res.Errors); err != nil {
		return err
	}
	args := []string{"--test", "--enable-source-maps"}
	for _, t := range tests {
		rel, err := filepath.Rel(filepath.Join(root, "src"), t)
		if err != nil {
			return err
		}
		args = append(args, filepath.Join(dir, rel[:len(rel)-len(".ts")]+".cjs"))
	}
	cmd := exec.Command("node", args...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("node --test: %w", err)
	}
	return nil
}

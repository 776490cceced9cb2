package main

import (
	"bytes"
	"fmt"
	"os/exec"

	"github.com/evanw/esbuild/pkg/api"
)

// withBuiltins makes a bundle, a module that is not minified, go by the
// built-ins as they were before the page's scripts ran: builtins.mjs rewrites
// what looks them up. The result has the format of options.
// made are more globals of windows to remember.
func withBuiltins(root string, options api.BuildOptions, code []byte, made []string) ([]byte, error) {
	safe, err := rewriteBuiltins(root, code, made...)
	if err != nil {
		return nil, err
	}
	marks, err := markSources(root)
	if err != nil {
		return nil, err
	}
	safe = expected.ReplaceAll(safe, fmt.Appendf(nil, "$$expect(\"$1\",%q,%q);\n", marks.Interfaces, marks.OfWindow))
	options.EntryPoints, options.Plugins = nil, nil
	options.Stdin = &api.StdinOptions{Contents: string(safe), ResolveDir: root, Sourcefile: "safe.js"}
	options.Inject = []string{sourcePath(root, "agent/base/builtins.ts")}
	res := api.Build(options)
	if err := buildFailure(res.Errors); err != nil {
		return nil, err
	}
	return res.OutputFiles[0].Contents, nil
}

// rewriteBuiltins runs builtins.mjs.
func rewriteBuiltins(root string, code []byte, made ...string) ([]byte, error) {
	cmd := exec.Command("node", append([]string{"build/builtins.mjs"}, made...)...)
	cmd.Dir = root
	cmd.Stdin = bytes.NewReader(code)
	var said bytes.Buffer
	cmd.Stderr = &said
	safe, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("build/builtins.mjs: %w\n%s", err, said.Bytes())
	}
	return safe, nil
}

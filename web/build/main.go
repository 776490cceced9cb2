// The build program bundles the TypeScript of web/src into web/dist, which is
// committed and embedded in the server, so that `go install` needs no Node.
//
//	go run -C web/build .          # writes web/dist and web/dist/NOTICE.txt
//	go run -C web/build . -check   # exit 1 when those files are stale
//	go run -C web/build . -test    # runs the *.test.ts files under Node
//	go run -C web/build . -extension DIR   # writes DIR/extension and DIR/extension.zip
//
// It bundles with esbuild, whose output depends only on the sources and its
// version. Third-party packages come from web/package-lock.json; npm ci is run
// when they are missing or older than the lock file. Types are not checked
// here: that is `npm run typecheck`. The modules' own types are made by
// dts-bundle-generator.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

// errStale is what -check ends with.
var errStale = errors.New("the bundles in web/dist are stale: run make generate")

func main() {
	check := flag.Bool("check", false, "only say whether web/dist is up to date")
	test := flag.Bool("test", false, "run the TypeScript tests under Node")
	root := flag.String("root", "..", "the web folder")
	extension := flag.String("extension", "", "only build the browser extension, into this folder")
	flag.Parse()
	if err := runBuild(*root, *check, *test, *extension); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// runBuild builds, checks or tests the web folder root.
func runBuild(root string, check, test bool, extension string) error {
	root, err := filepath.Abs(root)
	if err != nil {
		return err
	}
	if err := installPackages(root); err != nil {
		return err
	}
	if test {
		return runTests(root)
	}
	if extension != "" {
		return buildExtension(root, extension)
	}
	files, err := bundleAll(root)
	if err != nil {
		return err
	}
	types, err := typesAll(root)
	if err != nil {
		return err
	}
	files = append(files, types...)
	if check {
		return compareFiles(root, files)
	}
	return writeFiles(root, files)
}

// output is one file of web/dist.
type output struct {
	name string
	data []byte
}

// compareFiles reports errStale, naming the files, when dist differs from files.
func compareFiles(root string, files []output) error {
	var stale error
	for _, f := range files {
		old, err := os.ReadFile(filepath.Join(root, "dist", f.name))
		if err != nil || !bytes.Equal(old, f.data) {
			stale = errStale
			fmt.Fprintln(os.Stderr, "stale: web/dist/"+f.name)
		}
	}
	return stale
}

// writeFiles replaces the files of dist, each at once, so that a server that is
// starting never reads half of one.
func writeFiles(root string, files []output) error {
	dir := filepath.Join(root, "dist")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, f := range files {
		tmp, err := os.CreateTemp(dir, ".tmp-")
		if err != nil {
			return err
		}
		_, err = tmp.Write(f.data)
		if err := errors.Join(err, tmp.Chmod(0o644), tmp.Close()); err != nil {
			return err
		}
		if err := os.Rename(tmp.Name(), filepath.Join(dir, f.name)); err != nil {
			return err
		}
		fmt.Printf("%8d  web/dist/%s\n", len(f.data), f.name)
	}
	return nil
}

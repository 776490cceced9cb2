package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// declarations are the files of dist that hold the types of a module, and the
// entry in src of the module.
var declarations = []struct{ name, entry string }{
	{"agent.d.ts", "agent/module.ts"},
	{"host.d.ts", "host/index.ts"},
}

// entry is what dts-bundle-generator makes one file from.
type entry struct {
	FilePath string `json:"filePath"`
	OutFile  string `json:"outFile"`
	NoCheck  bool   `json:"noCheck"` // tsc --noEmit checks all sources
	Output   struct {
		NoBanner              bool `json:"noBanner"`
		ExportReferencedTypes bool `json:"exportReferencedTypes"`
	} `json:"output"`
}

// typesAll makes the declarations of the modules, each in one file that imports
// nothing.
func typesAll(root string) ([]output, error) {
	dir, err := os.MkdirTemp("", "cdphub-types-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	var config struct {
		CompilationOptions struct {
			PreferredConfigPath string `json:"preferredConfigPath"`
		} `json:"compilationOptions"`
		Entries []entry `json:"entries"`
	}
	config.CompilationOptions.PreferredConfigPath = filepath.Join(root, "tsconfig.json")
	for _, d := range declarations {
		e := entry{FilePath: sourcePath(root, d.entry), OutFile: filepath.Join(dir, d.name), NoCheck: true}
		e.Output.NoBanner = true
		config.Entries = append(config.Entries, e)
	}
	text, err := json.Marshal(config)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "config.json")
	if err := os.WriteFile(file, text, 0o644); err != nil {
		return nil, err
	}
	cmd := exec.Command(filepath.Join(root, "node_modules", ".bin", "dts-bundle-generator"), "--silent", "--config", file)
	cmd.Dir = root
	if said, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("dts-bundle-generator: %w\n%s", err, said)
	}
	var files []output
	for _, e := range config.Entries {
		data, err := os.ReadFile(e.OutFile)
		if err != nil {
			return nil, err
		}
		files = append(files, output{filepath.Base(e.OutFile), data})
	}
	return files, nil
}

package auth

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"go.yaml.in/yaml/v3"
)

// Document is an entry as a YAML document of its own, which may stand at the end
// of a tokens file whatever is before it.
func (e FileEntry) Document() ([]byte, error) {
	text, err := yaml.Marshal(map[string]any{"tokens": []FileEntry{e}})
	if err != nil {
		return nil, err
	}
	return append([]byte("---\n"), text...), nil
}

// AppendFile adds an entry to a tokens file, which it makes for its owner alone
// (mode 0600) if there is none. It refuses a name that the file has, and a file
// that the hub would not read. What the file has, comments included, is not
// written again, so that its owner, its mode and links to it stay. Two processes may call
// it at the same time: the file is locked meanwhile, where the system can (flock(2)). A hub
// that watches the file reads it within a second.
func AppendFile(path string, e FileEntry) error {
	if _, err := e.entry(); err != nil {
		return err
	}
	document, err := e.Document()
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := lockFile(f); err != nil {
		return fmt.Errorf("lock %s: %w", path, err)
	}
	defer unlockFile(f)
	raw, err := io.ReadAll(f)
	if err != nil {
		return err
	}
	if err := checkEntry(raw, e); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	switch {
	case len(bytes.TrimSpace(raw)) == 0:
		document = bytes.TrimPrefix(document, []byte("---\n"))
	case !bytes.HasSuffix(raw, []byte("\n")):
		document = append([]byte("\n"), document...)
	}
	if _, err := f.Write(document); err != nil { // one write: a reader sees all of it or nothing
		return errors.Join(err, f.Truncate(int64(len(raw))))
	}
	return f.Sync()
}

// checkEntry reports why a file cannot have a further entry.
func checkEntry(raw []byte, e FileEntry) error {
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil
	}
	if _, _, err := parseFile(raw); err != nil {
		return err
	}
	all, err := readDocuments(raw)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(all.Tokens, func(other FileEntry) bool { return other.Name == e.Name }) {
		return fmt.Errorf("a token named %q already exists: choose another name with --name, or remove that entry first", e.Name)
	}
	return nil
}

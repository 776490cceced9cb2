package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestR416Extension makes the extension twice, and reads what a store and a browser read of it.
func TestR416Extension(t *testing.T) {
	files, err := extensionFiles(root(t))
	if err != nil {
		t.Fatal(err)
	}
	one, err := packExtension(files)
	if err != nil {
		t.Fatal(err)
	}
	again, err := extensionFiles(root(t))
	if err != nil {
		t.Fatal(err)
	}
	if two, err := packExtension(again); err != nil || !bytes.Equal(one, two) {
		t.Errorf("the same files make another package: %v", err)
	}
	of := func(name string) []byte {
		at := slices.IndexFunc(files, func(f output) bool { return f.name == name })
		if at < 0 {
			t.Fatalf("there is no %s", name)
		}
		return files[at].data
	}
	var manifest map[string]any
	if err := json.Unmarshal(of("manifest.json"), &manifest); err != nil {
		t.Fatal(err)
	}
	if got, want := text(t, manifest["permissions"]), `["debugger","storage","alarms"]`; got != want {
		t.Errorf("the permissions are %s, want %s", got, want)
	}
	if manifest["incognito"] != "not_allowed" {
		t.Error("the extension may run in incognito windows, whose cookies it would mix up")
	}
	for _, name := range []string{"host_permissions", "optional_permissions", "content_scripts", "web_accessible_resources", "externally_connectable", "options_page"} {
		if manifest[name] != nil {
			t.Errorf("the manifest has %s", name)
		}
	}
	checkTexts(t, of)
	for _, f := range files {
		if strings.HasSuffix(f.name, ".html") && regexp.MustCompile(`<script>|<style>| on[a-z]+=| style=`).Match(f.data) {
			t.Errorf("%s has code in it, which its Content Security Policy forbids", f.name)
		}
	}
}

// checkTexts wants each text that is used in messages.json, and no other.
func checkTexts(t *testing.T, of func(string) []byte) {
	t.Helper()
	var texts map[string]struct{ Message string }
	if err := json.Unmarshal(of("_locales/en/messages.json"), &texts); err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, name := range []string{"manifest.json", "popup.html", "popup.ts", "worker.ts", "address.ts"} {
		source, err := os.ReadFile(filepath.Join(sourcePath(root(t), "extension"), name))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`__MSG_(\w+)__|data-text="(\w+)"|\btext\(\s*"(\w+)"|"(\w+)"`).FindAllStringSubmatch(string(source), -1) {
			for i, key := range m[1:] {
				if _, known := texts[key]; known {
					used[key] = true
				} else if key != "" && i < 3 {
					t.Errorf("%s uses the text %s, which there is none of", name, key)
				}
			}
		}
	}
	for key, text := range texts {
		if !used[key] || text.Message == "" {
			t.Errorf("the text %s is not used, or empty", key)
		}
	}
}

func text(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

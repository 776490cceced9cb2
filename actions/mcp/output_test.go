package mcp

import (
	"os"
	"path/filepath"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/zap"

	"github.com/cdphub/cdphub/actions"
)

// TestFilesGoIntoTheirFolder writes files below the folder and nowhere else, also
// not through a link.
func TestFilesGoIntoTheirFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	c := &call{session: newSession(actions.Caller{}, Options{Files: Files{Write: dir}}, zap.NewNop())}
	for _, tt := range []struct{ name, at string }{
		{"a.txt", "a.txt"},
		{"deep/er/a.txt", "deep/er/a.txt"},
		{filepath.Join(dir, "b.txt"), "b.txt"},
		{"../a.txt", ""},
		{"/etc/cdphub-test", ""},
		{"deep/../../a.txt", ""},
		{"link/a.txt", ""},
	} {
		if tt.name == "link/a.txt" {
			if err := os.Symlink(t.TempDir(), filepath.Join(dir, "link")); err != nil {
				t.Fatal(err)
			}
		}
		link, err := c.deliver("It", tt.name, "text/plain", []byte("A"))
		if tt.at == "" {
			if actions.KindOf(err) != actions.InvalidArgument {
				t.Errorf("%s: %q, %v", tt.name, link, err)
			}
			continue
		}
		at := filepath.Join(dir, tt.at)
		if data, failed := os.ReadFile(at); err != nil || failed != nil || string(data) != "A" || link != "- [It]("+at+")" {
			t.Errorf("%s: %s, %v, %v", tt.name, link, err, failed)
		}
		if data, err := c.stored(at); err != nil || string(data) != "A" {
			t.Errorf("%s is not read again: %v", at, err)
		}
	}
}

// TestFilesAreAttachedOverHTTP gives files to a client that may not write on this
// machine.
func TestFilesAreAttachedOverHTTP(t *testing.T) {
	c := &call{session: newSession(actions.Caller{}, Options{}, zap.NewNop())}
	if _, err := c.deliver("It", "/etc/passwd", "text/plain", []byte("A")); err != nil {
		t.Fatal(err)
	}
	if _, err := c.deliver("It", "a b.pdf", "application/pdf", []byte("B")); err != nil {
		t.Fatal(err)
	}
	list := c.result(nil).Content
	text, picture := list[1].(*sdk.EmbeddedResource).Resource, list[2].(*sdk.EmbeddedResource).Resource
	if text.URI != "attachment:///etc/passwd" || text.Text != "A" || picture.URI != "attachment:///a%20b.pdf" || string(picture.Blob) != "B" {
		t.Errorf("%+v, %+v", text, picture)
	}
	if _, err := c.stored("a b.pdf"); actions.KindOf(err) != actions.InvalidArgument {
		t.Errorf("a file of the server's machine is read: %v", err)
	}
}

func TestGroups(t *testing.T) {
	groups, err := Groups([]string{"pdf, vision", "core-tabs", "tracing", "video,pdf"})
	if err != nil || len(groups) != 3 {
		t.Errorf("%v, %v", groups, err)
	}
	if _, err := Groups([]string{"magic"}); err == nil {
		t.Error("magic is a capability")
	}
}

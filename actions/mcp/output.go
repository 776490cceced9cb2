package mcp

import (
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cdphub/cdphub/actions"
)

// Files are what a session may do with files of this machine. The zero value allows
// nothing.
type Files struct {
	Read  *os.Root // where paths of files to upload are looked up; nil: nowhere
	Write string   // the folder that files are written to, which is made when it is needed; "" writes none
}

// makeFolder opens the folder that files are written to, and makes it if it is missing. What is opened
// below a Root cannot lead outside, also by symbolic links.
func (f Files) makeFolder() (*os.Root, error) {
	if err := os.MkdirAll(f.Write, 0o700); err != nil {
		return nil, err
	}
	return os.OpenRoot(f.Write)
}

// isText reports whether the contents of a resource are sent as text, by its MIME type.
func isText(mimeType string) bool {
	return strings.HasPrefix(mimeType, "text/") || mimeType == "application/json"
}

// deliver hands a file over, and returns a line that says where it is:
// [Snapshot](out/a.md).
//
// A client on this machine finds it in the folder for files. One that calls over
// HTTP must not write files of the server's machine, and could not read them: it
// gets the file in the answer, as an embedded resource.
func (c *call) deliver(title, name, mimeType string, data []byte) (string, error) {
	if c.files.Write == "" {
		if err := c.attach(len(data)); err != nil {
			return "", err
		}
		r := &sdk.ResourceContents{URI: (&url.URL{Scheme: "attachment", Path: "/" + path.Clean("/" + name)[1:]}).String(), MIMEType: mimeType}
		if isText(mimeType) {
			r.Text = string(data)
		} else {
			r.Blob = data
		}
		c.attached = append(c.attached, &sdk.EmbeddedResource{Resource: r})
		return fmt.Sprintf("- [%s](%s), attached to this answer: nothing is written on the server's machine", oneLine(title), oneLine(name)), nil
	}
	inside, err := c.inside(name)
	if err != nil {
		return "", err
	}
	root, err := c.files.makeFolder()
	if err != nil {
		return "", unwrittenError(name, err)
	}
	defer root.Close()
	if err := root.MkdirAll(filepath.Dir(inside), 0o700); err != nil {
		return "", unwrittenError(name, err)
	}
	if err := root.WriteFile(inside, data, 0o600); err != nil {
		return "", unwrittenError(name, err)
	}
	return fmt.Sprintf("- [%s](%s)", oneLine(title), filepath.Join(c.files.Write, inside)), nil
}

// save delivers a file, and says in the answer where it is.
func (c *call) save(title, name, mimeType string, data []byte) error {
	link, err := c.deliver(title, name, mimeType, data)
	if err == nil {
		c.say("%s", link)
	}
	return err
}

// inside is the path of a file relative to the folder for files. A path outside of it
// is an error.
func (c *call) inside(name string) (string, error) {
	inside := name
	if filepath.IsAbs(name) {
		folder, err := filepath.Abs(c.files.Write)
		if err != nil {
			return "", unwrittenError(name, err)
		}
		if inside, err = filepath.Rel(folder, name); err != nil {
			return "", unwrittenError(name, err)
		}
	}
	// The link of an earlier answer names the folder, too.
	if rest, ok := strings.CutPrefix(filepath.Clean(inside), filepath.Clean(c.files.Write)+string(filepath.Separator)); ok {
		inside = rest
	}
	if !filepath.IsLocal(inside) {
		return "", invalidArgument(fmt.Sprintf("filename: %s is not below %s, the folder for files of this client", name, c.files.Write))
	}
	return inside, nil
}

func unwrittenError(name string, err error) error {
	return &actions.Error{Kind: actions.InvalidArgument, Message: fmt.Sprintf("filename: %s cannot be written: %v", name, err), Cause: err}
}

// stored reads a file that deliver has written.
func (c *call) stored(name string) ([]byte, error) {
	if c.files.Write == "" {
		return nil, invalidArgument("filename: files of the server's machine cannot be read here: send the content")
	}
	inside, err := c.inside(name)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(c.files.Write)
	if err != nil {
		return nil, invalidArgument(fmt.Sprintf("filename: the file %s does not exist", name))
	}
	defer root.Close()
	data, err := root.ReadFile(inside)
	if err != nil {
		return nil, invalidArgument(fmt.Sprintf("filename: the file %s does not exist or cannot be read", name))
	}
	return data, nil
}

// fileNameOf is the name of a file: the one that the client gives, or KIND-TIME.EXT.
func fileNameOf(filename, kind, extension string) string {
	if filename != "" {
		return filename
	}
	return kind + "-" + time.Now().UTC().Format("2006-01-02T15-04-05.000Z") + "." + extension
}

// toFile delivers the lines of the section Result as a file, if the client gives a
// name for one.
func (c *call) toFile(filename, title, mimeType string) error {
	if filename == "" {
		return nil
	}
	link, err := c.deliver(title, filename, mimeType, []byte(strings.Join(c.lines, "\n")+"\n"))
	if err == nil {
		c.lines = []string{link}
	}
	return err
}

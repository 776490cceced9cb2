package mcp

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"mime"
	"os"
	"path/filepath"
	"strings"

	"github.com/cdphub/cdphub/actions"
)

type evaluateArgs struct {
	onPage
	Element  string `json:"element,omitempty" jsonschema:"What the element is, in words for people"`
	Target   string `json:"target,omitempty" jsonschema:"An element to call the function with: a ref of the page snapshot, or a selector that matches it alone"`
	Function string `json:"function" jsonschema:"() => { … }, or (element) => { … } with a target"`
}

func evaluate(ctx context.Context, c *call, in evaluateArgs) error {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	o := actions.EvaluateOptions{Function: true}
	if in.Target != "" {
		o.Element = locate(in.Target)
	}
	function := in.Function
	if !strings.Contains(function, "=>") && !strings.HasPrefix(strings.TrimSpace(function), "function") && !strings.HasPrefix(strings.TrimSpace(function), "async function") {
		function = "() => (\n" + function + "\n)"
	}
	v, err := c.page.Evaluate(ctx, function, o)
	if err != nil {
		return err
	}
	if v.Type == "undefined" {
		c.say("undefined")
	} else {
		c.say("%s", v.JSON)
	}
	return nil
}

type uploadArgs struct {
	onPage
	Element string       `json:"element,omitempty" jsonschema:"What the file input is, in words for people"`
	Target  string       `json:"target,omitempty" jsonschema:"The file input: a ref of the page snapshot, or a selector that matches it alone; needed when the page has several"`
	Paths   []string     `json:"paths,omitempty" jsonschema:"Files on the machine of this server, where that is the client's own"`
	Files   []uploadFile `json:"files,omitempty" jsonschema:"Files by content"`
}

type uploadFile struct {
	Name     string `json:"name" jsonschema:"Without a folder"`
	MIMEType string `json:"mimeType,omitempty" jsonschema:"Such as text/plain"`
	Data     string `json:"data" jsonschema:"In base64"`
}

func upload(ctx context.Context, c *call, in uploadArgs) error {
	ctx, cancel := act(ctx)
	defer cancel()
	var files []actions.File
	for i, f := range in.Files {
		data, err := base64.StdEncoding.DecodeString(f.Data)
		if err != nil {
			return invalid(fmt.Sprintf("data of file %d is not in base64: %v", i+1, err))
		}
		files = append(files, actions.File{Name: f.Name, MIMEType: f.MIMEType, Data: data})
	}
	for _, path := range in.Paths {
		f, err := c.read(path)
		if err != nil {
			return err
		}
		files = append(files, f)
	}
	var l actions.Locator = actions.CSS("input[type=file]")
	if in.Target != "" {
		l = locate(in.Target)
	}
	return c.page.SetInputFiles(ctx, l, files)
}

// largestFile is how much of a file is read, in bytes.
const largestFile = 50 << 20

// read reads a file below the folder of the session's files.
func (s *session) read(path string) (f actions.File, err error) {
	if s.files == nil {
		return f, invalid("paths: no file of this machine is read here: send the content, as files")
	}
	inside := path
	if filepath.IsAbs(path) {
		if inside, err = filepath.Rel(s.files.Name(), path); err != nil {
			return f, outside(path, s.files)
		}
	}
	file, err := s.files.Open(inside)
	if os.IsNotExist(err) {
		return f, invalid(fmt.Sprintf("paths: there is no file %s", path))
	}
	if err != nil {
		return f, outside(path, s.files)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, largestFile+1))
	if err != nil {
		return f, invalid(fmt.Sprintf("paths: %s cannot be read", path))
	}
	if len(data) > largestFile {
		return f, &actions.Error{Kind: actions.LimitExceeded, Message: fmt.Sprintf("limit exceeded: %s has more than %d bytes", path, largestFile)}
	}
	name := filepath.Base(path)
	return actions.File{Name: name, MIMEType: mime.TypeByExtension(filepath.Ext(name)), Data: data}, nil
}

func outside(path string, root *os.Root) error {
	return invalid(fmt.Sprintf("paths: %s is not a file below %s, the folder that files are read from", path, root.Name()))
}

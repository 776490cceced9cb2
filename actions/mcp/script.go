package mcp

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"maps"
	"mime"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cdphub/cdphub/actions"
)

type evaluateArgs struct {
	maybeElement
	filename
	Function string `json:"function" jsonschema:"() => { … }, or (element) => { … } with a target"`
}

// evaluateFunction is browser_evaluate. The function gets the element, if there is one, and
// its value comes back as JSON.
func evaluateFunction(ctx context.Context, c *call, in evaluateArgs) error {
	o := actions.EvaluateOptions{Function: true, Element: in.locator()}
	function := in.Function
	// Models often write an expression in place of a function.
	if !strings.Contains(function, "=>") && !strings.HasPrefix(strings.TrimSpace(function), "function") && !strings.HasPrefix(strings.TrimSpace(function), "async function") {
		function = "() => (\n" + function + "\n)"
	}
	on := "page"
	if o.Element != nil {
		on += "." + c.element(in.Target)
	}
	c.ran("await %s.evaluate(%s);", on, jsLiteral(function))
	v, err := c.page.Evaluate(ctx, function, o)
	if err != nil {
		return err
	}
	if v.Type == "undefined" {
		c.say("undefined")
	} else {
		c.say("%s", v.JSON)
	}
	return c.toFile(in.Filename, "Result", "application/json")
}

type uploadArgs struct {
	maybeElement
	someFiles
}

// someFiles are files, by path or by content.
type someFiles struct {
	Paths []string     `json:"paths,omitempty" jsonschema:"On this machine, where the client is there, too"`
	Files []uploadFile `json:"files,omitempty" jsonschema:"Files by content"`
}

type uploadFile struct {
	Name     string `json:"name" jsonschema:"Without a folder"`
	MIMEType string `json:"mimeType,omitempty" jsonschema:"Such as text/plain"`
	Data     string `json:"data" jsonschema:"In base64"`
}

// uploadFiles is browser_file_upload. Without a target it takes the file input of the
// page.
func uploadFiles(ctx context.Context, c *call, in uploadArgs) error {
	files, err := c.filesOf(in.someFiles)
	if err != nil {
		return err
	}
	target := cmp.Or(in.Target, "input[type=file]")
	c.ran("await page.%s.setInputFiles(%s);", c.element(target), jsNames(files))
	return c.page.SetInputFiles(ctx, describedLocator(target, in.Element), files)
}

type dropArgs struct {
	onElement
	someFiles
	Data map[string]string `json:"data,omitempty" jsonschema:"Data by MIME type, such as {\"text/plain\": \"hello\"}"`
}

// dropFiles is browser_drop. Data are texts by their MIME types.
func dropFiles(ctx context.Context, c *call, in dropArgs) error {
	files, err := c.filesOf(in.someFiles)
	if err != nil {
		return err
	}
	if len(files)+len(in.Data) == 0 {
		return invalidArgument("one of paths, files and data must be given")
	}
	data := ""
	if len(in.Data) > 0 {
		var pairs [][2]string
		for _, kind := range slices.Sorted(maps.Keys(in.Data)) {
			pairs = append(pairs, [2]string{jsLiteral(kind), jsLiteral(in.Data[kind])})
		}
		data = objectLiteral(pairs...)
	}
	names := ""
	if files != nil {
		names = jsNames(files)
	}
	c.ran("await page.%s.drop(%s);", c.element(in.Target), objectLiteral([2]string{"files", names}, [2]string{"data", data}))
	return c.page.Drop(ctx, in.locator(), files, in.Data)
}

// jsNames are the names of files as a JavaScript array.
func jsNames(files []actions.File) string {
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = f.Name
	}
	return jsList(names)
}

// filesOf reads the files of a call, first those by content.
func (c *call) filesOf(in someFiles) (files []actions.File, err error) {
	for i, f := range in.Files {
		data, err := base64.StdEncoding.DecodeString(f.Data)
		if err != nil {
			return nil, invalidArgument(fmt.Sprintf("data of file %d is not in base64: %v", i+1, err))
		}
		files = append(files, actions.File{Name: f.Name, MIMEType: f.MIMEType, Data: data})
	}
	for _, path := range in.Paths {
		f, err := c.read(path)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// largestFile is the largest file by path that is read, in bytes.
const largestFile = 50 << 20

// read reads a file below the folder that the session may read. The Root keeps it
// from leading outside.
func (s *session) read(path string) (f actions.File, err error) {
	if s.files.Read == nil {
		return f, invalidArgument("paths: files of the server's machine cannot be read here: send the content, as files")
	}
	inside := path
	if filepath.IsAbs(path) {
		if inside, err = filepath.Rel(s.files.Read.Name(), path); err != nil {
			return f, outsideError(path, s.files.Read)
		}
	}
	file, err := s.files.Read.Open(inside)
	if os.IsNotExist(err) {
		return f, invalidArgument(fmt.Sprintf("paths: the file %s does not exist", path))
	}
	if err != nil {
		return f, outsideError(path, s.files.Read)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, largestFile+1))
	if err != nil {
		return f, invalidArgument(fmt.Sprintf("paths: %s cannot be read", path))
	}
	if len(data) > largestFile {
		return f, &actions.Error{Kind: actions.LimitExceeded, Message: fmt.Sprintf("limit exceeded: %s has more than %d bytes", path, largestFile)}
	}
	name := filepath.Base(path)
	return actions.File{Name: name, MIMEType: mime.TypeByExtension(filepath.Ext(name)), Data: data}, nil
}

func outsideError(path string, root *os.Root) error {
	return invalidArgument(fmt.Sprintf("paths: %s is not a file below %s, the folder that files are read from", path, root.Name()))
}

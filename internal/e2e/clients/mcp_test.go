package clients

import (
	"context"
	"maps"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// server is a running MCP server whose browser is the endpoint.
type server struct {
	session *mcp.ClientSession
	e       *harness.Endpoint
	ref     *regexp.Regexp // finds an element's ref in a line of a snapshot
	shot    string         // the tool that makes snapshots
	always  args           // part of the arguments of every tool
	used    func(tool string)
}

// args are the arguments of a tool.
type args map[string]any

// serverNode finds a Node that both servers start under, which is 20.19 or later:
// the system's, or the one of node/package-lock.json.
func serverNode(t testing.TB) string {
	t.Helper()
	if err := nodeModules(); err != nil {
		t.Fatal(err)
	}
	path, err := harness.LookUp("NODE", "node", "nodejs")
	if err != nil {
		t.Fatal(err)
	}
	version, err := exec.Command(path, "--version").Output()
	if err != nil {
		t.Fatal(err)
	}
	number := strings.Split(strings.TrimPrefix(strings.TrimSpace(string(version)), "v"), ".")
	if major, err := strconv.Atoi(number[0]); err == nil && major >= 22 {
		return path
	}
	found, err := filepath.Glob(filepath.Join("node", "node_modules", "node-linux-*", "bin", "node"))
	if err != nil || len(found) == 0 {
		t.Fatalf("%s is %s; the MCP servers want Node 22, which npm ci puts into node/node_modules for Linux", path, version)
	}
	path, err = filepath.Abs(found[0])
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// startServer runs node/node_modules/.bin/NAME and speaks to it over its standard
// input and output. It ends with the test.
func startServer(t *testing.T, name string, arguments ...string) *mcp.ClientSession {
	t.Helper()
	node := serverNode(t) // before the program is looked for, which it installs
	program, err := filepath.Abs(filepath.Join("node", "node_modules", ".bin", name))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(node, append([]string{program}, arguments...)...)
	cmd.Dir = scratch
	client := mcp.NewClient(&mcp.Implementation{Name: "cdphub-e2e", Version: "1"}, nil)
	ctx, cancel := context.WithTimeout(t.Context(), harness.Started)
	defer cancel()
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

// call uses a tool and returns what it says. images is the number of pictures.
func (s *server) call(t *testing.T, tool string, a args) (said string, images int, failed bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), harness.Started)
	defer cancel()
	if s.used != nil {
		s.used(tool)
	}
	a = maps.Clone(a)
	maps.Copy(a, s.always)
	result, err := s.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: a})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	var text strings.Builder
	for _, content := range result.Content {
		switch c := content.(type) {
		case *mcp.TextContent:
			text.WriteString(c.Text)
		case *mcp.ImageContent:
			isPicture(t, c.Data, strings.TrimPrefix(c.MIMEType, "image/"))
			images++
		}
	}
	return text.String(), images, result.IsError
}

// use calls a tool that must succeed and say each of the words.
func (s *server) use(t *testing.T, tool string, a args, words ...string) string {
	t.Helper()
	said, _, failed := s.call(t, tool, a)
	if failed {
		t.Fatalf("%s failed: %s", tool, said)
	}
	for _, word := range words {
		if !strings.Contains(said, word) {
			t.Errorf("%s says\n%s\nwant %q in it", tool, said, word)
		}
	}
	return said
}

// find takes a snapshot and returns the ref of the first line with the words.
func (s *server) find(t *testing.T, words string) string {
	t.Helper()
	snapshot := s.use(t, s.shot, args{})
	for line := range strings.Lines(snapshot) {
		if strings.Contains(line, words) {
			if ref := s.ref.FindStringSubmatch(line); ref != nil {
				return ref[1]
			}
		}
	}
	t.Fatalf("no %s with a ref in\n%s", words, snapshot)
	return ""
}

func (s *server) url(path string) string { return s.e.Site.App.URL + path }

// is has the newest document of the app's page answer a question, until it is want.
func (s *server) is(t *testing.T, question, want string) {
	t.Helper()
	s.e.Site.Expect(t, harness.AppPage, question, want)
}

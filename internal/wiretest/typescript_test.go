// Package wiretest compares the messages that web/src/wire declares with the Go code
// and with docs/bridge.md. Its tests fail when a field, a kind of message or a verb is
// added, renamed or given another type on one side alone.
//
// The TypeScript compiler says what web/src/wire declares (web/build/wiretypes.mjs),
// go/types what the Go packages do.
package wiretest

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
)

const root = "../.."

// tsType is a type of TypeScript, as JSON has its values. Kind is string, number,
// boolean, null, array, object, or any.
type tsType struct {
	Kind    string
	Literal string    // the only value of a string
	Name    string    // of an interface
	Items   *tsType   // of an array
	Fields  []tsField // of an interface, or of an object without a name
	Members []string  // interfaces of a union
	Doc     string
}

type tsField struct {
	Name, Doc string
	Text      string // the type as it is written
	Optional  bool
	Type      tsType
}

func (t tsType) field(name string) (tsField, bool) {
	i := slices.IndexFunc(t.Fields, func(f tsField) bool { return f.Name == name })
	if i < 0 {
		return tsField{}, false
	}
	return t.Fields[i], true
}

// literal is the text by which a message differs from the others of its union.
func (t tsType) literal(name string) string {
	f, _ := t.field(name)
	return f.Type.Literal
}

type declarations map[string]tsType

var readDeclarations = sync.OnceValues(func() (all declarations, err error) {
	files := []string{"bridge", "cdp", "http", "proxy", "state", "verbs"}
	noteInputs(root+"/web/build", "wiretypes.mjs")
	for _, file := range files {
		noteInputs(root+"/web/src/wire", file+".ts")
	}
	cmd := exec.Command("node", append([]string{"build/wiretypes.mjs"}, files...)...)
	cmd.Dir = root + "/web"
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, &all)
	}
	return all, err
})

// noteInputs looks at files that another process reads. go test runs a test again, instead
// of remembering its result, when a file has changed that the test itself has looked at.
func noteInputs(dir string, files ...string) {
	for _, file := range files {
		os.Stat(filepath.Join(dir, file))
	}
}

// declared are the interfaces and unions of web/src/wire. Without node, or the package
// typescript, each test fails.
func declared(t *testing.T) declarations {
	t.Helper()
	all, err := readDeclarations()
	if exit, is := errors.AsType[*exec.ExitError](err); is {
		t.Fatalf("node web/build/wiretypes.mjs (npm ci in web installs what it needs): %v\n%s", err, exit.Stderr)
	}
	if err != nil {
		t.Fatalf("node web/build/wiretypes.mjs: %v", err)
	}
	return all
}

func (d declarations) find(t *testing.T, name string) tsType {
	t.Helper()
	found, is := d[name]
	if !is {
		t.Fatalf("web/src/wire declares no %s", name)
	}
	return found
}

// union has the messages of a union by the literal of the field in which they differ.
func (d declarations) union(t *testing.T, name, by string) map[string]tsType {
	t.Helper()
	messages := map[string]tsType{}
	for _, member := range d.find(t, name).Members {
		message := d.find(t, member)
		message.Name = member
		literal := message.literal(by)
		if _, twice := messages[literal]; twice || literal == "" {
			t.Errorf("%s of %s has %s %q, as another message has", member, name, by, literal)
		}
		messages[literal] = message
	}
	if len(messages) == 0 {
		t.Fatalf("%s is no union", name)
	}
	return messages
}

// compareSets says which names only one of two sides has.
func compareSets[A, B any](t *testing.T, what string, goNames map[string]A, tsNames map[string]B) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(goNames)) {
		if _, has := tsNames[name]; !has {
			t.Errorf("%s: Go has %q, TypeScript has not", what, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(tsNames)) {
		if _, has := goNames[name]; !has {
			t.Errorf("%s: TypeScript has %q, Go has not", what, name)
		}
	}
}

package wiretest

import (
	"maps"
	"slices"
	"testing"
)

const root = "../.."

func files(t *testing.T, names ...string) *File {
	t.Helper()
	f, err := Read(root, names...)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func source(t *testing.T, folders ...string) *Source {
	t.Helper()
	s, err := ReadSource(root, folders...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func members(t *testing.T, f *File, union string) []*Interface {
	t.Helper()
	list, err := f.Members(union)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// compare says which names and kinds of TypeScript and Go differ.
func compare(t *testing.T, what string, ts map[string]string, goMembers map[string]Member) {
	t.Helper()
	for name, kind := range ts {
		if m, has := goMembers[name]; !has {
			t.Errorf("%s: Go has no field %q", what, name)
		} else if m.Kind != kind && kind != "any" && m.Kind != "any" {
			t.Errorf("%s: %q is of kind %s in Go, and of kind %s in TypeScript", what, name, m.Kind, kind)
		}
	}
	for name := range goMembers {
		if _, has := ts[name]; !has {
			t.Errorf("%s: TypeScript has no field %q", what, name)
		}
	}
}

// texts are the literals of the field by which the members of a union differ.
func texts(list []*Interface, by string) []string {
	var all []string
	for _, i := range list {
		if f, has := i.Field(by); has {
			all = append(all, Literal(f.Type))
		}
	}
	slices.Sort(all)
	return all
}

func structOf(t *testing.T, s *Source, name string) map[string]Member {
	t.Helper()
	m, err := s.Struct(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// one is an interface as a union of itself.
func one(t *testing.T, f *File, names ...string) map[string]string {
	t.Helper()
	var list []*Interface
	for _, name := range names {
		i := f.Interfaces[name]
		if i == nil {
			t.Fatalf("there is no interface %s", name)
		}
		list = append(list, i)
	}
	kinds, err := f.Union(list)
	if err != nil {
		t.Fatal(err)
	}
	return kinds
}

// TestProxyCommands compares what an agent sends over /__hub/control: each
// command with the struct that Go reads it into.
func TestProxyCommands(t *testing.T) {
	f, s := files(t, "proxy.ts"), source(t, "internal/proxy")
	commands := map[string]string{
		"state": "targetState", "navigate": "navigateCommand",
		"go": "continueRequest", "fulfill": "fulfillRequest", "fail": "failRequest", "body": "getBody",
	}
	list := members(t, f, "ControlCommand")
	for _, i := range list {
		do, _ := i.Field("do")
		name := commands[Literal(do.Type)]
		if name == "" {
			t.Errorf("Go reads no command %s", do.Type)
			continue
		}
		kinds := one(t, f, i.Name)
		delete(kinds, "do") // readCommand reads these two of every command
		delete(kinds, "id")
		compare(t, i.Name+" and "+name, kinds, structOf(t, s, name))
	}
	if got, want := s.Compared("Do"), texts(list, "do"); !slices.Equal(got, want) {
		t.Errorf("Go knows the commands %q, TypeScript %q", got, want)
	}
}

// TestProxyEvents compares what a proxy sends over /__hub/control.
func TestProxyEvents(t *testing.T) {
	f, s := files(t, "proxy.ts"), source(t, "internal/proxy")
	list := members(t, f, "ControlEvent")
	kinds, err := f.Union(list)
	if err != nil {
		t.Fatal(err)
	}
	news := structOf(t, s, "agentEvent")
	compare(t, "ControlEvent and agentEvent", kinds, news)
	made := s.Literals("agentEvent", "What")
	if got, want := slices.Sorted(maps.Keys(made)), texts(list, "what"); !slices.Equal(got, want) {
		t.Errorf("Go makes the events %q, TypeScript knows %q", got, want)
	}
	for _, i := range list {
		what, _ := i.Field("what")
		for name, m := range news {
			if _, has := i.Field(name); !has && slices.Contains(made[Literal(what.Type)], m.Go) {
				t.Errorf("Go sends %q in the event %s; %s has no such field", name, what.Type, i.Name)
			}
		}
	}
}

// TestDocumentResponse compares the attribute data-response.
func TestDocumentResponse(t *testing.T) {
	f, s := files(t, "proxy.ts"), source(t, "internal/proxy")
	for name, goName := range map[string]string{"RedirectHop": "hop", "DocumentResponse": "navigationResponse"} {
		made := structOf(t, s, goName)
		compare(t, name+" and "+goName, one(t, f, name), made)
		for _, field := range f.Interfaces[name].Fields {
			if m := made[field.Name]; m.Optional != field.Optional {
				t.Errorf("%s.%s is optional: %v in TypeScript, %v in Go", name, field.Name, field.Optional, m.Optional)
			}
		}
	}
}

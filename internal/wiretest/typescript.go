// Package wiretest compares the messages that web/src/wire declares with the Go code
// and with docs/bridge.md:
//
//	file, err := wiretest.Read(root, "state.ts")
//	source, err := wiretest.ReadSource(root, "internal/uiwire")
//	members, err := source.Struct("State")
//
// Its tests fail when a field, a kind of message or a verb is added, renamed or given
// another type on one side alone. It understands as much of TypeScript as those files
// use: interfaces of simple fields, type aliases and comments.
package wiretest

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A Field is a member of an interface.
type Field struct {
	Name     string
	Type     string // as it is written
	Optional bool
	Doc      string
}

// An Interface is a message, or a part of one.
type Interface struct {
	Name   string
	Doc    string
	Fields []Field // with those that it inherits, first
}

// Field finds a field by its name.
func (i *Interface) Field(name string) (Field, bool) {
	n := slices.IndexFunc(i.Fields, func(f Field) bool { return f.Name == name })
	if n < 0 {
		return Field{}, false
	}
	return i.Fields[n], true
}

// Names are the names of the fields.
func (i *Interface) Names() []string {
	var list []string
	for _, f := range i.Fields {
		list = append(list, f.Name)
	}
	return list
}

// A File is one file of web/src/wire.
type File struct {
	Interfaces map[string]*Interface
	Aliases    map[string]string // type aliases, as they are written
}

// Read reads files of web/src/wire as one.
func Read(root string, names ...string) (*File, error) {
	f := &File{Interfaces: map[string]*Interface{}, Aliases: map[string]string{}}
	for _, name := range names {
		source, err := os.ReadFile(filepath.Join(root, "web", "src", "wire", name))
		if err != nil {
			return nil, err
		}
		if err := f.parse(string(source)); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return f, nil
}

var (
	skipped   = regexp.MustCompile(`^(?://[^\n]*|import [^;]*;|export const [^;]*;)`)
	docs      = regexp.MustCompile(`(?s)^/\*\*(.*?)\*/`)
	alias     = regexp.MustCompile(`^export type (\w+) =([^;]*);`)
	head      = regexp.MustCompile(`^export interface (\w+)(?:<[^>]*>)?(?: extends ([\w, ]+))? \{`)
	member    = regexp.MustCompile(`^(\w+)(\??): ([^;]*);`)
	lineStart = regexp.MustCompile(`(?m)^\s*\* ?`)
)

// parse adds the declarations of a file. What it does not know is an error.
func (f *File) parse(source string) error {
	doc := ""
	for rest := strings.TrimSpace(source); rest != ""; rest = strings.TrimSpace(rest) {
		if m := docs.FindStringSubmatch(rest); m != nil {
			doc, rest = text(m[1]), rest[len(m[0]):]
			continue
		}
		if m := skipped.FindString(rest); m != "" {
			rest = rest[len(m):]
		} else if m := alias.FindStringSubmatch(rest); m != nil {
			f.Aliases[m[1]], rest = strings.Join(strings.Fields(m[2]), " "), rest[len(m[0]):]
		} else if m := head.FindStringSubmatch(rest); m != nil {
			i := &Interface{Name: m[1], Doc: doc}
			for parent := range strings.SplitSeq(m[2], ",") {
				if p := f.Interfaces[strings.TrimSpace(parent)]; p != nil {
					i.Fields = append(i.Fields, p.Fields...)
				} else if m[2] != "" {
					return fmt.Errorf("%s extends %s, which stands in no file before it", i.Name, parent)
				}
			}
			var err error
			if rest, err = i.members(rest[len(m[0]):]); err != nil {
				return err
			}
			f.Interfaces[i.Name] = i
		} else {
			return fmt.Errorf("not known here: %.60q", rest)
		}
		doc = ""
	}
	return nil
}

// members reads the fields of an interface up to its end.
func (i *Interface) members(rest string) (string, error) {
	doc := ""
	for {
		rest = strings.TrimSpace(rest)
		if m := docs.FindStringSubmatch(rest); m != nil {
			doc, rest = text(m[1]), rest[len(m[0]):]
		} else if m := member.FindStringSubmatch(rest); m != nil {
			field := Field{Name: m[1], Type: strings.Join(strings.Fields(m[3]), " "), Optional: m[2] != "", Doc: doc}
			// A field that is declared again replaces the inherited one.
			i.Fields = slices.DeleteFunc(i.Fields, func(f Field) bool { return f.Name == field.Name })
			i.Fields = append(i.Fields, field)
			doc, rest = "", rest[len(m[0]):]
		} else if strings.HasPrefix(rest, "}") {
			return rest[1:], nil
		} else {
			return "", fmt.Errorf("%s: not known here: %.60q", i.Name, rest)
		}
	}
}

// text is a comment without its stars.
func text(comment string) string {
	return strings.Join(strings.Fields(lineStart.ReplaceAllString(comment, " ")), " ")
}

// Members are the interfaces that a union names.
func (f *File) Members(union string) ([]*Interface, error) {
	var list []*Interface
	for name := range strings.SplitSeq(f.Aliases[union], "|") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		i := f.Interfaces[name]
		if i == nil {
			return nil, fmt.Errorf("%s names %q, which is no interface", union, name)
		}
		list = append(list, i)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("there is no union %s", union)
	}
	return list, nil
}

// Union has every field of the members, each with its kind; two members may
// not have fields of one name and different kinds.
func (f *File) Union(members []*Interface) (map[string]string, error) {
	all := map[string]string{}
	for _, i := range members {
		for _, field := range i.Fields {
			kind := f.Kind(field.Type)
			if old, known := all[field.Name]; known && old != kind {
				return nil, fmt.Errorf("%s of %s is of kind %s, and elsewhere of kind %s", field.Name, i.Name, kind, old)
			}
			all[field.Name] = kind
		}
	}
	return all, nil
}

var (
	literal = regexp.MustCompile(`^"[^"]*"$`)
	list    = regexp.MustCompile(`\[\]$`)
)

// Literal is the text of a string literal type, or "".
func Literal(typ string) string {
	if literal.MatchString(typ) {
		return strings.Trim(typ, `"`)
	}
	return ""
}

// Kind is what JSON has for a type: string, number, boolean, array, object,
// null, or any.
func (f *File) Kind(typ string) string {
	kinds := map[string]bool{}
	for part := range strings.SplitSeq(typ, "|") {
		kinds[f.kindOf(strings.TrimSpace(part))] = true
	}
	delete(kinds, "")
	// A type that may be null has the kind of its values.
	if len(kinds) > 1 {
		delete(kinds, "null")
	}
	if len(kinds) != 1 {
		return "any"
	}
	return slices.Collect(maps.Keys(kinds))[0]
}

func (f *File) kindOf(typ string) string {
	switch {
	case typ == "" || typ == "string" || typ == "number" || typ == "boolean" || typ == "null":
		return typ
	case typ == "true" || typ == "false":
		return "boolean"
	case Literal(typ) != "":
		return "string"
	case list.MatchString(typ):
		return "array"
	case f.Interfaces[typ] != nil || strings.HasPrefix(typ, "Record<"):
		return "object"
	case f.Aliases[typ] != "":
		return f.Kind(f.Aliases[typ])
	}
	return "any"
}

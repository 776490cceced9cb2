package wiretest

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	const source = `// A comment.

import type { Json } from "./cdp";

/** Pairs. */
export type Pairs = [name: string, value: string][];

/** One. */
export interface One {
  do: "one";
  /** With a
   * comment of two lines. */
  list?: Pairs;
}

export interface Two extends One {
  n: number | null;
  what: "a" | "b";
  more: Record<string, unknown>;
}

export type Any = One | Two;
`
	f := &File{Interfaces: map[string]*Interface{}, Aliases: map[string]string{}}
	if err := f.parse(source); err != nil {
		t.Fatal(err)
	}
	members, err := f.Members("Any")
	if err != nil || len(members) != 2 {
		t.Fatalf("members %v, %v", members, err)
	}
	kinds, err := f.Union(members)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"do": "string", "list": "array", "n": "number", "what": "string", "more": "object"}
	for name, kind := range want {
		if kinds[name] != kind {
			t.Errorf("%s is of kind %q, want %q", name, kinds[name], kind)
		}
	}
	if len(kinds) != len(want) {
		t.Errorf("fields %v", kinds)
	}
	if list, _ := members[0].Field("list"); !list.Optional || list.Doc != "With a comment of two lines." {
		t.Errorf("list is %+v", list)
	}
}

func TestParseRefuses(t *testing.T) {
	for _, source := range []string{
		"export enum X { A }",
		"export interface X { f(): void; }",
		"export interface X extends Y { a: string; }",
		"export interface X { a: string",
	} {
		f := &File{Interfaces: map[string]*Interface{}, Aliases: map[string]string{}}
		if err := f.parse(source); err == nil {
			t.Errorf("%q was read", source)
		}
	}
	f := &File{Interfaces: map[string]*Interface{}, Aliases: map[string]string{"U": "A | B"}}
	if _, err := f.Members("U"); err == nil || !strings.Contains(err.Error(), `"A"`) {
		t.Errorf("a union of nothing: %v", err)
	}
}

package testrun

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

const output = `{"Action":"start","Package":"github.com/cdphub/cdphub/p"}
{"Action":"run","Package":"github.com/cdphub/cdphub/p","Test":"TestB"}
{"Action":"run","Package":"github.com/cdphub/cdphub/p","Test":"TestB/x"}
{"Action":"attr","Package":"github.com/cdphub/cdphub/p","Test":"TestB/x","Key":"why","Value":"so"}
{"Action":"fail","Package":"github.com/cdphub/cdphub/p","Test":"TestB/x"}
{"Action":"run","Package":"github.com/cdphub/cdphub/p","Test":"TestC"}
{"Action":"attr","Package":"github.com/cdphub/cdphub/p","Test":"TestC","Key":"why","Value":"not so"}
{"Action":"fail","Package":"github.com/cdphub/cdphub/p","Test":"TestC"}
{"Action":"run","Package":"github.com/cdphub/cdphub/p","Test":"TestA"}
{"Action":"skip","Package":"github.com/cdphub/cdphub/p","Test":"TestA"}
{"Action":"fail","Package":"github.com/cdphub/cdphub/p"}
{"Action":"run","Package":"github.com/cdphub/cdphub/p","Test":"TestC"}
{"Action":"pass","Package":"github.com/cdphub/cdphub/p","Test":"TestC"}
`

func TestRead(t *testing.T) {
	got, err := Read(strings.NewReader(output))
	want := []Test{
		{"p", "TestB", "fail", map[string]string{}}, // which never ended
		{"p", "TestB/x", "fail", map[string]string{"why": "so"}},
		{"p", "TestC", "pass", map[string]string{}}, // the second time
		{"p", "TestA", "skip", map[string]string{}},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v\nwant %+v", got, err, want)
	}
}

func TestRun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "page.md")
	page := func(out io.Writer, tests []Test) error {
		for _, test := range tests {
			fmt.Fprintln(out, test.Name)
			if test.Name == "TestBad" {
				return errors.New("not proven")
			}
		}
		return nil
	}
	if err := Run(strings.NewReader(output), page, file, "", "page"); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct{ in, want string }{
		"the same":    {output, ""},
		"another":     {strings.ReplaceAll(output, "TestA", "TestC"), "page.md is stale: run make page"},
		"not proven":  {strings.ReplaceAll(output, "TestA", "TestBad"), "not proven"},
		"no test run": {"PASS", "not the output of go test -json"},
	} {
		err := Run(strings.NewReader(tt.in), page, "", file, "page")
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}

package clients

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
)

// What can come of a check.
const (
	Works    = "works"
	Differs  = "works differently"
	Cannot   = "cannot"
	Fails    = "fails" // a failed test: never meant to stay
	variable = "E2E_RESULTS"
)

// Result is the outcome of one check, and the wire form of a line in the file that
// E2E_RESULTS names:
//
//	{"client":"rod","feature":"pdf","test":"print to PDF","target":"hub","result":"cannot","reason":"…"}
type Result struct {
	Client  string `json:"client"`
	Feature string `json:"feature"` // one of Features
	Test    string `json:"test"`
	Target  string `json:"target"` // hub, browser, chromium, or the browser around the frame
	Result  string `json:"result"` // one of the constants of this package
	Reason  string `json:"reason"` // why, unless it works
}

// Check says what is wrong with the form of a result.
func (r Result) Check() error {
	switch {
	case !slices.Contains(Features, r.Feature):
		return fmt.Errorf("%s, %s: there is no feature %q", r.Client, r.Test, r.Feature)
	case !slices.Contains([]string{Works, Differs, Cannot, Fails}, r.Result):
		return fmt.Errorf("%s, %s: there is no result %q", r.Client, r.Test, r.Result)
	case (r.Reason == "") != (r.Result == Works || r.Result == Fails):
		return fmt.Errorf("%s, %s: it %s, with the reason %q", r.Client, r.Test, r.Result, r.Reason)
	}
	return nil
}

// Record appends the result to the file that E2E_RESULTS names, if it does.
func (r Result) Record() error {
	path := os.Getenv(variable)
	if path == "" {
		return nil
	}
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if _, err := file.Write(append(line, '\n')); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}

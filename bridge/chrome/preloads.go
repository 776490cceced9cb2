package chrome

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// preferences is where Chromium keeps a user's, in each profile of its folder.
const preferences = "Preferences"

// noPrediction is the value of net.network_prediction_options with which nothing
// is loaded before it is asked for (chrome/browser/preloading/preloading_prefs.h):
// documents that are prefetched or prerendered by speculation rules are never
// paused, nor is the navigation that then shows them, and no argument turns that
// off (Chromium 156).
const noPrediction = 2

// stopPreloading turns the loading of pages ahead off in a folder of profiles,
// and leaves all other preferences as they are. Chromium reads them at its start;
// chrome-headless-shell has none.
func stopPreloading(folder string) error {
	known, err := filepath.Glob(filepath.Join(folder, "*", preferences))
	if err != nil {
		return err
	}
	for _, file := range append(known, filepath.Join(folder, "Default", preferences)) {
		if err := setPrediction(file); err != nil {
			return fmt.Errorf("turn off loading pages ahead in %s: %w", file, err)
		}
	}
	return nil
}

// setPrediction writes the preference into one file:
// {"net":{"network_prediction_options":2},…}.
func setPrediction(file string) error {
	text, err := os.ReadFile(file) //nolint:gosec // of a folder the user gave
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			return err
		}
	case err != nil:
		return err
	}
	all := map[string]json.RawMessage{}
	if len(text) > 0 && json.Unmarshal(text, &all) != nil {
		all = map[string]json.RawMessage{} // Chromium begins anew, too
	}
	net := map[string]json.RawMessage{}
	if json.Unmarshal(all["net"], &net) != nil || net == nil {
		net = map[string]json.RawMessage{}
	}
	net["network_prediction_options"] = json.RawMessage(fmt.Sprint(noPrediction))
	if all["net"], err = json.Marshal(net); err != nil {
		return err
	}
	if text, err = json.Marshal(all); err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o600)
}

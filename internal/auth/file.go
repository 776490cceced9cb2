package auth

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"time"

	"go.yaml.in/yaml/v3"
)

// FileEntry is one token in a tokens file, where it has Token or SHA256. The claims of a
// signed token are read as one without them.
type FileEntry struct {
	Name    string     `yaml:"name"`
	Token   string     `yaml:"token,omitempty"`
	SHA256  string     `yaml:"sha256,omitempty"` // hexadecimal
	Role    string     `yaml:"role"`
	Hub     string     `yaml:"hub,omitempty"`   // "" is the default hub, "*" every one
	Scope   string     `yaml:"scope,omitempty"` // of a Client; standard
	Expires *time.Time `yaml:"expires,omitempty"`
	Hooks   []string   `yaml:"hooks,omitempty"` // see Grant; the hub's where it is missing
	Tabs    string     `yaml:"tabs,omitempty"`  // of a Client: own, or all where it is missing
	// Session and Grace are of a Client's named sessions, see Grant.
	Session string `yaml:"session,omitempty"`
	Grace   string `yaml:"grace,omitempty"`
	Share   string `yaml:"share,omitempty"` // of a Client and of a Host, see Grant
	// Limits are by the names of resources (quota.Table); no limits of its own where it is missing.
	Limits map[string]int64 `yaml:"limits,omitempty"`
}

// tokensFile is one YAML document of a tokens file. A file may have several,
// which count together: so what is added at its end leaves the rest as it is.
//
//	tokens:
//	  - {name: ci, sha256: 9f86…, role: client, hub: "*", scope: full, expires: 2027-01-01T00:00:00Z}
//	revoked: [jti-of-a-signed-token]
type tokensFile struct {
	Tokens  []FileEntry `yaml:"tokens"`
	Revoked []string    `yaml:"revoked"`
}

// entry is a token that is known beforehand.
type entry struct {
	digest digest
	grant  Grant
}

// parseFile reads a tokens file.
func parseFile(raw []byte) (entries []entry, revoked map[string]bool, err error) {
	f, err := readDocuments(raw)
	if err != nil {
		return nil, nil, err
	}
	seen := make(map[[32]byte]bool, len(f.Tokens))
	for i, e := range f.Tokens {
		made, err := e.entry()
		// Of two entries with one token, it would not be clear which one counts.
		if err == nil && seen[made.digest.sum] {
			err = errors.New("it is a duplicate")
		}
		if err != nil {
			return nil, nil, fmt.Errorf("token %d (%q): %w", i+1, e.Name, err)
		}
		seen[made.digest.sum] = true
		entries = append(entries, made)
	}
	revoked = make(map[string]bool, len(f.Revoked))
	for _, id := range f.Revoked {
		revoked[id] = true
	}
	return entries, revoked, nil
}

// readDocuments joins the documents of a tokens file.
func readDocuments(raw []byte) (all tokensFile, err error) {
	dec := yaml.NewDecoder(bytes.NewReader(raw))
	dec.KnownFields(true)
	for n := 0; ; n++ {
		var f tokensFile
		switch err := dec.Decode(&f); {
		case errors.Is(err, io.EOF) && n == 0:
			return all, errors.New("the file is empty")
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return all, errors.New("the file is not a YAML file of tokens: " + hideValues(err))
		}
		all.Tokens = append(all.Tokens, f.Tokens...)
		all.Revoked = append(all.Revoked, f.Revoked...)
	}
}

// quoted is what the YAML library cites of a file, which may be a token.
var quoted = regexp.MustCompile("`[^`]*`|'[^']*'")

// hideValues is an error of the YAML library without what it cites.
func hideValues(err error) string { return quoted.ReplaceAllString(err.Error(), "…") }

// entry is the entry as it is compared with tokens. The file may hold the token itself;
// only its hash stays in memory.
func (e FileEntry) entry() (entry, error) {
	g, err := e.Grant()
	if err != nil {
		return entry{}, err
	}
	if (e.Token == "") == (e.SHA256 == "") {
		return entry{}, errors.New("it needs either token or sha256")
	}
	if e.SHA256 != "" {
		d, err := readDigest(e.SHA256)
		return entry{d, g}, err
	}
	s := NewSecret(e.Token)
	return entry{digestOf(s), g}, s.checkLength()
}

package main

import (
	"bufio"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"fmt"
	"io"
	"net/url"
	"os"
	"path"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// writeSBOM writes the modules in a program as CycloneDX, as the go command has recorded
// them in it (debug/buildinfo).
func writeSBOM(binary, out, version string, at time.Time) error {
	build, err := buildinfo.ReadFile(binary)
	if err != nil {
		return err
	}
	sum, err := sha256File(binary)
	if err != nil {
		return err
	}
	components := []cdx.Component{{
		Type: cdx.ComponentTypeLibrary, BOMRef: "pkg:golang/stdlib@" + build.GoVersion, Name: "std", Version: build.GoVersion,
		PackageURL: "pkg:golang/stdlib@" + strings.TrimPrefix(build.GoVersion, "go"),
	}}
	for _, m := range build.Deps {
		switch {
		case m.Path == own: // replaced by a folder of the same commit
			m.Version = "v" + version
		case m.Replace != nil:
			m = m.Replace
		}
		purl := "pkg:golang/" + m.Path + "@" + m.Version
		components = append(components, cdx.Component{Type: cdx.ComponentTypeLibrary, BOMRef: purl, Name: m.Path, Version: m.Version, PackageURL: purl})
	}
	name := path.Base(build.Path)
	return writeBOM(out, cdx.Component{
		Type: cdx.ComponentTypeApplication, BOMRef: name, Name: name, Version: version,
		PackageURL: "pkg:golang/" + build.Main.Path + "@v" + version,
		Hashes:     &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: sum}},
		Licenses:   &cdx.Licenses{{License: &cdx.License{ID: "Apache-2.0"}}},
	}, components, at)
}

// debianPackages reads dpkg's list of packages (/var/lib/dpkg/status): blocks of
// "Key: value" lines, separated by empty lines. Packages that were removed are in it,
// too, with another status.
func debianPackages(status io.Reader, release string) ([]cdx.Component, error) {
	var list []cdx.Component
	fields := map[string]string{}
	add := func() {
		if name := fields["Package"]; name != "" && strings.HasSuffix(fields["Status"], " installed") {
			purl := fmt.Sprintf("pkg:deb/debian/%s@%s?arch=%s&distro=%s", name, url.PathEscape(fields["Version"]), fields["Architecture"], release)
			list = append(list, cdx.Component{Type: cdx.ComponentTypeLibrary, BOMRef: purl, Name: name, Version: fields["Version"], PackageURL: purl})
		}
		clear(fields)
	}
	lines := bufio.NewScanner(status)
	const longest = 1 << 20
	lines.Buffer(nil, longest)
	for lines.Scan() {
		if lines.Text() == "" {
			add()
		} else if key, value, ok := strings.Cut(lines.Text(), ": "); ok && !strings.HasPrefix(key, " ") {
			fields[key] = value
		}
	}
	add()
	return list, lines.Err()
}

// writeBOM writes a CycloneDX file. It has no serial number, which would have to be
// random: the same program must give the same bytes.
func writeBOM(out string, about cdx.Component, components []cdx.Component, at time.Time) error {
	var refs []string
	for _, c := range components {
		refs = append(refs, c.BOMRef)
	}
	bom := cdx.NewBOM()
	bom.Metadata = &cdx.Metadata{Timestamp: at.Format(time.RFC3339), Component: &about}
	bom.Components = &components
	bom.Dependencies = &[]cdx.Dependency{{Ref: about.BOMRef, Dependencies: &refs}}
	f, err := os.Create(out)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := cdx.NewBOMEncoder(f, cdx.BOMFileFormatJSON).SetPretty(true).Encode(bom); err != nil {
		return err
	}
	return f.Close()
}

func sha256File(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

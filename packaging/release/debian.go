package main

import (
	"archive/tar"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// debian is the release that the image with a browser is made of: the stable one.
const debian = "trixie"

// browserPackages are Chromium, fonts for most scripts and for emoji, and an init
// process: a browser leaves processes behind, which PID 1 must collect.
const browserPackages = "ca-certificates,chromium,fonts-liberation,fonts-noto-color-emoji,fonts-noto-core,fonts-wqy-zenhei,tini"

// The user of all images. /tmp is the only folder that it writes to.
const (
	passwd = "cdphub:x:65532:65532:cdphub:/tmp:/usr/sbin/nologin\n"
	group  = "cdphub:x:65532:\n"
)

// bootstrapSystem writes a Debian system with a browser as a tar file, by mmdebstrap.
// mmdebstrap takes all times from SOURCE_DATE_EPOCH, so that the same packages give
// the same bytes.
func bootstrapSystem(arch, out string) error {
	cmd := exec.Command("mmdebstrap", "--variant=essential", "--components=main", "--architectures="+arch, "--include="+browserPackages,
		"--dpkgopt=force-unsafe-io", // after a loss of power it starts again
		"--dpkgopt=path-exclude=/usr/share/man/*", "--dpkgopt=path-exclude=/usr/share/locale/*",
		"--dpkgopt=path-exclude=/usr/share/doc/*", "--dpkgopt=path-include=/usr/share/doc/*/copyright",
		fmt.Sprintf("--customize-hook=printf '%s' >> \"$1/etc/passwd\"; printf '%s' >> \"$1/etc/group\"", escapeText(passwd), escapeText(group)),
		debian, out)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	return cmd.Run()
}

func escapeText(s string) string { return strings.ReplaceAll(s, "\n", `\n`) }

// fileOf reads one file of the tar file of a system. A file that is missing is an
// error.
func fileOf(system, name string) ([]byte, error) {
	f, err := os.Open(system)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for r := tar.NewReader(f); ; {
		h, err := r.Next()
		if err != nil {
			return nil, fmt.Errorf("%s in the Debian system: %w", name, err)
		}
		if h.Name == "./"+name && h.Typeflag == tar.TypeReg {
			return io.ReadAll(r)
		}
	}
}

package main

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// variant is an image for one processor.
type variant struct {
	arch string
	img  v1.Image
}

// write writes an image in two forms: for each processor a tar file that `docker
// load` reads, and all processors as one OCI image layout in a tar file.
func (r release) write(title string, list []variant) error {
	tag, err := name.NewTag(title + ":" + r.Version)
	if err != nil {
		return err
	}
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, v := range list {
		if err := tarball.WriteToFile(r.output(title, v.arch, "docker.tar"), tag, v.img); err != nil {
			return err
		}
		// The configuration stays as it is: OCI has no health check, and its
		// readers pass over what they do not know.
		img := mutate.ConfigMediaType(mutate.MediaType(v.img, types.OCIManifestSchema1), types.OCIConfigJSON)
		index = mutate.AppendManifests(index, mutate.IndexAddendum{
			Add: img, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: v.arch}},
		})
	}
	dir, err := os.MkdirTemp("", "cdphub-layout-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path, err := layout.Write(dir, empty.Index)
	if err != nil {
		return err
	}
	if err := path.AppendIndex(index, layout.WithAnnotations(map[string]string{"org.opencontainers.image.ref.name": r.Version})); err != nil {
		return err
	}
	return packFolder(dir, filepath.Join(r.dist, fmt.Sprintf("%s_%s_linux.oci.tar", title, r.Version)), r.at)
}

func (r release) output(title, arch, kind string) string {
	return filepath.Join(r.dist, fmt.Sprintf("%s_%s_linux_%s.%s", title, r.Version, arch, kind))
}

// packFolder writes the files of a folder into a tar file, in the order of their names
// (filepath.WalkDir), so that the bytes are always the same.
func packFolder(dir, out string, at time.Time) error {
	f, err := os.Create(out)
	if err != nil {
		return err
	}
	defer f.Close()
	w := tar.NewWriter(f)
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if err := w.WriteHeader(&tar.Header{Name: filepath.ToSlash(name), Mode: 0o644, Size: info.Size(), ModTime: at}); err != nil {
			return err
		}
		from, err := os.Open(path)
		if err != nil {
			return err
		}
		defer from.Close()
		_, err = io.Copy(w, from)
		return err
	})
	return errors.Join(err, w.Close(), f.Close())
}

// listPackages writes the SBOM of the image with a browser: the Debian packages in
// it.
func (r release) listPackages(system, arch string) error {
	status, err := fileOf(system, "var/lib/dpkg/status")
	if err != nil {
		return err
	}
	packages, err := debianPackages(bytes.NewReader(status), debian)
	if err != nil {
		return err
	}
	about := cdx.Component{Type: cdx.ComponentTypeContainer, BOMRef: "cdphub-chromium", Name: "cdphub-chromium", Version: r.Version}
	return writeBOM(r.output("cdphub-chromium", arch, "cdx.json"), about, packages, r.at)
}

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
)

// release is what goreleaser says of itself in DIST/metadata.json.
type release struct {
	Version string `json:"version"`
	Commit  string `json:"commit"`
	dist    string
	at      time.Time
}

// makeImages makes all images, without a container engine and without a base
// image: each program alone for two processors, and cdphub with a browser for
// the processor of this machine, whose Debian packages it can configure.
func makeImages(dist string, at time.Time) error {
	r := release{dist: dist, at: at}
	raw, err := os.ReadFile(filepath.Join(dist, "metadata.json"))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return fmt.Errorf("metadata.json: %w", err)
	}
	temporary, err := os.MkdirTemp("", "cdphub-images-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary)

	system := filepath.Join(temporary, "system.tar")
	if err := bootstrapSystem(runtime.GOARCH, system); err != nil {
		return fmt.Errorf("mmdebstrap: %w", err)
	}
	// The machine's own file may have certificates of its operator.
	const authorities = "etc/ssl/certs/ca-certificates.crt"
	roots, err := fileOf(system, authorities)
	if err != nil {
		return err
	}
	for name := range licensesOf {
		var list []variant
		for _, arch := range []string{"amd64", "arm64"} {
			img, err := r.plain(name, arch, file{authorities, 0o644, roots})
			if err != nil {
				return err
			}
			list = append(list, variant{arch, img})
		}
		if err := r.write(name, list); err != nil {
			return err
		}
	}
	img, err := r.withBrowser(runtime.GOARCH, system)
	if err != nil {
		return err
	}
	return r.write("cdphub-chromium", []variant{{runtime.GOARCH, img}})
}

// plain is an image with one program and the certificate authorities, and nothing
// else: no shell, no package manager.
func (r release) plain(name, arch string, roots file) (v1.Image, error) {
	files, err := r.program(name, arch)
	if err != nil {
		return nil, err
	}
	files = append(files,
		file{"etc/passwd", 0o644, []byte(passwd)}, file{"etc/group", 0o644, []byte(group)},
		roots, file{"tmp/", 0o1777, nil})
	layer, err := layerOf(files, r.at)
	if err != nil {
		return nil, err
	}
	config := r.config(name, bin+name)
	config.Entrypoint = []string{bin + name}
	return r.assemble(arch, config, layer)
}

// withBrowser is an image with cdphub in a layer above a Debian system with Chromium.
func (r release) withBrowser(arch, system string) (v1.Image, error) {
	base, err := compressLayer(system, system+".gz")
	if err != nil {
		return nil, err
	}
	if err := r.listPackages(system, arch); err != nil {
		return nil, err
	}
	files, err := r.program("cdphub", arch)
	if err != nil {
		return nil, err
	}
	layer, err := layerOf(files, r.at)
	if err != nil {
		return nil, err
	}
	config := r.config("cdphub-chromium", bin+"cdphub")
	config.Entrypoint = []string{"/usr/bin/tini", "--", bin + "cdphub"}
	// The container is the sandbox: by default engines allow no user namespaces
	// in it, without which Chromium does not start.
	config.Env = append(config.Env, "HOME=/tmp", "CDPHUB_BROWSER=true", "CDPHUB_BROWSER_NO_SANDBOX=true")
	return r.assemble(arch, config, base, layer)
}

// bin is the folder of programs in an image.
const bin = "/usr/bin/"

// licensesOf has the programs of goreleaser, each with the licences of the
// third-party code in it.
var licensesOf = map[string]string{
	"cdphub":         "packaging/THIRD-PARTY.txt",
	"cdphub-cluster": "packaging/cluster/THIRD-PARTY.txt",
}

// program is a program that goreleaser has built, with its licences at the place
// where Debian has them.
func (r release) program(name, arch string) ([]file, error) {
	found, err := filepath.Glob(filepath.Join(r.dist, name+"_linux_"+arch+"*", name))
	if err != nil || len(found) != 1 {
		return nil, fmt.Errorf("%s has %d programs %s for linux and %s, want one", r.dist, len(found), name, arch)
	}
	docs := "usr/share/doc/" + name + "/"
	files := []file{{name: bin[1:] + name, mode: 0o755}, {name: docs + "copyright", mode: 0o644}, {name: docs + "NOTICE", mode: 0o644}, {name: docs + "THIRD-PARTY.txt", mode: 0o644}}
	for i, from := range []string{found[0], "LICENSE", "NOTICE", licensesOf[name]} {
		if files[i].data, err = os.ReadFile(from); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// config is what all images have. In a container the hub listens on all
// addresses, because it could not be reached otherwise: the ports that are
// published decide who reaches it. It is configured by the environment, so that
// cdphub health finds it.
func (r release) config(title, program string) v1.Config {
	return v1.Config{
		User:         "65532:65532",
		Cmd:          []string{"serve"},
		ExposedPorts: map[string]struct{}{"9222/tcp": {}, "9223/tcp": {}},
		Env: []string{
			"PATH=/usr/local/bin:/usr/bin:/bin",
			"CDPHUB_CLIENT_ADDR=:9222", "CDPHUB_HOST_ADDR=:9223", "CDPHUB_INSECURE_BIND=true",
			"CDPHUB_DRAIN=8s", // engines kill 10 s after they have asked
		},
		Healthcheck: &v1.HealthConfig{
			Test:     []string{"CMD", program, "health"},
			Interval: 30 * time.Second, Timeout: 10 * time.Second, StartPeriod: 10 * time.Second, Retries: 3,
		},
		Labels: map[string]string{
			"org.opencontainers.image.title":    title,
			"org.opencontainers.image.version":  r.Version,
			"org.opencontainers.image.revision": r.Commit,
			"org.opencontainers.image.created":  r.at.Format(time.RFC3339),
			"org.opencontainers.image.source":   "https://github.com/cdphub/cdphub",
			"org.opencontainers.image.licenses": "Apache-2.0",
		},
	}
}

// assemble makes an image of a configuration and layers. All times are those of the
// commit.
func (r release) assemble(arch string, config v1.Config, layers ...v1.Layer) (v1.Image, error) {
	img, err := mutate.ConfigFile(empty.Image, &v1.ConfigFile{
		Architecture: arch, OS: "linux", Created: v1.Time{Time: r.at}, Config: config,
		RootFS: v1.RootFS{Type: "layers", DiffIDs: []v1.Hash{}},
	})
	if err != nil {
		return nil, err
	}
	for _, layer := range layers {
		img, err = mutate.Append(img, mutate.Addendum{Layer: layer, History: v1.History{Created: v1.Time{Time: r.at}, CreatedBy: "make release"}})
		if err != nil {
			return nil, err
		}
	}
	return img, nil
}

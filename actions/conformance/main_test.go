package conformance

import (
	"flag"
	"os"
	"sync"
	"testing"

	"github.com/cdphub/cdphub/internal/browsertest"
	"github.com/cdphub/cdphub/internal/hubtest"
)

func TestMain(m *testing.M) {
	// Tests that run side by side wait more than they compute. -parallel says
	// otherwise.
	flag.Set("test.parallel", "4")
	os.Exit(browsertest.Main(m))
}

// program returns the path of cdphub.
var program = sync.OnceValues(func() (string, error) { return hubtest.Program("../../cmd/cdphub") })

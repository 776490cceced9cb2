package server

import (
	"flag"
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	// Tests that run side by side wait more than they compute. -parallel says
	// otherwise.
	flag.Set("test.parallel", "6")
	os.Exit(m.Run())
}

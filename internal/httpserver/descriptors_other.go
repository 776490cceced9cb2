//go:build !unix

package httpserver

// maxDescriptors is unknown here.
func maxDescriptors() int { return 0 }

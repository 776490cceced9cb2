package docstest

import (
	"fmt"
	"regexp"
	"strings"
)

var loopback = regexp.MustCompile(`127\.0\.0\.1:\d+`)

// ClusterCommands returns the commands of the blocks of kind cluster, in their order, as
// words after cdphub-cluster. Each address of the documentation becomes one that free
// returns.
func ClusterCommands(root string, free func() string) (commands [][]string, err error) {
	blocks, err := Blocks(root)
	if err != nil {
		return nil, err
	}
	addrs, taken := map[string]string{}, map[string]bool{}
	for _, b := range blocks {
		if b.Kind != "cluster" {
			continue
		}
		text := loopback.ReplaceAllStringFunc(strings.ReplaceAll(b.Text, "\\\n", " "), func(addr string) string {
			for addrs[addr] == "" { // what is free once may be offered twice
				if one := free(); !taken[one] {
					addrs[addr], taken[one] = one, true
				}
			}
			return addrs[addr]
		})
		for line := range strings.Lines(text) {
			words := strings.Fields(line)
			if len(words) < 2 || words[0] != "cdphub-cluster" {
				return nil, fmt.Errorf("%s:%d: %q is no command of cdphub-cluster", b.File, b.Line, line)
			}
			commands = append(commands, words[1:])
		}
	}
	return commands, nil
}

package methods

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed differences.txt
var differenceList string

// Difference is something that a hub answers otherwise than a browser by itself.
type Difference struct {
	Kind     string // "frame" for frames of the WebSocket, "method" for methods without a session, "iframe" for those at a hub of iframes
	Name     string // or the methods, with commas between them
	Sent     string // what frames are sent; "" for methods
	Chromium string // what Chromium answers
	Hub      string // what the hub answers, and why
}

// Differences returns the rows of differences.txt.
func Differences() (rows []Difference, err error) {
	for n, line := range strings.Split(differenceList, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		kind, rest, _ := strings.Cut(line, " ")
		switch cells := strings.Split(rest, " | "); {
		case kind == "frame" && len(cells) == 4:
			rows = append(rows, Difference{kind, cells[0], cells[1], cells[2], cells[3]})
		case (kind == "method" || kind == "iframe") && len(cells) == 3:
			rows = append(rows, Difference{kind, cells[0], "", cells[1], cells[2]})
		default:
			return nil, fmt.Errorf("differences.txt:%d: %s", n+1, line)
		}
	}
	return rows, nil
}

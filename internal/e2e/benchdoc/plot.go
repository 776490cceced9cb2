package main

import "math"

// The picture has a bar for each goal: its length is the figure as a share of the goal,
// on a logarithmic scale, since the shares lie between a tenth and ten.
const (
	lineHeight = 20
	textWidth  = 420
	plotWidth  = 360
	lowest     = 0.1
	highest    = 10.0
)

type drawing struct {
	Width, Height int
	Goal          float64 // x of the line that means: as the goal
	Lines         []bar
}

type bar struct {
	Y            int
	Heading      bool
	Text, Figure string
	X, Width     float64
	Met          bool
}

func draw(sections []section) drawing {
	d := drawing{Width: textWidth + plotWidth + 80, Goal: textWidth + length(1)}
	y := lineHeight
	for _, s := range sections {
		y += lineHeight
		d.Lines = append(d.Lines, bar{Y: y, Heading: true, Text: s.Title})
		for _, r := range s.Rows {
			y += lineHeight
			d.Lines = append(d.Lines, bar{Y: y, Text: r.Title, Figure: r.Measured(), X: textWidth, Width: length(r.Share()), Met: r.Met()})
		}
	}
	d.Height = y + lineHeight
	return d
}

// length is that of a bar in pixels.
func length(share float64) float64 {
	share = min(max(share, lowest), highest)
	return math.Round(plotWidth * math.Log(share/lowest) / math.Log(highest/lowest))
}

package actions

import "strconv"

// pixels is a position or a length that a page or a browser says, in CSS pixels. Whatever
// they say, it is at most maxPixels, so that sums of it are numbers that JSON has.
type pixels float64

// maxPixels is beyond what Chromium's layout can have (LayoutUnit: 2^25).
const maxPixels = 1 << 26

// UnmarshalJSON implements json.Unmarshaler.
func (n *pixels) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return nil
	}
	v, err := strconv.ParseFloat(string(text), 64) // with an error it is ±Inf, or 0
	if v == 0 && err != nil {
		return err
	}
	*n = pixels(min(max(v, -maxPixels), maxPixels))
	return nil
}

// pageBox is a Box as a page says it.
type pageBox struct{ X, Y, Width, Height pixels }

func (b pageBox) box() Box {
	return Box{float64(b.X), float64(b.Y), float64(b.Width), float64(b.Height)}
}

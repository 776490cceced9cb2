package shots

import (
	"image"
	"image/color"
	"image/draw"
)

// clearlyOff is the difference of one channel from which a pixel counts.
const clearlyOff = 32

// difference is the share, in per cent, of the pixels that are clearly off.
func difference(want, got image.Image) float64 {
	b := want.Bounds()
	off := 0
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			if differ(want.At(x, y), got.At(x, y)) {
				off++
			}
		}
	}
	return 100 * float64(off) / float64(b.Dx()*b.Dy())
}

func differ(a, b color.Color) bool {
	r1, g1, b1, a1 := a.RGBA()
	r2, g2, b2, a2 := b.RGBA()
	return far(r1, r2) || far(g1, g2) || far(b1, b2) || far(a1, a2)
}

// beside puts both pictures side by side, and a third that is black where they
// differ.
func beside(want, got image.Image) image.Image {
	b := want.Bounds()
	all := image.NewRGBA(image.Rect(0, 0, 3*b.Dx(), b.Dy()))
	draw.Draw(all, all.Bounds(), image.White, image.Point{}, draw.Src)
	draw.Draw(all, b, want, b.Min, draw.Src)
	draw.Draw(all, b.Add(image.Pt(b.Dx(), 0)), got, b.Min, draw.Src)
	for y := range b.Dy() {
		for x := range b.Dx() {
			if differ(want.At(x, y), got.At(x, y)) {
				all.Set(2*b.Dx()+x, y, color.Black)
			}
		}
	}
	return all
}

// far compares channels of 16 bits.
func far(a, b uint32) bool {
	return max(a, b)-min(a, b) > clearlyOff<<8
}

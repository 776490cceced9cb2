package natsdir

import (
	"context"
	"encoding/binary"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/cdphub/cdphub/internal/cluster"
)

// notePrefix is before the key of a hub. Its note is in the bucket of its claim, so that
// both have one leader.
const notePrefix = "note-"

// epochSize is the size, in bytes, of what stands before the text of a note: the epoch of
// its writer.
const epochSize = 8

// Left implements cluster.Directory.
func (d *Directory) Left(ctx context.Context, hub string) ([]byte, error) {
	if err := d.certain(); err != nil {
		return nil, err
	}
	b, key := d.place(hub)
	for {
		m, ok, err := b.last(ctx, notePrefix+key)
		switch {
		case err == nil && (!ok || len(m.Data) <= epochSize):
			return nil, nil
		case err == nil:
			return m.Data[epochSize:], nil
		}
		if pauseFor(ctx, retryEvery) != nil {
			return nil, unreachableError(err)
		}
	}
}

// Note implements cluster.Claim. Each write expects the one before it, so that a node that
// has lost the hub never writes over its follower's note.
func (c *claim) Note(ctx context.Context, text []byte) error {
	if len(text) > cluster.MaxNote {
		return cluster.ErrLongNote
	}
	b, key := c.d.place(c.hub)
	value := append(binary.BigEndian.AppendUint64(nil, uint64(c.epoch)), text...)
	for {
		// Before each attempt: it may have lost the hub while it waited.
		if err := c.Certain(ctx); err != nil {
			return err
		}
		m, ok, err := b.last(ctx, notePrefix+key)
		if err == nil {
			var after uint64
			if ok {
				after = m.Sequence
			}
			if ok && len(m.Data) >= epochSize && binary.BigEndian.Uint64(m.Data) > uint64(c.epoch) {
				return cluster.ErrTaken
			}
			// There is none to remove.
			if after == 0 && len(text) == 0 {
				return nil
			}
			_, err = b.put(ctx, notePrefix+key, value, jetstream.WithExpectLastSequencePerSubject(after), jetstream.WithMsgTTL(notesKept))
			if err == nil {
				return nil
			}
		}
		if pauseFor(ctx, retryEvery) != nil {
			return unreachableError(err)
		}
	}
}

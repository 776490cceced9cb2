package page

import (
	"encoding/base64"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/wire"
)

// A Host with the feature "downloads" sends the files that its frames download in parts, each
// once the hub has taken the one before, with other messages between them:
//
//	host → {"kind":"downloadBegins","targetId":"T","frameId":"F","guid":"G","url":"…","suggestedFilename":"a.txt"}
//	host ← {"kind":"downloadTaken","guid":"G","more":true}
//	host → {"kind":"downloadPart","guid":"G","data":"aGk="}
//	host ← {"kind":"downloadTaken","guid":"G","more":true}
//	host → {"kind":"downloadEnds","guid":"G","totalBytes":2}

// maxPart is how many bytes a part may have: its memory is used again.
const maxPart = 1 << 20

// download takes one of these messages, and says whether the hub wants more of the file. A part
// that is not valid is missing then, so that the file is never complete.
func (p *Host) download(f *fields) {
	guid, named := wire.Text(f.guid)
	if !named || !p.abilities.Load().downloads {
		p.warn("download of the host refused: it has no guid, or the feature was not accepted")
		return
	}
	more := false
	switch f.kind {
	case "downloadBegins":
		more = p.events.DownloadBegins(readDownload(f, guid))
	case "downloadPart":
		data, _ := wire.Text(f.data)
		if len(data) > base64.StdEncoding.EncodedLen(maxPart) {
			p.warn("part of a download refused: it is too long")
			break
		}
		part, err := base64.StdEncoding.AppendDecode(p.part[:0], []byte(data))
		if p.part = part; err != nil {
			p.warn("part of a download refused: it is not base64", zap.Error(err))
			break
		}
		more = p.events.DownloadPart(guid, part)
	case "downloadEnds":
		total, complete := wire.Int(f.totalBytes)
		if !complete {
			total = -1
		}
		p.events.DownloadEnds(guid, total)
		return
	}
	b := wire.AppendString([]byte(`{"kind":"downloadTaken","guid":`), guid)
	tail := `,"more":false}`
	if more {
		tail = `,"more":true}`
	}
	p.conn.Deliver(wire.Frame{Head: b, Tail: []byte(tail)})
}

// readDownload reads a download that begins. What is missing stays empty.
func readDownload(f *fields, guid string) (d bridge.Download) {
	d.GUID = guid
	d.TargetID, _ = wire.Text(f.targetID)
	d.FrameID, _ = wire.Text(f.frameID)
	d.URL, _ = wire.Text(f.url)
	d.SuggestedFilename, _ = wire.Text(f.suggestedFilename)
	return d
}

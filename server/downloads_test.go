package server

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// heap is how many bytes are in use.
func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestDownloadsLeaveRoomForOthers has a frame download 200 MiB. Between its parts the commands of
// other sessions are answered, and the hub holds none of what has come in memory.
func TestDownloadsLeaveRoomForOthers(t *testing.T) {
	dir := t.TempDir()
	s := start(t, func(o *Options) { o.DownloadDir = dir })
	host := dial(t, "ws://"+s.addr(true)+"/icdp/host", nil)
	host.send(strings.Replace(ready, `"v":1,`, `"v":1,"features":["sessions","downloads"],`, 1))
	s.await(t, `"targetId":"T1"`)
	taker, other := s.client(t), s.client(t)
	session := other.attach()
	taker.send(fmt.Sprintf(`{"id":1,"method":"Browser.setDownloadBehavior","params":{"behavior":"allow","downloadPath":%q,"eventsEnabled":true}}`, dir))
	taker.until(`"id":1`)
	host.send(`{"kind":"downloadBegins","targetId":"T1","frameId":"T1","guid":"G","url":"http://app/large","suggestedFilename":"large.bin"}`)
	host.until(`"downloadTaken"`)

	const part, parts = 128 << 10, 1600
	text := `{"kind":"downloadPart","guid":"G","data":"` + base64.StdEncoding.EncodeToString(make([]byte, part)) + `"}`
	before := heap()
	for n := range parts {
		host.send(text)
		answered := n%400 != 0
		if !answered {
			other.send(fmt.Sprintf(`{"id":%d,"method":"Page.enable","sessionId":%q}`, n+1, session))
		}
		for taken := false; !taken || !answered; {
			if m := host.next(); strings.Contains(m, `"downloadTaken"`) {
				taken = true
			} else if _, id, found := strings.Cut(m, `"id":`); found {
				id, _, _ = strings.Cut(id, ",")
				host.send(fmt.Sprintf(`{"kind":"response","sessionId":%q,"id":%s,"result":{}}`, session, id))
				other.until(fmt.Sprintf(`"id":%d`, n+1))
				answered = true
			}
		}
		if n%400 != 0 {
			continue
		}
		if grown := int64(heap()) - int64(before); grown > 8<<20 {
			t.Errorf("after %d MiB, the hub holds %d KiB more", n*part>>20, grown>>10)
		}
	}
	host.send(fmt.Sprintf(`{"kind":"downloadEnds","guid":"G","totalBytes":%d}`, parts*part))
	if got := taker.until("Browser.downloadProgress"); !strings.Contains(got, `"completed"`) {
		t.Error(got)
	}
	if list, _ := os.ReadDir(dir); len(list) != 1 {
		t.Errorf("the directory has %v", list)
	}
	if info, err := os.Stat(filepath.Join(dir, "large.bin")); err != nil || info.Size() != parts*part {
		t.Errorf("%v, %v, want %d bytes", info, err, parts*part)
	}
}

package link

import (
	"errors"
	"net/http"
	"strconv"
	"time"
)

// The handshake of a link's WebSocket has these headers beside those of RFC 6455.
// The request:
//
//	Sec-WebSocket-Protocol: link.cdphub.1
//	Cdphub-Link-Key: 26 or more letters and digits that cannot be guessed, by which the link is known
//	Cdphub-Link-Epoch: 1 for a new link, and a higher number with each attempt for the same one
//	Cdphub-Link-Received: the position up to which the asker has received
//	Cdphub-Link-Node: what the last answer had there, if anything
//
// The answer:
//
//	Cdphub-Link-Received: the position up to which the hub has received
//	Cdphub-Link-Grace: the seconds for which the hub keeps a link that is lost
//	Cdphub-Link-Node: in a cluster, the id of the node that has the link
const (
	headerProtocol = "Sec-Websocket-Protocol"
	headerKey      = "Cdphub-Link-Key"
	headerEpoch    = "Cdphub-Link-Epoch"
	headerReceived = "Cdphub-Link-Received"
	headerGrace    = "Cdphub-Link-Grace"
	headerNode     = "Cdphub-Link-Node"
)

// Hello is what a handshake says of its link.
type Hello struct {
	Key             string
	Epoch, Received uint64
	Node            string // that has the link; "" for none that is known
}

// The bounds of Hello.Key: rand.Text has 26 characters with 128 bits.
const (
	minKey = 26
	maxKey = 64
)

// ReadHello reads a request's headers. The errors are for the peer to read. The key is not
// compared here; a Table finds its link by it.
func ReadHello(h http.Header) (hello Hello, err error) {
	if h.Get(headerProtocol) != Protocol {
		return hello, errors.New("this address is for links: connect with cdphub connect of the same version, which offers the subprotocol " + Protocol)
	}
	hello.Key, hello.Node = h.Get(headerKey), h.Get(headerNode)
	if len(hello.Key) < minKey || len(hello.Key) > maxKey {
		return hello, errors.New(headerKey + " must have 26 to 64 characters")
	}
	if hello.Epoch, err = strconv.ParseUint(h.Get(headerEpoch), 10, 64); err != nil || hello.Epoch == 0 {
		return hello, errors.New(headerEpoch + " must be a number of 1 or more")
	}
	if hello.Received, err = strconv.ParseUint(h.Get(headerReceived), 10, 64); err != nil {
		return hello, errors.New(headerReceived + " must be a number")
	}
	return hello, nil
}

// set writes the headers of a request.
func (l Hello) set(h http.Header) {
	h.Set(headerProtocol, Protocol)
	h.Set(headerKey, l.Key)
	h.Set(headerEpoch, strconv.FormatUint(l.Epoch, 10))
	h.Set(headerReceived, strconv.FormatUint(l.Received, 10))
	if l.Node != "" {
		h.Set(headerNode, l.Node)
	}
}

// answerHeaders is the headers of the answer.
func answerHeaders(received uint64, grace time.Duration, node string) http.Header {
	h := http.Header{
		headerReceived: {strconv.FormatUint(received, 10)},
		headerGrace:    {strconv.Itoa(int(grace / time.Second))},
	}
	if node != "" {
		h.Set(headerNode, node)
	}
	return h
}

var errNoHub = errors.New("the server does not have links: it is not a hub, or is older than this program")

// readAnswer reads them. The grace time is at most a day.
func readAnswer(h http.Header) (received uint64, grace time.Duration, err error) {
	received, err = strconv.ParseUint(h.Get(headerReceived), 10, 64)
	seconds, wrong := strconv.ParseUint(h.Get(headerGrace), 10, 32)
	if err != nil || wrong != nil {
		return 0, 0, errNoHub
	}
	return received, min(time.Duration(seconds)*time.Second, 24*time.Hour), nil
}

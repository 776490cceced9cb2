package relay

// Control is what people, other nodes and Host pages on the web need of a hub, by the server
// around it. It is for package server and may change with each version; Hub is for other
// programs.
type Control struct{ *Hub }

// Control is the part of the hub that is for the server around it.
func (h *Hub) Control() Control { return Control{h} }

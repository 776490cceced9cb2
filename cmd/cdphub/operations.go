package main

// operationFlags are the options of a hub that runs unattended.
type operationFlags struct {
	AdminAddr string `help:"Listen for operators here: /metrics, /livez, /readyz, /hubs, /log-level, /debug/pprof. Only on loopback without an admin token." placeholder:"ADDR" env:"CDPHUB_ADMIN_ADDR"`
	tlsFlags
}

// equip adds to a server what its options ask for.
func (f operationFlags) equip(s *server, l logs) error {
	secure, err := f.secure(s)
	if err != nil {
		return err
	}
	for i, ln := range s.listeners {
		s.listeners[i].Listener = secure(ln.Listener)
	}
	if f.AdminAddr == "" && !isInherited("admin") {
		return nil
	}
	return s.listenAdmin(f.AdminAddr, secure, l)
}

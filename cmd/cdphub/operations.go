package main

// operationFlags are the options of a hub that runs unattended.
type operationFlags struct {
	AdminAddr string `help:"Listen for operators here: /metrics, /livez, /readyz, /hubs, /log-level, /debug/pprof. Only on loopback without an admin token." placeholder:"ADDR" env:"CDPHUB_ADMIN_ADDR"`
}

// equip adds to a server what its options ask for.
func (f operationFlags) equip(s *server, l logs) error {
	if f.AdminAddr == "" {
		return nil
	}
	return s.listenAdmin(f.AdminAddr, l)
}

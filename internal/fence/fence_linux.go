package fence

import (
	"encoding/binary"
	"net/netip"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// Tells reports whether Sent knows who holds a connection on this system.
const Tells = true

// heldBy reports whether a process of one of the groups holds the socket at one end of a
// connection within this machine, and which. A socket that is gone, or that the kernel does
// not tell, counts as theirs: a page may close its connection as soon as it has sent a
// request, and who has gone needs no answer.
func heldBy(groups map[int]int, at, to netip.AddrPort) (group, holder int, held bool) {
	inode := inodeOf(at, to)
	if inode == 0 {
		return 0, 0, true
	}
	want := "socket:[" + strconv.FormatUint(uint64(inode), 10) + "]"
	// One process of a Chromium has all its connections. A page that asks again and again
	// costs little.
	for group, process := range groups {
		if process != 0 && groupOf(process) == group && holdsFile(process, want) {
			return group, process, true
		}
	}
	all, err := os.ReadDir("/proc")
	if err != nil {
		return 0, 0, true
	}
	for _, entry := range all {
		process, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		group := groupOf(process)
		if _, theirs := groups[group]; theirs && holdsFile(process, want) {
			return group, process, true
		}
	}
	return 0, 0, inodeOf(at, to) != inode // it was closed meanwhile
}

// groupOf is the process group of a process; 0 for one that has ended.
func groupOf(process int) int {
	group, err := unix.Getpgid(process)
	if err != nil {
		return 0
	}
	return group
}

// holdsFile reports whether a process has an open file of that name (proc_pid_fd(5)).
func holdsFile(process int, file string) bool {
	folder := "/proc/" + strconv.Itoa(process) + "/fd/"
	open, err := os.ReadDir(folder)
	if err != nil {
		return false // it has ended, or is a renderer, which opens no sockets
	}
	for _, fd := range open {
		if name, err := os.Readlink(folder + fd.Name()); err == nil && name == file {
			return true
		}
	}
	return false
}

// inodeOf asks the kernel for the inode of the TCP socket at one end of a connection
// (sock_diag(7)), by the exact addresses: the cost does not depend on how many sockets there
// are. It is 0 for one that is closed, and where the kernel does not answer.
func inodeOf(at, to netip.AddrPort) uint32 {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return 0
	}
	defer unix.Close(fd)                                                                                         //nolint:errcheck // it was only read
	if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Sec: 1}); err != nil { // it answers at once
		return 0
	}
	if err := unix.Sendto(fd, diagRequest(at, to), 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return 0
	}
	answer := make([]byte, 4<<10)
	n, _, err := unix.Recvfrom(fd, answer, 0)
	if err != nil {
		return 0
	}
	// struct nlmsghdr of 16 bytes, whose type is at 4; struct inet_diag_msg of 72, whose
	// last field is the inode.
	const header, message = 16, 72
	if n < header+message || binary.NativeEndian.Uint16(answer[4:]) != sockDiagByFamily {
		return 0
	}
	return binary.NativeEndian.Uint32(answer[header+message-4:])
}

// sockDiagByFamily is SOCK_DIAG_BY_FAMILY (linux/sock_diag.h).
const sockDiagByFamily = 20

// diagRequest is a struct nlmsghdr with a struct inet_diag_req_v2 (linux/inet_diag.h).
// Ports and addresses in it are in network order.
func diagRequest(at, to netip.AddrPort) []byte {
	const size = 16 + 8 + 48
	b := make([]byte, size)
	binary.NativeEndian.PutUint32(b, size)
	binary.NativeEndian.PutUint16(b[4:], sockDiagByFamily)
	binary.NativeEndian.PutUint16(b[6:], unix.NLM_F_REQUEST)
	from, dest := at.Addr().Unmap(), to.Addr().Unmap()
	b[16], b[17] = unix.AF_INET6, unix.IPPROTO_TCP
	if from.Is4() {
		b[16] = unix.AF_INET
	}
	binary.NativeEndian.PutUint32(b[20:], ^uint32(0)) // in every state
	binary.BigEndian.PutUint16(b[24:], at.Port())
	binary.BigEndian.PutUint16(b[26:], to.Port())
	copy(b[28:44], from.AsSlice())
	copy(b[44:60], dest.AsSlice())
	for i := 64; i < 72; i++ {
		b[i] = 0xff // INET_DIAG_NOCOOKIE
	}
	return b
}

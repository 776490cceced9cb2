package chrome

import "github.com/cdphub/cdphub/internal/held"

// Held counts what the Host holds, by names. Once all Clients have left and their targets have
// gone, all of it is zero again, also while the browser goes on.
func (h *Host) Held() map[string]int { return held.Of(h) }

// Package siege has one tenant of a hub attack while another one works. Each row of its
// table is an attack: by commands, by a page without any token, by a Host, or at the
// doors that speak no CDP. The victim must keep at least half of the speed that the same
// work has at a hub that is not attacked, in the same seconds, and lose no command.
//
// A fast choice of the rows runs by default. With CDPHUB_LONG=1 every row runs, in each
// set-up that it is meant for.
package siege

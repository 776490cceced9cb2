// Package npm installs the npm packages from their tarballs, as others do from a
// registry, and uses what they hold: the program by npx, the agent and the Host
// modules in Node, in TypeScript and in a bundle that a browser runs.
package npm

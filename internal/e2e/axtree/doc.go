// Package axtree compares the Frame Agent's accessibility tree with Chromium's
// own, node by node, over the pages of testdata/axtree.
//
// Both trees are taken from the same document in a headless Chromium: one by
// Accessibility.getFullAXTree over its debugging port, the other by the agent's
// handler of that command, evaluated in the page. What is compared is what a
// client sees: ignored nodes are left out and their children lifted, and so are
// InlineTextBoxes, which tell of lines and not of content. A node counts as equal
// when its role, name, description, value and properties are those of Chromium's
// node, and the roles of all its ancestors too; relations to other nodes are not
// compared.
//
//	go test ./axtree -count=1 -v               the share of equal nodes per page
//	go test ./axtree -count=1 -v -diff         and what differs, as -Chromium +agent
//	go test ./axtree -count=1 -v -page tables  one page alone
//
// The agent's sources and the pages lie outside this module, where go test does not
// see them change: hence -count=1.
package axtree

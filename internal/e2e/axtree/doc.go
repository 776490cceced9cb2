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
//	go test ./axtree -v                 the share of equal nodes per page
//	go test ./axtree -v -diff           and what differs, as -Chromium +agent
//	go test ./axtree -v -page tables    one page alone
package axtree

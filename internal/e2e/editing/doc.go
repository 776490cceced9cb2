// Package editing makes gestures in each kind of editable, in an iframe by the Frame Agent and
// in a tab of Chromium by its own Input domain, and compares the logs of all events.
//
//	go test ./editing -count=1 -v                      the number of equal logs per kind
//	go test ./editing -count=1 -args -diff             and what differs, as -Chromium +agent
//	go test ./editing -count=1 -v -args -log           and what Chromium's are
//	go test ./editing -count=1 -args -kind 'input$' -gesture cut
//
// Both see the same document at the same size. page.js logs every event with the properties
// that pages read, and after each gesture what is in the editable and where the selection is.
// isTrusted alone is not compared. Differences that script cannot mend stand in
// differences_test.go with their reasons; one that is gone fails the test, too.
package editing

// Package optionname names the options of libraries in texts. A text has the field of an
// Options type in braces, such as {server.Options.HostOrigins}. A program that sets the
// field has read it there; a command line calls it by its flag, see Use.
package optionname

import (
	"fmt"
	"regexp"
)

// names are what the program calls fields, see Use.
var names map[string]string

// Use has the texts of this process call fields by other names: of each field, such as
// server.Options.HostOrigins, its flag. It is for a command line, before it does anything else.
func Use(flags map[string]string) { names = flags }

// Of is the name of a field: the one of Use, or the field itself.
func Of(field string) string {
	if name, ok := names[field]; ok {
		return name
	}
	return field
}

var inBraces = regexp.MustCompile(`\{[a-z]+\.[A-Z][A-Za-z.]*\}`)

// Text is a text with the names of the fields in its braces.
func Text(text string) string {
	return inBraces.ReplaceAllStringFunc(text, func(field string) string { return Of(field[1 : len(field)-1]) })
}

// Errorf is fmt.Errorf for a format whose braces name fields.
func Errorf(format string, args ...any) error {
	return fmt.Errorf(Text(format), args...)
}

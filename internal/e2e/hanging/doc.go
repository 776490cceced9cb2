// Package hanging has documents that do not answer, and what Clients then meet.
package hanging

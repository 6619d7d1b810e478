// Package arch holds the tests of the repository's structure: who imports
// whom, how long files and functions are, what no file may contain. It holds
// no code that runs anywhere else.
package arch

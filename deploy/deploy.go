// Package deploy holds what a container needs beside the binary, and the tests
// of Dockerfile and docker-compose.yaml. It starts no container.
package deploy

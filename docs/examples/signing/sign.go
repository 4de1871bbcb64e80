// sign METHOD URL KEY [TIMESTAMP NONCE]: signs a request for the Gold Trading Partner API.
//
// Reads the body from stdin, and prints the three headers to send. URL is the base URL, as the operator
// spells it, with the path and the query. KEY is a PKCS#8 file: openssl pkcs8 -topk8 -nocrypt -in signing.key
//
// It needs Go 1.20 or newer, and only the standard library.
package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var visibleASCII = regexp.MustCompile(`\A[!-~]+\z`)

// canonicalRequest returns the five lines to sign. A line feed in a part would shift the next lines.
func canonicalRequest(method, url string, body []byte, timestamp, nonce string) ([]byte, error) {
	hash := sha256.Sum256(body)
	parts := []string{method, url, hex.EncodeToString(hash[:]), timestamp, nonce}
	for _, part := range parts {
		if !visibleASCII.MatchString(part) {
			return nil, fmt.Errorf("%q must be visible ASCII and must not be empty", part)
		}
	}
	return []byte(strings.Join(parts, "\n")), nil
}

// detachedJWS returns X-JWS-Signature: ES256 over the header, a full stop and the payload, which is not
// encoded.
func detachedJWS(key *ecdsa.PrivateKey, payload []byte) (string, error) {
	header := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"ES256","b64":false,"crit":["b64"]}`))
	hash := sha256.Sum256(append([]byte(header+"."), payload...))
	r, s, err := ecdsa.Sign(rand.Reader, key, hash[:])
	if err != nil {
		return "", err
	}
	signature := make([]byte, 64) // 32 bytes each, not DER
	r.FillBytes(signature[:32])
	s.FillBytes(signature[32:])
	return header + ".." + base64.RawURLEncoding.EncodeToString(signature), nil
}

func readKey(path string) (*ecdsa.PrivateKey, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	if block == nil || block.Type != "PRIVATE KEY" {
		return nil, errors.New("the key must be PKCS#8; convert it: openssl pkcs8 -topk8 -nocrypt -in signing.key")
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, err
	}
	key, isEC := parsed.(*ecdsa.PrivateKey)
	if !isEC || key.Curve != elliptic.P256() {
		return nil, errors.New("the key must be an EC key on the curve P-256")
	}
	return key, nil
}

func run(args []string) error {
	if len(args) != 3 && len(args) != 5 {
		return errors.New("usage: sign METHOD URL KEY [TIMESTAMP NONCE] < BODY")
	}
	key, err := readKey(args[2])
	if err != nil {
		return err
	}
	body, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	random := make([]byte, 16)
	if _, err := rand.Read(random); err != nil {
		return err
	}
	timestamp, nonce := strconv.FormatInt(time.Now().Unix(), 10), hex.EncodeToString(random)
	if len(args) == 5 { // for tests
		timestamp, nonce = args[3], args[4]
	}
	payload, err := canonicalRequest(args[0], args[1], body, timestamp, nonce)
	if err != nil {
		return err
	}
	jws, err := detachedJWS(key, payload)
	if err != nil {
		return err
	}
	fmt.Printf("X-Timestamp: %s\nX-Nonce: %s\nX-JWS-Signature: %s\n", timestamp, nonce, jws)
	return nil
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

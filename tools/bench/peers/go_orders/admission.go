package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/big"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgtype"
)

const (
	target        = "/v1/orders"
	bodyMaxBytes  = 65_536
	windowSeconds = 300
)

var (
	mediaType = regexp.MustCompile(`(?i)^application/json *(?:; *charset=(?:utf-8|"utf-8"))?$`)
	keyForm   = regexp.MustCompile(`^[!-~]{1,255}$`)
	timeForm  = regexp.MustCompile(`^[1-9][0-9]{9}$`)
	nonceForm = regexp.MustCompile(`^[!-+\--~]{16,128}$`)
	quoteForm = regexp.MustCompile(`^qt_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
)

// gate admits requests.
type gate struct {
	registry *registry
	tokens   sync.Map // claims by the text of a token that was admitted
	headers  sync.Map // kid by the text of a protected header that was valid
}

// check is one step of admission. A request that fails gets the status and the code.
type check struct {
	fails  bool
	status int
	code   string
}

func refusalOf(checks ...check) *outcome {
	for _, one := range checks {
		if one.fails {
			return refuse(one.status, one.code)
		}
	}
	return nil
}

// admit checks, in order: certificate, address, token, rate, size and type of the body, forms of the headers,
// timestamp, signature, body.
func (g *gate) admit(replied http.Header, r *http.Request) (*order, *outcome) {
	now := time.Now().Add(g.registry.ahead)
	// A header that is sent twice gets the form of neither value.
	header := func(name string) string { return strings.Join(r.Header.Values(name), ", ") }
	hash, isHash := strings.CutPrefix(header("X-Forwarded-Client-Cert"), "Hash=")
	held, isKnown := g.registry.certificates[hash]
	if refusal := refusalOf(
		check{r.Method != "POST" || r.RequestURI != target, 404, "not_found"},
		check{!isHash || !isKnown, 403, "certificate_unknown"},
		check{held.Revoked, 403, "certificate_revoked"},
		check{now.Before(held.NotBefore) || !now.Before(held.NotAfter), 403, "certificate_expired"},
		check{!held.partner.allows(header("X-Client-Ip")), 403, "ip_not_allowed"},
	); refusal != nil {
		return nil, refusal
	}
	if refusal := g.checkToken(held, header("Authorization"), now); refusal != nil {
		return nil, refusal
	}
	sender := held.partner
	remaining, allowed := sender.bucket.take(sender.PerSecond, sender.Burst, now)
	replied["RateLimit-Policy"] = []string{fmt.Sprintf(`"default";q=%.f;w=%.f`, sender.Burst, math.Ceil(sender.Burst/sender.PerSecond))}
	replied["RateLimit"] = []string{fmt.Sprintf(`"default";r=%d;t=%.f`, remaining, math.Ceil(1/sender.PerSecond))}
	if !allowed {
		return nil, refuse(429, "rate_limited")
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, bodyMaxBytes+1))
	key, timestamp, nonce, jws := header("Idempotency-Key"), header("X-Timestamp"), header("X-Nonce"), header("X-Jws-Signature")
	seconds, _ := strconv.ParseFloat(timestamp, 64)
	if refusal := refusalOf(
		check{err != nil, 408, "request_timeout"},
		check{len(body) > bodyMaxBytes, 413, "body_too_large"},
		check{!mediaType.MatchString(header("Content-Type")), 415, "unsupported_media_type"},
		check{header("Content-Encoding") != "", 415, "unsupported_media_type"},
		check{key == "", 400, "idempotency_key_missing"},
		check{!keyForm.MatchString(key), 400, "idempotency_key_invalid"},
		check{timestamp == "" || nonce == "" || jws == "", 401, "signature_missing"},
		check{!timeForm.MatchString(timestamp), 400, "timestamp_invalid"},
		check{!nonceForm.MatchString(nonce), 400, "nonce_invalid"},
		check{math.Abs(seconds-float64(now.UnixMilli())/1000) > windowSeconds, 401, "timestamp_out_of_window"},
	); refusal != nil {
		return nil, refusal
	}
	digest := sha256.Sum256(body)
	signed := strings.Join([]string{r.Method, g.registry.Origin + target, hex.EncodeToString(digest[:]), timestamp, nonce}, "\n")
	thumbprint := g.verify(jws, signed, sender, now)
	if thumbprint == "" {
		return nil, refuse(401, "signature_invalid")
	}
	admitted := &order{client: sender.ID, admission: sender.Admission, key: key, done: make(chan outcome, 1)}
	if !admitted.readBody(body) {
		return nil, refuse(400, "invalid_request")
	}
	nonceHash := sha256.Sum256([]byte(nonce))
	admitted.nonce = pgtype.UUID{Bytes: [16]byte(nonceHash[:16]), Valid: true}
	admitted.signed = []byte(strings.Join([]string{r.Method, target, timestamp, nonce, jws, string(body)}, "\n"))
	admitted.thumbprint, _ = base64url.DecodeString(thumbprint)
	return admitted, nil
}

// readBody sets the quote and the fingerprint.
func (o *order) readBody(body []byte) bool {
	var asked struct {
		Quote *string `json:"quote_id"`
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	if decoder.Decode(&asked) != nil || decoder.More() || !utf8.Valid(body) || asked.Quote == nil {
		return false
	}
	if quoteForm.MatchString(*asked.Quote) { // a malformed quote_id is an unknown quote
		_ = o.quote.Scan((*asked.Quote)[len("qt_"):])
	}
	params := must(json.Marshal(asked))
	fingerprint := sha256.Sum256(fmt.Appendf(nil, `{"method":"POST","params":%s,"path":"%s"}`, params, target))
	o.fingerprint = fingerprint[:]
	return true
}

type claims struct {
	Iss, Aud  string
	Sub       string
	Exp       int64
	Confirmed struct {
		Certificate string `json:"x5t#S256"`
	} `json:"cnf"`
}

// checkToken verifies the signature of a token once, and its claims for every request.
func (g *gate) checkToken(held certificate, authorization string, now time.Time) *outcome {
	scheme, token, _ := strings.Cut(authorization, " ")
	found, isKnown := g.tokens.Load(token)
	if !isKnown {
		found = g.readToken(token, now)
	}
	its := found.(claims)
	hash, _ := hex.DecodeString(held.Fingerprint)
	refusal := refusalOf(
		check{authorization == "", 401, "token_missing"},
		check{!strings.EqualFold(scheme, "bearer"), 401, "token_invalid"},
		check{its.Iss != g.registry.Origin || its.Aud != its.Iss, 401, "token_invalid"},
		check{now.Unix() >= its.Exp, 401, "token_expired"},
		check{its.Confirmed.Certificate != base64url.EncodeToString(hash), 401, "token_certificate_mismatch"},
		check{its.Sub != held.partner.PublicID, 401, "token_certificate_mismatch"},
		check{held.partner.Suspended, 403, "partner_suspended"},
	)
	if refusal == nil && !isKnown {
		g.tokens.Store(token, its)
	}
	return refusal
}

// readToken returns no claims unless a key of the service signed the token.
func (g *gate) readToken(token string, now time.Time) (its claims) {
	protected, rest, _ := strings.Cut(token, ".")
	payload, signature, _ := strings.Cut(rest, ".")
	var header struct{ Alg, Typ, Kid string }
	if !decode(protected, &header, true) || header.Alg != "ES256" || header.Typ != "at+jwt" {
		return its
	}
	for _, one := range g.registry.TokenKeys {
		isKey := one.Kid == header.Kid && one.isActive(now)
		if isKey && signs(one.PublicJWK, protected+"."+payload, signature) && decode(payload, &its, false) {
			return its
		}
	}
	return claims{}
}

// verify checks a detached JWS with b64=false, and returns the thumbprint of the key that signed.
func (g *gate) verify(jws, signed string, signer *partner, now time.Time) (thumbprint string) {
	protected, signature, _ := strings.Cut(jws, "..")
	kid, isKnown := g.headers.Load(protected)
	if !isKnown {
		header := struct {
			Alg, Kid string
			B64      bool
			Crit     []string
		}{B64: true}
		if !decode(protected, &header, true) || header.Alg != "ES256" || header.B64 || !slices.Equal(header.Crit, []string{"b64"}) {
			return ""
		}
		kid = header.Kid
		g.headers.Store(protected, kid)
	}
	for _, one := range signer.SigningKeys {
		isNamed := kid == "" || kid == one.Kid || kid == one.Thumbprint
		if isNamed && one.isActive(now) && signs(one.JWK, protected+"."+signed, signature) {
			return one.Thumbprint
		}
	}
	return ""
}

func decode(text string, value any, isStrict bool) bool {
	raw, err := base64url.DecodeString(text)
	decoder := json.NewDecoder(bytes.NewReader(raw))
	if isStrict {
		decoder.DisallowUnknownFields()
	}
	return err == nil && decoder.Decode(value) == nil && !decoder.More()
}

func signs(key publicKey, text, signature string) bool {
	raw, err := base64url.DecodeString(signature)
	digest := sha256.Sum256([]byte(text))
	return err == nil && len(raw) == 64 &&
		ecdsa.Verify(key.PublicKey, digest[:], new(big.Int).SetBytes(raw[:32]), new(big.Int).SetBytes(raw[32:]))
}

// newRequestID makes a UUIDv7.
func newRequestID() (id pgtype.UUID) {
	id.Valid = true
	binary.BigEndian.PutUint64(id.Bytes[:8], uint64(time.Now().UnixMilli())<<16)
	_, _ = rand.Read(id.Bytes[6:])
	id.Bytes[6] = id.Bytes[6]&0x0f | 0x70
	id.Bytes[8] = id.Bytes[8]&0x3f | 0x80
	return id
}

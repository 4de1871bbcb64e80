package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"encoding/base64"
	"encoding/json"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// registry is what gold.read_registry returns.
type registry struct {
	ahead        time.Duration // of the database's clock, before ours
	Origin       string        `json:"public_base_url"`
	TokenKeys    []key         `json:"token_keys"`
	Partners     []*partner
	certificates map[string]certificate
}

type partner struct {
	ID           int32
	PublicID     string `json:"public_id"`
	Suspended    bool
	Admission    int64   `json:"admission_version,string"`
	PerSecond    float64 `json:"rate_per_second"`
	Burst        float64
	Ranges       []netip.Prefix `json:"ips"`
	Certificates []certificate
	SigningKeys  []key `json:"signing_keys"`
	bucket       bucket
}

// allows gives false for no partner, whose unknown certificate is refused before.
func (p *partner) allows(address string) bool {
	client, err := netip.ParseAddr(address)
	return err == nil && p != nil &&
		slices.ContainsFunc(p.Ranges, func(one netip.Prefix) bool { return one.Contains(client.Unmap()) })
}

type certificate struct {
	Fingerprint string
	NotBefore   time.Time `json:"not_before"`
	NotAfter    time.Time `json:"not_after"`
	Revoked     bool
	partner     *partner
}

// key is a partner's signing key, or a key of the service that signs tokens.
type key struct {
	Kid, Thumbprint string
	JWK             publicKey
	PublicJWK       publicKey  `json:"public_jwk"`
	NotBefore       time.Time  `json:"not_before"`
	RetireAt        *time.Time `json:"retire_at"`
}

func (k key) isActive(now time.Time) bool {
	return !now.Before(k.NotBefore) && (k.RetireAt == nil || now.Before(*k.RetireAt))
}

type publicKey struct{ *ecdsa.PublicKey }

func (k *publicKey) UnmarshalJSON(text []byte) error {
	var jwk struct{ X, Y string }
	err := json.Unmarshal(text, &jwk)
	x, _ := base64url.DecodeString(jwk.X)
	y, _ := base64url.DecodeString(jwk.Y)
	if err == nil {
		k.PublicKey, err = ecdsa.ParseUncompressedPublicKey(elliptic.P256(), slices.Concat([]byte{4}, x, y))
	}
	return err
}

var base64url = base64.RawURLEncoding.Strict()

func readRegistry(pool *pgxpool.Pool) (*registry, error) {
	var at time.Time
	known := &registry{}
	err := pool.QueryRow(context.Background(), "select at, document from gold.read_registry(null)").Scan(&at, known)
	known.ahead = time.Until(at)
	known.certificates = map[string]certificate{}
	for _, partner := range known.Partners {
		for _, one := range partner.Certificates {
			one.partner = partner
			known.certificates[one.Fingerprint] = one
		}
	}
	return known, err
}

// bucket is a leaky bucket. Each request adds one to its debt.
type bucket struct {
	sync.Mutex
	debt float64
	at   time.Time
}

// take counts one request, and returns how many more would be allowed now.
func (b *bucket) take(perSecond, burst float64, now time.Time) (remaining int, allowed bool) {
	b.Lock()
	defer b.Unlock()
	b.debt = max(0, b.debt-now.Sub(b.at).Seconds()*perSecond)
	b.at = now
	if allowed = b.debt+1 <= burst; allowed {
		b.debt++
	}
	return int(burst - b.debt), allowed
}

import { Buffer } from "node:buffer";
import {
  importSigningKey,
  JwsError,
  keySigner,
  signCompact,
  type Signer,
  verifyCompact,
} from "@gold-partner/jws";
import { hostBytes, TOKEN_TTL_SECONDS } from "@gold-partner/protocol";
import type { Log } from "../../operations/log.ts";
import { Refusal } from "../../http/refusal.ts";
import type { Sealing } from "../../settings/sealing.ts";
import type { ClientCertificate } from "../identity/client_certificate.ts";
import type { Registry } from "../registry/registry.ts";
import { isActive, type TokenKeyRecord } from "../registry/snapshot.ts";

/** There are no scopes: a token admits its partner to every operation. */
interface TokenClaims {
  readonly iss: string;
  readonly aud: string;
  readonly sub: string;
  readonly client_id: string;
  readonly iat: number;
  readonly exp: number;
  readonly jti: string;
  readonly cnf: { readonly "x5t#S256": string };
}

interface IssuedToken {
  readonly token: string;
  /** The key that signed the token. */
  readonly kid: string;
}

/** Issues and verifies the service's certificate-bound access tokens (RFC 9068, RFC 8705). */
export interface TokenAuthority {
  /**
   * Throws if the service could issue no token, because its sealing keys decrypt none of the active token
   * keys.
   */
  check(nowMs: number): Promise<void>;
  issue(certificate: ClientCertificate, nowMs: number, tokenId: string): Promise<IssuedToken>;
  /**
   * Returns the claims of a token that this service issued. The caller must check that they fit the
   * certificate.
   */
  verify(token: string, nowMs: number): Promise<TokenClaims>;
}

const TYPE = "at+jwt";
/**
 * Two tokens for each of ten thousand partners, at about 1 KB a token. A smaller cache would evict each token
 * before its next use if all partners call one after another.
 */
const CACHED_TOKENS = 20_000;
const LOCKED_KEY_PAUSE_MS = 1000;

interface TokenSigner extends Signer {
  readonly kid: string;
}

export function createTokenAuthority(
  registry: Registry,
  sealing: Sealing,
  issuer: string,
  log: Log,
): TokenAuthority {
  const verified = new Map<string, VerifiedToken>();
  const signers = new Map<string, Promise<TokenSigner | undefined>>();

  const open = async (record: TokenKeyRecord): Promise<TokenSigner | undefined> => {
    const { kid, sealed, sealingKey } = record;
    try {
      const signer = {
        ...keySigner(await importSigningKey(await sealing.open(sealed, sealingKey)), kid),
        kid,
      };
      // Sign and verify once, because a private key that does not match the public key would sign tokens that
      // nobody can verify.
      await verifyClaims(await signCompact(hostBytes.utf8("{}"), { typ: TYPE }, signer, hostBytes), [record]);
      return signer;
    } catch {
      log("error", "token key not opened", {
        setting: "SEALING_KEY_SOURCE",
        token_key: kid,
        sealing_key: sealingKey,
      });
      // Forget the signer after this pause. The key may be usable later, when SEALING_KEY_SOURCE contains its
      // sealing key. With the pause, the service tries the key and logs the failure at most once a second,
      // not for every token.
      setTimeout(() => signers.delete(kid), LOCKED_KEY_PAUSE_MS).unref();
      return undefined;
    }
  };
  const signerOf = (record: TokenKeyRecord) => {
    const signer = signers.get(record.kid) ?? open(record);
    signers.set(record.kid, signer);
    return signer;
  };
  const activeKeys = (nowMs: number) => registry.snapshot().tokenKeys.filter((key) => isActive(key, nowMs));
  /**
   * The newest active key signs; older keys verify until they retire. If open() fails for the newest key, the
   * newest key for which it succeeds signs instead.
   */
  const findSigner = async (nowMs: number): Promise<TokenSigner | undefined> => {
    for (const record of activeKeys(nowMs).toReversed()) {
      const signer = await signerOf(record);
      if (signer) return signer;
    }
    return undefined;
  };

  return {
    async check(nowMs) {
      if (await findSigner(nowMs)) return;
      const youngest = activeKeys(nowMs).at(-1);
      if (!youngest) return;
      throw new Error(
        `no configured sealing key can decrypt the token key ${youngest.kid} of this database.`,
      );
    },
    async issue(certificate, nowMs, tokenId) {
      const signer = await findSigner(nowMs);
      if (!signer) {
        throw new Refusal("service_unavailable", "The service has no token key that it can sign with.");
      }
      const iat = Math.floor(nowMs / 1000);
      const claims: TokenClaims = {
        iss: issuer,
        aud: issuer,
        sub: certificate.partner.publicId,
        client_id: certificate.partner.publicId,
        iat,
        exp: iat + TOKEN_TTL_SECONDS,
        jti: tokenId,
        cnf: { "x5t#S256": thumbprintOf(certificate.fingerprint) },
      };
      const token = await signCompact(
        hostBytes.utf8(JSON.stringify(claims)),
        { typ: TYPE },
        signer,
        hostBytes,
      );
      return { token, kid: signer.kid };
    },
    async verify(token, nowMs) {
      const keys = activeKeys(nowMs);
      const cached = verified.get(token);
      // Do not accept a cached token whose key has retired.
      const known = cached && keys.some(({ kid }) => kid === cached.kid) ? cached : undefined;
      const { claims, kid } = known ?? await verifyClaims(token, keys);
      if (claims.iss !== issuer || claims.aud !== issuer) {
        throw new Refusal("token_invalid", "The token was issued for another environment.");
      }
      if (nowMs >= claims.exp * 1000) {
        verified.delete(token);
        throw new Refusal("token_expired");
      }
      if (!known) {
        // Entries are in the order of their first use. Evict from the front: expired tokens, and also a valid
        // token if the cache is full. An expired token behind a valid one stays longer, but verify() checks
        // the expiry at every use.
        for (const [oldest, { claims: { exp } }] of verified) {
          if (verified.size < CACHED_TOKENS && nowMs < exp * 1000) break;
          verified.delete(oldest);
        }
        verified.set(token, { claims, kid });
      }
      return claims;
    },
  };
}

interface VerifiedToken {
  readonly claims: TokenClaims;
  /** The key that signed the token. */
  readonly kid: string;
}

async function verifyClaims(token: string, records: readonly TokenKeyRecord[]): Promise<VerifiedToken> {
  const keys = new Map(records.map(({ kid, key }) => [kid, key]));
  try {
    const chosen = (kid: string | undefined) => {
      const key = keys.get(kid ?? "");
      return key ? [key] : [];
    };
    const { header, payload } = await verifyCompact(token, chosen, { typ: TYPE });
    return { claims: JSON.parse(new TextDecoder().decode(payload)) as TokenClaims, kid: header.kid! };
  } catch (error) {
    if (error instanceof JwsError) throw new Refusal("token_invalid");
    throw error;
  }
}

/** The certificate's hash as RFC 8705 writes it: base64url of the bytes that the proxy forwards in hex. */
export function thumbprintOf(fingerprint: string): string {
  return Buffer.from(fingerprint, "hex").toString("base64url");
}

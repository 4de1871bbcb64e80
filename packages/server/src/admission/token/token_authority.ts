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
import { Refusal } from "../../refusal.ts";
import type { Sealing } from "../../sealing.ts";
import type { ClientCertificate } from "../identity/client_certificate.ts";
import type { Registry } from "../registry/registry.ts";
import { isActive, type TokenKeyRecord } from "../registry/snapshot.ts";

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
  /** The key that signed it. */
  readonly kid: string;
}

/** Issues and verifies the service's certificate-bound access tokens (RFC 9068, RFC 8705). */
export interface TokenAuthority {
  /** Throws where the service could issue no token, because its sealing keys open none of the active token keys. */
  check(nowMs: number): Promise<void>;
  issue(certificate: ClientCertificate, nowMs: number, tokenId: string): Promise<IssuedToken>;
  /** The claims of a token of ours; whether it fits the caller is not judged here. */
  verify(token: string, nowMs: number): Promise<TokenClaims>;
}

const TYPE = "at+jwt";
/** Two each of ten thousand partners, at a kilobyte a token: where they come in turn, a smaller cache would help nobody. */
const CACHED_TOKENS = 20_000;
const SHUT_PAUSE_MS = 1000;

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
      // A private key that does not belong to the public one would sign tokens that nobody can verify.
      await verifyClaims(await signCompact(hostBytes.utf8("{}"), { typ: TYPE }, signer, hostBytes), [record]);
      return signer;
    } catch {
      log("error", "token key not opened", {
        setting: "SEALING_KEY_SOURCE",
        token_key: kid,
        sealing_key: sealingKey,
      });
      // It may open later, when the source has its sealing key; until then it is told of once a second, not once a token.
      setTimeout(() => signers.delete(kid), SHUT_PAUSE_MS).unref();
      return undefined;
    }
  };
  const signerOf = (record: TokenKeyRecord) => {
    const signer = signers.get(record.kid) ?? open(record);
    signers.set(record.kid, signer);
    return signer;
  };
  const activeKeys = (nowMs: number) => registry.snapshot().tokenKeys.filter((key) => isActive(key, nowMs));
  /** The youngest one signs, and the older ones still verify until they retire; where it does not open, an older one serves on. */
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
      throw new Error(`the keys that it gives do not open the token key ${youngest.kid} of this database.`);
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
      // A key that has retired must not live on in what it verified earlier.
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
        // The oldest come first and all live equally long, so none that has expired stays behind one that has not.
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
  /** The key that signed it. */
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

/** The certificate's hash as RFC 8705 writes it: the same bytes that the proxy forwards in hex, in base64url. */
export function thumbprintOf(fingerprint: string): string {
  return Buffer.from(fingerprint, "hex").toString("base64url");
}

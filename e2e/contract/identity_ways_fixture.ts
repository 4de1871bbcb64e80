import { Buffer } from "node:buffer";
import { importSigningKey, keySigner, signCompact } from "@gold-partner/jws";
import { TOKEN_TTL_SECONDS, type TokenProblemCode } from "@gold-partner/protocol";
import { createSealing, readKeys } from "@gold-partner/server";
import type { Call, Caller } from "./caller_fixture.ts";
import { issueCertificate, presentUnregistered } from "./certificates_fixture.ts";
import { forbidAddress, suspend } from "./disturbances_fixture.ts";
import type { Stack } from "./stack_fixture.ts";
import { spoilt, type Way, WITHDRAWAL, withdrawal } from "./way_fixture.ts";

/**
 * A way in which a withdrawal is refused because of its certificate: issues another certificate to the
 * partner and then spoils it.
 */
function underCertificate(spoil: (stack: Stack, fingerprint: string) => Promise<unknown>): Way {
  return withdrawal(async ({ stack, partner }) => {
    const certificate = await issueCertificate(stack, partner);
    // Connect before the certificate is spoiled, because TLS may refuse a new connection.
    const from = partner.presenting(certificate).staying();
    await from.renewToken();
    await spoil(stack, certificate.fingerprint);
    await from.until(({ status }) => status === 403);
    return { caller: partner, call: WITHDRAWAL, from };
  });
}

/** A call of the token endpoint that is wrong in one place. */
function atTokenEndpoint(spoil: (form: string) => Call): Way {
  return {
    operation: "issueToken",
    stage: async ({ partner }) => ({
      caller: partner,
      call: { body: partner.form },
      fault: spoil(partner.form),
    }),
  };
}

/** Returns the caller's token as if it had been issued `seconds` earlier, signed by the service's own key. */
async function ageToken({ sql, running }: Stack, { token }: Caller, seconds: number): Promise<string> {
  const [key] = await sql`select kid, sealed, sealing_key from gold.token_key`;
  const sealing = await createSealing(await readKeys(`file:${running.state.path("keys", "sealing_key")}`));
  const signer = keySigner(
    await importSigningKey(await sealing.open(key!.sealed, key!.sealing_key)),
    key!.kid,
  );
  const claims = JSON.parse(Buffer.from(token.split(".")[1]!, "base64url").toString());
  const aged = { ...claims, iat: claims.iat - seconds, exp: claims.exp - seconds };
  return await signCompact(JSON.stringify(aged), { typ: "at+jwt" }, signer);
}

/** Refusals because of the caller's identity. */
export const IDENTITY_WAYS = {
  token_missing: spoilt({ headers: { Authorization: null } }),
  token_invalid: spoilt({ token: "nonsense" }),
  token_expired: withdrawal(async ({ stack, partner }) => {
    const fault = { token: await ageToken(stack, partner, TOKEN_TTL_SECONDS) };
    return { caller: partner, call: WITHDRAWAL, fault };
  }),
  token_certificate_mismatch: withdrawal(async ({ partner, other }) => {
    return { caller: partner, call: WITHDRAWAL, fault: { token: other.token } };
  }),
  signature_missing: spoilt({ headers: { "X-JWS-Signature": null } }),
  signature_invalid: spoilt({ signedBody: '{"amount_sar":2}' }),
  timestamp_out_of_window: spoilt({ timestamp: `${Math.floor(Date.now() / 1000) - 400}` }),
  certificate_unknown: withdrawal(async ({ stack, partner }) => {
    return { caller: partner, call: WITHDRAWAL, from: await presentUnregistered(stack, partner) };
  }),
  certificate_revoked: underCertificate(({ operator }, fingerprint) => operator("cert revoke", fingerprint)),
  // Expires only in the registry, because TLS would refuse a certificate that has really expired.
  certificate_expired: underCertificate(async (stack, fingerprint) => {
    await stack
      .sql`update gold.certificate set not_after = clock_timestamp() - interval '1 second' where fingerprint = ${fingerprint}`;
    await stack.adopt();
  }),
  ip_not_allowed: withdrawal(async ({ stack, other }) => {
    return { caller: other, call: WITHDRAWAL, mend: await forbidAddress(stack, other) };
  }),
  partner_suspended: withdrawal(async ({ stack, other }) => {
    return { caller: other, call: WITHDRAWAL, mend: await suspend(stack, other) };
  }),
  invalid_client: atTokenEndpoint((form) => ({ body: form.slice(0, -1) })),
  unsupported_grant_type: atTokenEndpoint((form) => ({
    body: form.replace("client_credentials", "password"),
  })),
} as const satisfies Partial<Record<TokenProblemCode, Way>>;

import { createPublicKey, randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import { exportPublicJwk, importVerifyingKey, jwkThumbprint } from "@gold-partner/jws";
import { assertEquals } from "@std/assert";
import type { WebhookEvent } from "./api_types.ts";
import { describedEvents } from "./delivery_fixture.ts";
import { findForeignCredential } from "./foreign_credential.ts";
import { GoldClient } from "./gold_client.ts";
import { SIGNING_KEY } from "./scripted_transport_fixture.ts";

const events = describedEvents() as unknown as WebhookEvent[];
type Changed = Extract<WebhookEvent, { data: { credential: { changed_by: unknown } } }>;
const added = events.find((event): event is Changed => event.type === "credential.added")!;
const { credential } = added.data;

/** The event about another credential. */
const about = (change: Partial<typeof credential>) => ({
  ...added,
  data: { ...added.data, credential: { ...credential, ...change } },
});

describe("findForeignCredential()", () => {
  it("returns a certificate or signing key that is not known", () => {
    for (const kind of ["certificate", "signing_key"] as const) {
      const id = randomBytes(32).toString("hex");
      assertEquals(findForeignCredential(about({ kind, id }), [credential.id]), {
        code: "foreign_credential",
        kind,
        id,
        changed_by: credential.changed_by,
        sequence: added.sequence,
      });
    }
  });
  it("returns nothing for a known thumbprint, a secret or an event of another type", () => {
    assertEquals(findForeignCredential(added, ["other", credential.id]), undefined);
    for (const kind of ["client_secret", "webhook_secret"] as const) {
      assertEquals(findForeignCredential(about({ kind, id: "1" }), []), undefined);
    }
    for (const event of events.filter((event) => event !== added)) {
      assertEquals(findForeignCredential(event, []), undefined, event.type);
    }
  });
  it("knows the client's own signing key, and the thumbprints that the options add", async () => {
    const transport = { send: () => Promise.reject(new Error("nobody")), close() {} };
    const client = await GoldClient.open({
      ...{ baseUrl: "https://localhost:8443", clientId: "sbx_1", clientSecret: "s", transport },
      signingKey: SIGNING_KEY,
      knownThumbprints: ["retired"],
    });
    const key = createPublicKey({ key: JSON.parse(SIGNING_KEY), format: "jwk" }).export({ format: "jwk" });
    const thumbprint = await jwkThumbprint(await exportPublicJwk(await importVerifyingKey(key as never)));
    assertEquals(client.knownThumbprints, [thumbprint, "retired"]);
  });
});

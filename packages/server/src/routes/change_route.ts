import { exportPublicJwk, importVerifyingKey, type Jwk, jwkThumbprint } from "@gold-partner/jws";
import { canonicalJson, type CanonicalValue } from "@gold-partner/canonical";
import {
  type ChangeContent,
  type ChangeKind,
  changeRequest,
  ID_PREFIX,
  uuidOfId,
} from "@gold-partner/protocol";
import { admitCaller } from "../admission/admit_caller.ts";
import { parseRange } from "../admission/identity/ip_range.ts";
import { refuseQuery } from "../admission/query/read_query.ts";
import type { Route } from "../http/context.ts";
import { checkEndpoint } from "../http/outbound/check_endpoint.ts";
import { Refusal } from "../http/refusal.ts";
import { jsonTextReply } from "../http/reply.ts";
import { newUuid } from "../operations/new_uuid.ts";
import { authenticateWrite } from "./authenticate_write.ts";
import { checkCertificateRequest } from "./certificate_request.ts";
import type { Deps } from "./deps.ts";
import { writeRoute } from "./write_pipeline.ts";

/** The shortest prefix of a range. A wider range admits too many other hosts; the operator adds it by hand. */
const SHORTEST_PREFIX = { ipv4: 16, ipv6: 32 } as const;

/** Stores a partner's request for a change of its registration, which waits for the operator. */
export function changeRoute(deps: Deps): Route {
  return writeRoute(deps, {
    admit: admitCaller,
    schema: changeRequest,
    authenticate: authenticateWrite,
    book: async ({ write, asked }) => {
      const wanted = canonicalJson(await readContent(asked, deps));
      const [kind] = Object.keys(asked) as [ChangeKind];
      const content = canonicalJson(JSON.parse(JSON.stringify(asked)));
      return await deps.booking.requestChange({ id: newUuid(deps), kind, content, wanted, ...write });
    },
  });
}

/**
 * Returns the members that the answering change must have, in the form in which `gold` proposes them. Refuses content
 * that `gold` would refuse, and ranges that are too wide to request. Whether another partner has the same key is left
 * to the operator, because the answer would tell one partner about another.
 */
async function readContent(asked: ChangeContent, { registry }: Deps): Promise<CanonicalValue> {
  const refuse = (member: string, detail: string): never => {
    throw new Refusal("invalid_request", detail, [{ pointer: `#/${member}`, detail }]);
  };
  if ("signing_key" in asked) {
    const { kid = null, ...given } = asked.signing_key;
    const key = await importVerifyingKey(given as Jwk).catch((error) => refuse("signing_key", error.message));
    const jwk = await exportPublicJwk(key);
    return { thumbprint: await jwkThumbprint(jwk), kid, jwk: { ...jwk } };
  } else if ("certificate_request" in asked) {
    const key_hash = await checkCertificateRequest(asked.certificate_request).catch((error) =>
      refuse(
        "certificate_request",
        `certificate_request must be a PKCS #10 request with a P-256 key, signed by ECDSA with SHA-256: ${
          error.message.replace(/\.$/, "")
        }.`,
      )
    );
    return { key_hash };
  } else if ("ip_range" in asked) {
    let range = "";
    try {
      range = parseRange(asked.ip_range);
    } catch (error) {
      refuse("ip_range", `ip_range ${(error as Error).message}`);
    }
    const [address, bits] = range.split("/") as [string, string];
    const shortest = address.includes(":") ? SHORTEST_PREFIX.ipv6 : SHORTEST_PREFIX.ipv4;
    if (Number(bits) < shortest) {
      refuse(
        "ip_range",
        `ip_range may not be wider than /${shortest}; got ${range}. Send the range that you need.`,
      );
    }
    return { range };
  }
  const { url, types } = asked.webhook_endpoint;
  const { loopbackReceivers, webhookPorts: ports } = registry.snapshot();
  // Look up no name here: a request must not wait for a name server that a partner chooses.
  const fault = await checkEndpoint(url, { loopbackReceivers, ports }, () => Promise.resolve([]));
  if (fault && fault.code !== "dns_failed") refuse("webhook_endpoint/url", fault.message);
  return { url: new URL(url).href, ...(types ? { types } : {}) };
}

export function changeReadRoute(deps: Deps): Route {
  return async (c) => {
    const { partner } = await admitCaller(c, deps);
    refuseQuery(c);
    const uuid = uuidOfId(ID_PREFIX.change, c.req.param("change_id") ?? "");
    const text = uuid && await deps.reads.change(partner.id, uuid);
    if (!text) throw new Refusal("not_found", "There is no change of yours with this id.");
    return jsonTextReply(text, c.get("exchange"));
  };
}

export function changeListRoute(deps: Deps): Route {
  return async (c) => {
    const { partner } = await admitCaller(c, deps);
    refuseQuery(c);
    return jsonTextReply(await deps.reads.changes(partner.id), c.get("exchange"));
  };
}

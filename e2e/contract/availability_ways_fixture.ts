import type { TokenProblemCode } from "@gold-partner/protocol";
import { cutDatabase, exhaustRate, haltService, hideTable } from "./disturbances_fixture.ts";
import { type Way, WITHDRAWAL, withdrawal } from "./way_fixture.ts";

/**
 * Temporary refusals: the partner exceeded its rate, or the service, the proxy or the database cannot serve
 * the request now.
 */
export const AVAILABILITY_WAYS = {
  rate_limited: {
    ...withdrawal(async ({ stack, other }) => {
      return { caller: other, call: WITHDRAWAL, mend: await exhaustRate(stack, other) };
    }),
    fades: true,
  },
  internal_error: withdrawal(async ({ stack, partner }) => {
    return { caller: partner, call: WITHDRAWAL, mend: await hideTable(stack) };
  }),
  service_unavailable: withdrawal(async ({ stack, partner, proxyWithoutHealthCheck }) => {
    const from = partner.through(proxyWithoutHealthCheck);
    return { caller: partner, call: WITHDRAWAL, from, mend: await cutDatabase(stack, from) };
  }),
  upstream_unavailable: withdrawal(async ({ partner, proxyWithoutService }) => {
    return { caller: partner, call: WITHDRAWAL, from: partner.through(proxyWithoutService) };
  }),
  upstream_timeout: withdrawal(async ({ stack, partner, proxyWithShortTimeouts }) => {
    const from = partner.through(proxyWithShortTimeouts);
    return { caller: partner, call: WITHDRAWAL, from, mend: await haltService(stack) };
  }),
} as const satisfies Partial<Record<TokenProblemCode, Way>>;

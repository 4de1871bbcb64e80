import type { TokenProblemCode } from "@gold-partner/protocol";
import { cutDatabase, exhaustRate, haltService, hideTable } from "./disturbances_trial.ts";
import { type Way, WITHDRAWAL, withdrawal } from "./way_trial.ts";

/** Refusals because the service, the proxy or the database cannot serve the request now. */
export const AVAILABILITY_WAYS = {
  rate_limited: {
    ...withdrawal(async ({ house, other }) => {
      return { caller: other, call: WITHDRAWAL, mend: await exhaustRate(house, other) };
    }),
    fades: true,
  },
  internal_error: withdrawal(async ({ house, partner }) => {
    return { caller: partner, call: WITHDRAWAL, mend: await hideTable(house) };
  }),
  service_unavailable: withdrawal(async ({ house, partner, trustingDoor }) => {
    const from = partner.through(trustingDoor);
    return { caller: partner, call: WITHDRAWAL, from, mend: await cutDatabase(house, from) };
  }),
  upstream_unavailable: withdrawal(async ({ partner, emptyDoor }) => {
    return { caller: partner, call: WITHDRAWAL, from: partner.through(emptyDoor) };
  }),
  upstream_timeout: withdrawal(async ({ house, partner, hastyDoor }) => {
    const from = partner.through(hastyDoor);
    return { caller: partner, call: WITHDRAWAL, from, mend: await haltService(house) };
  }),
} as const satisfies Partial<Record<TokenProblemCode, Way>>;

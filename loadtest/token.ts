// Each iteration requests a token and uses it once, so that the service also verifies a new token each time.
//   k6 run loadtest/token.ts
import { check } from "k6";
import { runOptions, summaryOf } from "./lib/run.ts";
import { begin, newToken, partner, send } from "./lib/session.ts";

export const options = runOptions("token", partner);
export const setup = begin;
export const handleSummary = summaryOf("token", partner);

export default async function (): Promise<void> {
  const reply = newToken();
  check(reply, {
    "token is valid for ten minutes and must not be cached": ({ body, headers }) =>
      /"token_type":"Bearer","expires_in":600/.test(body) && headers["Cache-Control"] === "no-store",
  });
  await send({ step: "prices", target: "/v1/prices" });
}

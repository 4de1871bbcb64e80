import { admitToken } from "@gold-partner/server";
import { createVerify } from "../testing/es256_verify.ts";
import { type Benchmark, type Goal, rotate, type Sample, startClock } from "./harness.ts";
import { openTokenStack } from "./tokens/stack.ts";

const PARTNERS = 1000;
/** As many tokens as ten thousand partners would have with one token each. */
const TOKENS = 10_000;
const ISSUED_AT_ONCE = 64;
/** Operations between two readings of the clock. */
const STRIDE = 20;
/**
 * The new tokens per turn of FIRST. With more, the new tokens of all rounds would evict the tokens of SEEN
 * from the service's cache.
 */
const FIRST_A_TURN = 500;

const VERIFY = "one ES256 verify";
const SEEN = `seen before, ${TOKENS.toLocaleString("en-US")} tokens in turn`;
const SEEN_ONE = "seen before, always the same";
const FIRST = "seen for the first time";

const GOALS: readonly Goal[] = [
  { ours: SEEN, parts: [VERIFY], atMost: 0.1 },
  { ours: FIRST, parts: [VERIFY], atMost: 1.5, reported: true },
];

type Stack = Awaited<ReturnType<typeof openTokenStack>>;

interface Bearer {
  readonly certificate: Stack["certificates"][number];
  readonly authorization: string;
}

/** Runs operations one after another until the time is up or `count` are done. */
async function runFor(
  turnMs: number,
  operation: (index: number) => Promise<unknown>,
  count = Infinity,
): Promise<Sample> {
  const clock = startClock();
  const endMs = performance.now() + turnMs;
  let operations = 0;
  while (operations < count && performance.now() < endMs) {
    for (const end = Math.min(count, operations + STRIDE); operations < end; operations++) {
      await operation(operations);
    }
  }
  return { operations, ...clock() };
}

/** Issues new tokens, each to the next partner. */
async function issue({ deps, certificates }: Stack, count: number): Promise<Bearer[]> {
  const bearers: Bearer[] = [];
  for (let from = 0; from < count; from += ISSUED_AT_ONCE) {
    const length = Math.min(count - from, ISSUED_AT_ONCE);
    bearers.push(
      ...await Promise.all(Array.from({ length }, async (_, index) => {
        const certificate = certificates[(from + index) % certificates.length]!;
        const { token } = await deps.tokens.issue(certificate, deps.now(), crypto.randomUUID());
        return { certificate, authorization: `Bearer ${token}` };
      })),
    );
  }
  return bearers;
}

/** Admits a caller as the service does for every request. */
const admit = ({ deps }: Stack, { certificate, authorization }: Bearer, aheadMs = 0) =>
  admitToken(certificate, authorization, deps.tokens, deps.now() + aheadMs);

/** Checks that known tokens are still verified, and not admitted only because they were seen before. */
async function requireRefusals(stack: Stack, [one, other]: readonly Bearer[]): Promise<void> {
  const refusals = {
    token_certificate_mismatch: () => admit(stack, { ...one!, certificate: other!.certificate }),
    token_expired: () => admit(stack, one!, 600_000),
  };
  for (const [code, attempt] of Object.entries(refusals)) {
    const answer = await attempt().then(() => "admitted", (error: { code?: string }) => error.code);
    if (answer !== code) {
      throw new Error(`A known token got ${answer} instead of ${code}.`);
    }
    // Make the service remember the token again, because it forgets an expired token.
    await admit(stack, one!);
  }
}

export default {
  about:
    "a certificate-bound token at admission, seen before and for the first time, against one ES256 verify",
  async open() {
    const stack = await openTokenStack(PARTNERS);
    try {
      const seen = await issue(stack, TOKENS);
      for (const bearer of seen) await admit(stack, bearer);
      await requireRefusals(stack, seen);
      const headerBytes = seen[0]!.authorization.length;
      const verify = await createVerify(headerBytes);
      const first = async (turnMs: number) => {
        const bearers = await issue(stack, FIRST_A_TURN);
        return await runFor(turnMs, (index) => admit(stack, bearers[index]!), bearers.length);
      };
      return {
        contests: [{
          name: `one request's Authorization header, of ${headerBytes} bytes, among ${
            PARTNERS.toLocaleString("en-US")
          } partners`,
          measure: ({ rounds, turnMs }) =>
            rotate({
              [VERIFY]: () => runFor(turnMs, verify),
              [SEEN]: () => runFor(turnMs, (index) => admit(stack, seen[index % seen.length]!)),
              [SEEN_ONE]: () => runFor(turnMs, () => admit(stack, seen[0]!)),
              [FIRST]: () => first(turnMs),
            }, rounds),
          goals: GOALS,
        }],
        close: () => stack.stop(),
      };
    } catch (error) {
      await stack.stop();
      throw error;
    }
  },
} satisfies Benchmark;

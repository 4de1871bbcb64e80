import { type Benchmark, type Plan, rotateSeenLong } from "./harness.ts";
import { openEnvoyStack } from "./envoy/stack.ts";
import { openPartner, prepareOrders } from "./partner.ts";
import { ALONE, BOTH, handshakeTurn, requestTurn, type Turn } from "./envoy/turns.ts";

/**
 * A turn, the measured interval of one contender, is longer here than in other benchmarks. CPU time is read
 * in ticks of 10 ms, and with more ticks the rounding error is smaller.
 */
const TURN_FACTOR = 10;

export default {
  about:
    "CPU time per request of Envoy and the service, against the service alone, and CPU time per TLS handshake",
  async open() {
    const stack = await openEnvoyStack();
    try {
      const partner = await openPartner(stack.credentials, stack.socket);
      const orders = async (count: number) => {
        await partner.renewToken(stack.socket);
        return await prepareOrders(partner, stack.socket, count);
      };
      // The cheapest request. It shows the cost of a request without any work for its content.
      const health = async (count: number) => new Array<Uint8Array>(count).fill(partner.read("/health"));
      const both = (prepare: typeof health) => [
        requestTurn(stack, "service", prepare),
        requestTurn(stack, "envoy", prepare),
      ];
      const contest = (name: string, turns: readonly Turn[], atLeast?: number) => ({
        name,
        measure: (plan: Plan) => rotateSeenLong(turns, plan, TURN_FACTOR),
        goals: atLeast === undefined ? [] : [{ ours: BOTH, peer: ALONE, atLeast }],
      });
      return {
        contests: [
          contest("signed orders", both(orders), 0.5),
          contest("GET /health", both(health), 0.2),
          contest("full handshakes", [handshakeTurn(stack, "TLSv1.3"), handshakeTurn(stack, "TLSv1.2")]),
        ],
        close: () => stack.stop(),
      };
    } catch (error) {
      await stack.stop();
      throw error;
    }
  },
} satisfies Benchmark;

import process from "node:process";
import { Deployment } from "./stage/deployment.ts";
import { EnvoyFront } from "./stage/envoy_front.ts";
import { openInboxes } from "./stage/inboxes.ts";
import { checkOrders } from "./stage/check_orders.ts";
import { Report } from "./stage/report.ts";
import { OPERATOR_ROTATIONS } from "./rotation/operator_rotations.ts";
import { OrderStream } from "./rotation/order_stream.ts";
import { PARTNER_ROTATIONS } from "./rotation/partner_rotations.ts";
import { RotatingPartner } from "./rotation/connected_partner.ts";
import { rotate } from "./rotation/rotate.ts";

// npm run prove -- rotation [--short]: every credential is rotated while signed orders go through the real
// Envoy and their events go to the partner.

const ROUNDS = { long: 5, short: 1 };
/**
 * The short run sends fewer orders, because it shares the machine with other proofs and could fall behind.
 */
const ORDERS_PER_SECOND = { long: 200, short: 50 };
const INITIAL_FUNDING_SAR = "10000000";
const SHOWN = 10;

const scale = process.argv.includes("--short") ? "short" : "long";
const rounds = ROUNDS[scale];
const report = new Report();
const deployment = await Deployment.start({ servers: 2, traders: 1, lanes: 2 });
try {
  const front = await EnvoyFront.open(deployment);
  const [inbox] = await openInboxes(deployment);
  const trader = deployment.traders[0]!;
  await deployment.fund(INITIAL_FUNDING_SAR);
  const partner = await RotatingPartner.of(trader.credentials, trader.client, deployment.port);
  const stream = new OrderStream(partner);
  const { name } = await deployment.operator("partner show", trader.clientId);
  const target = { deployment, clientId: trader.clientId, organization: name as string, inbox: inbox! };
  const beside: string[] = [];
  await stream.start(ORDERS_PER_SECOND[scale]);
  const [startMs, warmUp] = [performance.now(), stream.accepted.length];
  for (let round = 1; round <= rounds; round++) {
    for (const rotation of [...PARTNER_ROTATIONS, ...OPERATOR_ROTATIONS]) {
      const { accepted, ...finding } = await rotate(rotation, target, partner, stream);
      beside.push(...accepted);
      report.tried(`round ${round}, ${rotation.name}`, finding);
    }
  }
  await stream.stop();
  partner.current.close();
  const seconds = (performance.now() - startMs) / 1000;
  const books = await checkOrders(deployment, [...stream.accepted, ...beside], [inbox!]);
  const perSecond = Math.round((stream.accepted.length - warmUp) / seconds);
  report.tried("the books", {
    what: `${books.what}; ${perSecond} orders per second from the partner that adopts each new credential`,
    violations: [...stream.take().failures, ...books.violations],
  });
  for (const trouble of (await front.findTroubles()).slice(0, SHOWN)) console.log(`    ${trouble}`);
} finally {
  await deployment.stop();
}
process.exit(report.close("rotation") ? 0 : 1);

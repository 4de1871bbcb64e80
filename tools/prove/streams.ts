import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { Deployment } from "./stage/deployment.ts";
import { EnvoyFront, SETTLE_MS } from "./stage/envoy_front.ts";
import { Report } from "./stage/report.ts";
import type { ServerProcess } from "./stage/server_process.ts";
import { EventFollowers } from "./streams/event_followers.ts";
import { StreamingPartner } from "./streams/followed_stream.ts";

// npm run prove -- streams [--short]: partners read streams of events through the real Envoy, while processes stop
// and die. No event is missing or comes twice.

const SCALES = {
  long: { interruptions: 100 },
  short: { interruptions: 6 },
};
const PARTNERS = 5;
const DRAIN_SECONDS = 3;
/** Tokens live for ten minutes. */
const INTERRUPTIONS_PER_TOKEN = 20;

const scale = SCALES[process.argv.includes("--short") ? "short" : "long"];
const report = new Report();
const deployment = await Deployment.start({
  servers: 2,
  traders: PARTNERS,
  lanes: 2,
  drainSeconds: DRAIN_SECONDS,
});
try {
  await EnvoyFront.open(deployment);
  const partners = deployment.traders.map((trader) => new StreamingPartner(trader, deployment.port));
  await proveEvents(partners);
  await Promise.all(partners.map((partner) => partner.close()));
  report.tried("the books", { what: "verified", violations: await deployment.findDefects() });
} finally {
  await deployment.stop();
}
process.exit(report.close("streams") ? 0 : 1);

async function renewTokens(partners: readonly StreamingPartner[]): Promise<void> {
  for (const partner of partners) await partner.renewToken(deployment.servers[0]!.socket);
}

async function restart(server: ServerProcess): Promise<void> {
  await server.stop();
  await server.start();
  await sleep(SETTLE_MS);
}

/** Stops and kills both processes in turn, while partners follow their events. */
async function proveEvents(partners: readonly StreamingPartner[]): Promise<void> {
  const { servers } = deployment;
  await renewTokens(partners);
  const followers = new EventFollowers(partners, deployment.port);
  const wrong: string[] = [];
  let kills = 0;
  for (let n = 0; n < scale.interruptions; n++) {
    const server = servers[n % 2]!;
    const brokenBefore = followers.broken;
    if (n % 4 < 2) {
      await restart(server);
      const broken = followers.broken - brokenBefore;
      if (broken > 0) {
        wrong.push(`${broken} streams ended without a last message while ${server.name} stopped`);
      }
    } else {
      kills++;
      await server.kill();
      await server.heal();
      await sleep(SETTLE_MS);
    }
    if (n % INTERRUPTIONS_PER_TOKEN === INTERRUPTIONS_PER_TOKEN - 1) await renewTokens(partners);
  }
  const { what, violations } = await followers.check(deployment);
  report.tried(`events through ${scale.interruptions - kills} drains and ${kills} kills`, {
    what,
    violations: [...wrong, ...violations],
  });
}

import { type ClientHttp2Session, connect, type OutgoingHttpHeaders } from "node:http2";
import process from "node:process";
import type { Identity } from "../stage/partner_connection.ts";

// A hostile partner, as a process of its own: a flood must not delay the program that measures its victim.

export const ATTACKS = ["flood", "refusals", "heavy reads", "slow bodies", "bad tokens"] as const;
export type Attack = (typeof ATTACKS)[number];

/** The first message that this process gets. Any further message ends the attack. */
export interface AttackPlan {
  readonly attack: Attack;
  readonly port: number;
  readonly identity: Identity;
  readonly token: string;
}

/** How many replies with each status the attacker got. 0 stands for a stream without a reply. */
export type Tally = Record<number, number>;

const CONNECTIONS = 14;
/** As many as Envoy allows. */
const STREAMS_EACH = 100;
const BODY_BYTES = 2000;
const DRIP_MS = 500;
const DAY_MS = 86_400_000;

const tally: Tally = {};
let isOn = true;

async function run(plan: AttackPlan): Promise<void> {
  const sessions = Array.from({ length: CONNECTIONS }, () => open(plan));
  const streams = sessions.flatMap((session) => Array.from({ length: STREAMS_EACH }, () => session));
  await Promise.all(streams.map(async (session) => {
    while (isOn && !session.destroyed) {
      const status = await (plan.attack === "slow bodies" ? drip(session, plan) : ask(session, plan));
      tally[status] = (tally[status] ?? 0) + 1;
      // Without a pause, a session that the other side closes would be asked again at once, without end.
      if (status === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }));
  for (const session of sessions) session.destroy();
}

function open({ port, identity }: AttackPlan): ClientHttp2Session {
  const session = connect(`https://localhost:${port}`, { ...identity, servername: "localhost" });
  return session.on("error", () => {});
}

function headersOf({ attack, token }: AttackPlan): OutgoingHttpHeaders {
  const authorization = `Bearer ${attack === "bad tokens" ? spoil(token) : token}`;
  switch (attack) {
    case "heavy reads":
      return { ":path": Math.random() < 0.5 ? "/v1/fundings?limit=100" : statementPath(), authorization };
    case "slow bodies":
      return {
        ":method": "POST",
        ":path": "/v1/orders",
        "content-type": "application/json",
        "content-length": `${BODY_BYTES}`,
        authorization,
      };
    default:
      return { ":path": "/v1/prices", authorization };
  }
}

/** A statement of two months. All of the attacker's records are in it. */
function statementPath(): string {
  const [from, to] = [-30, 30].map((days) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10));
  return `/v1/statement?from=${from}&to=${to}`;
}

/** Changes the signature, so that the service has to verify it. */
function spoil(token: string): string {
  const [head, claims, signature = ""] = token.split(".");
  return [head, claims, (signature[0] === "A" ? "B" : "A") + signature.slice(1)].join(".");
}

const ask = (session: ClientHttp2Session, plan: AttackPlan): Promise<number> =>
  exchange(session, plan, (stream) => stream.end());

/** Sends a body so slowly that it never arrives. */
const drip = (session: ClientHttp2Session, plan: AttackPlan): Promise<number> =>
  exchange(session, plan, (stream) => {
    const timer = setInterval(() => stream.write(" "), DRIP_MS);
    stream.on("close", () => clearInterval(timer));
  });

function exchange(
  session: ClientHttp2Session,
  plan: AttackPlan,
  write: (stream: ReturnType<ClientHttp2Session["request"]>) => void,
): Promise<number> {
  return new Promise((resolve) => {
    let status = 0;
    try {
      const stream = session.request(headersOf(plan), { endStream: false });
      stream.on("response", (headers) => status = headers[":status"] ?? 0).on("error", () => {})
        .on("close", () => resolve(status)).resume();
      write(stream);
    } catch {
      resolve(0);
    }
  });
}

process.once("message", (plan: AttackPlan) => {
  process.once("message", () => {
    isOn = false;
    process.send!(tally, () => process.exit());
  });
  void run(plan);
});

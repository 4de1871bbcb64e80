// The service as `npm start` runs it, and partners whose receivers run in a separate process.
import { generateKeyPairSync } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Operator } from "@gold-partner/dev";
import { startPostgres } from "@gold-partner/dev/postgres";
import postgres, { type Sql } from "postgres";
import { type ChildProgram, startProgram } from "../../testing/child_program.ts";
import { openService, type StartedService } from "../service.ts";
import { openBooks, type WebhookBooks } from "./books.ts";
import type { PosterSettings } from "./poster.ts";
import type { Opened, ReceiversTask } from "./receivers.ts";

/** `credentials` are those of a partner that may trade. `setWebhook` sets its endpoint. */
export interface WebhookStack extends Pick<StartedService, "socket" | "credentials"> {
  readonly books: WebhookBooks;
  /** Settings with which the other contenders send to the same receivers. */
  readonly poster: PosterSettings;
  /** A superuser's connection to any database on the same Postgres. */
  connect(database: string): Sql;
  databaseUrl(name: string): string;
  readonly servicePid: number;
  setWebhook(url: string): Promise<void>;
  readonly receiverCertificate: { readonly cert: string; readonly key: string };
  /** Waits until `count` more posts have reached the receivers. */
  expectPosts(count: number): Promise<void>;
  stop(): Promise<void>;
}

interface PartnerCreated {
  readonly webhook_secret: string;
}

const DATABASE = "gold";
const PARTNERS = 4;
/** As many as the service sends at once to a healthy endpoint. */
const CONNECTIONS_EACH = 32;
export const IN_FLIGHT = PARTNERS * CONNECTIONS_EACH;

export async function openWebhookStack(): Promise<WebhookStack> {
  return await openService({}, async ({ state, credentials, socket, operator, pids, onStop }) => {
    const { superuserUrl: databaseUrl } = await startPostgres({ dataDir: state.path("postgres") });
    const connect = (database: string) => {
      const sql = postgres(databaseUrl(database), { max: 1, onnotice: () => {} });
      onStop(() => sql.end());
      return sql;
    };
    const pem = (name: string) => readFileSync(state.path("pki", name), "utf8");
    const receiverCertificate = { cert: pem("receiver.pem"), key: pem("receiver_key.pem") };
    const receivers = startProgram(new URL("./receivers.ts", import.meta.url));
    onStop(() => receivers.stop());
    const urls = await openReceivers(receivers, receiverCertificate);
    const [first] = await onboard(operator, state.path(), urls);
    return {
      books: await openBooks(connect(DATABASE), urls),
      poster: { ca: pem("ca.pem"), secret: first!.webhook_secret, connectionsEach: CONNECTIONS_EACH },
      ...{ connect, databaseUrl, servicePid: pids.server, socket, credentials, receiverCertificate },
      setWebhook: async (url: string) =>
        void await operator("partner set", credentials.client_id, "--webhook", url),
      expectPosts: (expect: number) => receivers.ask<never>({ expect } satisfies ReceiversTask),
    };
  });
}

async function openReceivers(
  receivers: ChildProgram,
  certificate: WebhookStack["receiverCertificate"],
): Promise<string[]> {
  const { ports } = await receivers.ask<Opened>(
    { open: { count: PARTNERS, ...certificate } } satisfies ReceiversTask,
  );
  return ports.map((port) => `https://localhost:${port}/webhooks`);
}

/** Creates partners with the operator's own command, each with its receiver. */
async function onboard(
  operator: Operator,
  folder: string,
  urls: readonly string[],
): Promise<PartnerCreated[]> {
  const created: PartnerCreated[] = [];
  for (const url of urls) {
    const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const keyFile = join(folder, `${created.length}.pem`);
    writeFileSync(keyFile, publicKey.export({ type: "spki", format: "pem" }));
    const terms = ["--name", "Benchmark", "--webhook", url, "--signing-key", keyFile];
    const partner = await operator(
      "partner create --ip 127.0.0.1/32 --iban SA0380000000608010167519",
      ...terms,
    );
    created.push(partner as unknown as PartnerCreated);
  }
  return created;
}

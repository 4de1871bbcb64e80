import process from "node:process";
import { keepTrust, readSidecarConfig, startEnvoy, writeTrustOnce } from "@gold-partner/sidecar";

/** Envoy and the keeper of its trust, as one process of `npm start`: Envoy cannot see by itself that its starter was killed. */
const POLL_MS = 1000;
const DRAIN_SECONDS = 1;

const config = readSidecarConfig(process.env);
const keeping = {
  databaseUrl: process.env.DATABASE_URL!,
  folder: config.trustDirectory,
  pollMs: POLL_MS,
  now: Date.now,
  write: (line: string) => console.log(line),
};
const started = startSidecar();
let leaving: Promise<never> | undefined;
const stop = (code: number): Promise<never> => leaving ??= leave(code);
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.once(signal, () => void stop(0));
process.stdin.resume().once("end", () => void stop(0));

const { envoy } = await started.catch((error: Error) => {
  // The starter repeats the log's last line.
  console.error(error.message.replaceAll("\n", " "));
  process.exit(1);
});
void envoy.exited.then((code) => stop(code || 1));

async function startSidecar() {
  // Envoy does not start without the files, and the keeper never waits for anybody.
  await writeTrustOnce(keeping);
  const envoy = await startEnvoy({
    config,
    logFile: process.env.ENVOY_LOG!,
    concurrency: 1,
    drainSeconds: DRAIN_SECONDS,
  });
  return { envoy, keeper: keepTrust(keeping) };
}

/** Also while it starts: an Envoy that nobody stops would keep the port. */
async function leave(code: number): Promise<never> {
  const { envoy, keeper } = await started;
  await Promise.all([keeper.stop(), envoy.stop()]);
  process.exit(code);
}

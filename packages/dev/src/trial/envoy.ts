import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readSidecarConfig, startEnvoy, writeTrust } from "@gold-partner/sidecar";

/** The options of one Envoy. */
interface TrialEnvoyPlan {
  /** 0 selects a free port. */
  readonly port: number;
  readonly baseUrl: string;
  /** Signs partners' certificates. */
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
  /** The value of UPSTREAMS. */
  readonly upstreams: string;
  /** Any setting of the sidecar. It overrides the settings made here. */
  readonly settings?: Readonly<Record<string, string>>;
}

interface TrialEnvoy {
  readonly port: number;
  stop(): Promise<void>;
}

/** Higher than any test's request rate. */
const FLOOD_PER_SECOND = "100000";

/** Starts the real Envoy with the production configuration, a CA of the test's own and no trust sync. */
export async function startTrialEnvoy(
  { port, baseUrl, ca, cert, key, upstreams, settings = {} }: TrialEnvoyPlan,
): Promise<TrialEnvoy> {
  const folder = await mkdtemp(join(tmpdir(), "gold-envoy-"));
  const inside = (name: string) => join(folder, name);
  await mkdir(inside("certificate"), { recursive: true });
  await Promise.all([
    writeFile(inside("certificate/tls.crt"), cert),
    writeFile(inside("certificate/tls.key"), key, { mode: 0o600 }),
    writeTrust(inside("trust"), { certificates: [ca], revocationLists: [] }),
  ]);
  const config = readSidecarConfig({
    GOLD_ENV: "sandbox",
    PUBLIC_BASE_URL: baseUrl,
    SIDECAR_LISTEN: `127.0.0.1:${port}`,
    UPSTREAMS: upstreams,
    CONFIG_DIRECTORY: inside("config"),
    TRUST_DIRECTORY: inside("trust"),
    SERVER_CERTIFICATE_DIRECTORY: inside("certificate"),
    FLOOD_PER_SECOND,
    ADMIN_LISTEN: `unix:${inside("admin.sock")}`,
    ACCESS_LOG: inside("access.log"),
    ...settings,
  });
  const envoy = await startEnvoy({ config, logFile: inside("envoy.log"), concurrency: 1, drainSeconds: 1 });
  return {
    port: envoy.ports[0]!,
    async stop() {
      await envoy.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readSidecarConfig, startEnvoy, writeTrust } from "@gold-partner/sidecar";

/** What differs between one real Envoy and another. */
interface TrialEnvoyPlan {
  /** 0 takes any that is free. */
  readonly port: number;
  readonly baseUrl: string;
  /** Signs partners' certificates. */
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
  /** As UPSTREAMS says it. */
  readonly upstreams: string;
  /** Any setting of the sidecar, over what is set here. */
  readonly settings?: Readonly<Record<string, string>>;
}

interface TrialEnvoy {
  readonly port: number;
  stop(): Promise<void>;
}

/** More than any test sends on purpose. */
const FLOOD_PER_SECOND = "100000";

/** The real Envoy by the configuration that production has, with an authority of the test's own and no keeper. */
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

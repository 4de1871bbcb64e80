import { spawnSync, type SpawnSyncReturns } from "node:child_process";
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { type Container, volumeFolder } from "./engine_fixture.ts";

/** A container of a pod, with the commands of its probes and hooks. */
export interface PodContainer {
  readonly name: string;
  readonly image: string;
  readonly command: readonly string[];
  readonly restartPolicy?: string;
  readonly env?: readonly EnvironmentEntry[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly envFrom?: readonly { readonly configMapRef: { readonly name: string } }[];
  readonly startupProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly lifecycle?: { readonly preStop?: Probe };
  readonly resources?: { readonly requests?: unknown; readonly limits?: { readonly memory?: string } };
  readonly securityContext?: unknown;
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
}

interface EnvironmentEntry {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly configMapKeyRef?: KeyReference; readonly secretKeyRef?: KeyReference };
}

interface KeyReference {
  readonly name: string;
  readonly key: string;
}

export interface Probe {
  readonly exec?: { readonly command: readonly string[] };
  readonly tcpSocket?: { readonly port: string };
}

export interface Pod {
  readonly terminationGracePeriodSeconds?: number;
  readonly automountServiceAccountToken?: boolean;
  readonly securityContext?: unknown;
  readonly initContainers?: readonly PodContainer[];
  readonly containers: readonly PodContainer[];
  readonly volumes?: readonly Volume[];
}

interface Volume {
  readonly name: string;
  readonly emptyDir?: unknown;
  readonly secret?: { readonly secretName: string; readonly items?: readonly { readonly key: string }[] };
  /** A ConfigMap that the manifests do not contain. */
  readonly configMap?: { readonly name: string; readonly optional: true };
  readonly persistentVolumeClaim?: { readonly claimName: string };
}

export interface AddressBlock {
  readonly cidr: string;
  readonly except?: readonly string[];
}

type Labels = Readonly<Record<string, string>>;

export interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly resources?: readonly string[];
  readonly spec?: {
    readonly replicas?: number;
    readonly accessModes?: readonly string[];
    readonly strategy?: unknown;
    readonly selector?: { readonly matchLabels?: Labels };
    readonly template?: { readonly metadata: { readonly labels: Labels }; readonly spec: Pod };
    readonly podSelector?: { readonly matchLabels?: Labels };
    readonly policyTypes?: readonly string[];
    readonly ports?: readonly { readonly targetPort: string }[];
    readonly ingress?: readonly {
      readonly from?: readonly unknown[];
      readonly ports?: readonly { readonly port: number }[];
    }[];
    readonly egress?: readonly {
      readonly to?: readonly { readonly ipBlock?: AddressBlock }[];
      readonly ports?: readonly { readonly port: number }[];
    }[];
  };
}

/**
 * Secrets from outside the manifests: single values under SECRET/KEY, and the folder of each mounted secret.
 */
export interface Secrets {
  readonly values: Readonly<Record<string, string>>;
  readonly folders: Readonly<Record<string, string>>;
}

const TO_JSON =
  "import json, sys, yaml\nprint(json.dumps([d for f in sys.argv[1:] for d in yaml.safe_load_all(open(f))]))";

function runPython(root: string, args: readonly string[]): SpawnSyncReturns<string> {
  const ended = spawnSync("python3", args, {
    encoding: "utf8",
    timeout: 180_000,
    env: { ...process.env, PYTHONPATH: join(root, ".tools/kubernetes_validate") },
  });
  if (!ended.error) return ended;
  throw new Error(
    `Python does not run: ${ended.error.message}. Run: node tools/run.mjs tools kubernetes_validate`,
  );
}

/**
 * Returns the faults that Kubernetes' own schemas find in the files, or an empty text. Any output counts as a
 * fault, because the validator only prints a warning for a kind that it does not know.
 */
export function manifestFaults(root: string, files: readonly string[], version = "1.37"): string {
  const options = ["-m", "kubernetes_validate", "--strict", "--quiet", "-k", version];
  const { status, stdout, stderr } = runPython(root, [...options, ...files]);
  return stdout + stderr || (status === 0 ? "" : `exit ${status}`);
}

export function readYaml<T>(root: string, files: readonly string[]): T[] {
  const { status, stdout, stderr } = runPython(root, ["-c", TO_JSON, ...files]);
  if (status !== 0) throw new Error(`Not YAML: ${stderr}`);
  return JSON.parse(stdout) as T[];
}

/** Returns the folder's manifests, without kustomize's own file. */
export function manifestFiles(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.endsWith(".yaml") && name !== "kustomization.yaml").sort()
    .map((name) => join(folder, name));
}

/**
 * Returns the container as a node would run it: settings are looked up, `$(NAME)` in the command is replaced,
 * and volumes are folders below `folder`. Pods whose folders are in the same folder share the volumes of
 * claims.
 */
export function podContainer(
  manifests: readonly Manifest[],
  pod: Pod,
  { name, command, env = [], envFrom = [], volumeMounts = [] }: PodContainer,
  secrets: Secrets,
  folder: string,
): Container {
  const data = (map: string) => {
    const found = manifests.find(({ kind, metadata }) => kind === "ConfigMap" && metadata.name === map)?.data;
    if (!found) throw new Error(`${name} refers to the ConfigMap ${map}, which does not exist.`);
    return found;
  };
  const read = ({ name: entry, value, valueFrom }: EnvironmentEntry): string => {
    const { configMapKeyRef: map, secretKeyRef: secret } = valueFrom ?? {};
    const found = value ?? (map ? data(map.name)[map.key] : secrets.values[`${secret?.name}/${secret?.key}`]);
    if (found === undefined) throw new Error(`${name}: ${entry} has no value.`);
    return found;
  };
  const known: Record<string, string> = Object.assign(
    {},
    ...envFrom.map(({ configMapRef }) => data(configMapRef.name)),
    ...env.map((entry) => ({ [entry.name]: read(entry) })),
  );
  const sourceOf = (volumeName: string): string => {
    const volume = pod.volumes?.find((one) => one.name === volumeName);
    const source = volume?.secret
      ? secrets.folders[volume.secret.secretName]
      : volume?.emptyDir ?? volume?.configMap
      ? volumeFolder(folder, volumeName)
      : volume?.persistentVolumeClaim
      ? volumeFolder(dirname(folder), volume.persistentVolumeClaim.claimName)
      : undefined;
    if (!source) {
      throw new Error(
        `${name} mounts the volume ${volumeName}, but there is no folder for it: the pod must define it as ` +
          "an emptyDir, as an optional ConfigMap, as a claim, or as a secret with an entry in secrets.folders.",
      );
    }
    return source;
  };
  return {
    name,
    words: command.map((word) =>
      word.replace(/\$\((\w+)\)/g, (text, variable: string) => known[variable] ?? text)
    ),
    env: known,
    mounts: new Map(volumeMounts.map((mount) => [mount.mountPath, sourceOf(mount.name)])),
  };
}

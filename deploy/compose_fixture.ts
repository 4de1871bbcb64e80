import { spawnSync } from "node:child_process";
import { basename, join } from "node:path";
import type { Container } from "./engine_fixture.ts";
import { volumeFolder } from "./engine_fixture.ts";

/** A compose file after compose-go parsed it, as an engine would read it. */
export interface Project {
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

export interface Service {
  readonly image: string;
  readonly command: readonly string[] | null;
  readonly entrypoint: readonly string[] | null;
  readonly environment?: Readonly<Record<string, string>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly pre_stop?: readonly { readonly command: readonly string[] }[];
  readonly stop_signal?: NodeJS.Signals;
  /** Each entry such as "/run/envoy:mode=0700". */
  readonly tmpfs?: readonly string[];
  readonly volumes?: readonly { readonly type: string; readonly source: string; readonly target: string }[];
  readonly secrets?: readonly { readonly source: string; readonly target: string }[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly ports?: readonly { readonly host_ip?: string }[];
  readonly profiles?: readonly string[];
  readonly logging?: { readonly driver: string; readonly options?: Readonly<Record<string, string>> };
}

/** Returns the project, or compose-go's error text. Each further file overrides the ones before it. */
export function readCompose(root: string, ...files: readonly string[]): Project | string {
  const program = join(root, ".tools/bin/compose_go");
  const { status, stdout, stderr, error } = spawnSync(program, files, {
    encoding: "utf8",
    timeout: 120_000,
  });
  if (error) {
    throw new Error(`compose_go does not run: ${error.message}. Run: node tools/run.mjs tools compose_go`);
  }
  return status === 0 ? JSON.parse(stdout) as Project : stderr;
}

/**
 * Returns the container of one service. Its words are the entrypoint and the command;
 * its volumes are folders below `folder`.
 */
export function serviceContainer(project: Project, name: string, folder: string): Container {
  const service = project.services[name];
  if (!service) throw new Error(`The compose file has no service ${name}.`);
  const { volumes = [], secrets = [], tmpfs = [] } = service;
  return {
    name,
    words: commandOf(service),
    env: service.environment ?? {},
    mounts: new Map([
      ...volumes.map(({ type, source, target }) =>
        [target, type === "bind" ? source : volumeFolder(folder, source)] as const
      ),
      ...tmpfs.map((entry) => entry.split(":")[0]!).map((target) =>
        [target, volumeFolder(folder, `${name}_${basename(target)}`)] as const
      ),
      ...secrets.map(({ source, target }) => [target, project.secrets[source]!.file] as const),
    ]),
  };
}

export const commandOf = (
  { entrypoint, command }: Service,
): string[] => [...entrypoint ?? [], ...command ?? []];

/** The command of a healthcheck, without the leading CMD. */
export function healthcheckOf({ healthcheck }: Service): string[] {
  const [kind, ...words] = healthcheck?.test ?? [];
  if (kind !== "CMD") {
    throw new Error("A healthcheck must start with CMD, because the images may have no shell.");
  }
  return words;
}

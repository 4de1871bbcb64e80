import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { type Project, readCompose } from "../compose_fixture.ts";
import { readDockerfile, stageImage } from "../image_fixture.ts";
import { makeCheckout, ROOT } from "../site_fixture.ts";

const NODES = ["n1", "n2", "n3"];
const text = (path: string) => readFileSync(join(ROOT, path), "utf8");

/**
 * Checks only the form, because a test starts no container. `npm run prove -- failover` runs patroni.yaml.
 */
describe("deploy/patroni/compose.yaml", () => {
  let folder: string;
  let project: Project;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "compose-patroni-"));
    makeCheckout(folder);
    const files = ["docker-compose.yml", "deploy/patroni/compose.yaml"].map((file) => join(folder, file));
    const read = readCompose(ROOT, ...files);
    if (typeof read === "string") throw new Error(read);
    project = read;
  });
  after(() => rmSync(folder, { recursive: true, force: true }));
  const environmentOf = (name: string) => project.services[name]!.environment!;

  it("gives every program the URLs of all three servers, and no other", () => {
    const urls = Object.entries(project.services).flatMap(([name, { environment = {} }]) =>
      Object.entries(environment).filter(([, value]) => value.startsWith("postgres://"))
        .map(([variable, value]) => [name, variable, value] as const)
    );
    assertEquals(urls.map(([name, variable]) => `${name} ${variable}`).sort(), [
      ...["api DATABASE_URL", "api TICKER_DATABASE_URL", "delivery DELIVERY_DATABASE_URL"],
      ...["gold DATABASE_URL", "load_partner DATABASE_URL", "load_partner SECOND_DATABASE_URL"],
      ...["migration MIGRATION_DATABASE_URL", "operators MIGRATION_DATABASE_URL", "trust-sync DATABASE_URL"],
    ]);
    const hosts = NODES.map((name) => environmentOf(name).PATRONI_POSTGRESQL_CONNECT_ADDRESS).join();
    for (const [, , url] of urls) {
      assertEquals(url.split("@")[1], `${hosts}/gold?target_session_attrs=primary`);
    }
    assertEquals([environmentOf("database").PGHOST, environmentOf("database").PGTARGETSESSIONATTRS], [
      NODES.join(),
      "primary",
    ]);
  });

  it("runs the programs that write with HA=on", () => {
    const on = Object.entries(project.services).filter(([, { environment }]) => environment?.HA === "on");
    assertEquals(on.map(([name]) => name).sort(), ["api", "delivery"]);
  });

  it("runs three nodes that differ only in their names, addresses and volumes", () => {
    const [first, ...others] = NODES.map((name) => {
      assertEquals(environmentOf(name).PATRONI_RESTAPI_CONNECT_ADDRESS, `${name}:8008`);
      return JSON.stringify(project.services[name]).replace(new RegExp(`\\b${name}\\b`, "g"), "n");
    });
    assertEquals(others, [first, first]);
    const data = NODES.map((name) => {
      const { volumes = [] } = project.services[name]!;
      assertEquals(volumes.map(({ target }) => target), ["/var/lib/postgresql"]);
      return volumes[0]!.source;
    });
    assertMatch(environmentOf("n1").PATRONI_POSTGRESQL_DATA_DIR!, /^\/var\/lib\/postgresql\//);
    assertEquals(new Set(data).size, NODES.length);
    const etcd = environmentOf("n1").PATRONI_ETCD3_HOSTS;
    assert(project.services.etcd!.command!.includes(`http://${etcd}`), "the nodes do not reach etcd");
  });

  it("migrates only after the database and its logins are made, and makes them only with three nodes", () => {
    const conditionsOf = (name: string) =>
      Object.entries(project.services[name]!.depends_on!).map(([one, { condition }]) =>
        `${one} ${condition}`
      );
    assertEquals(conditionsOf("migration"), ["database service_completed_successfully"]);
    assertEquals(conditionsOf("database").sort(), NODES.map((name) => `${name} service_healthy`));
    assertEquals([project.services.database!.healthcheck, project.services.database!.ports], [
      undefined,
      undefined,
    ]);
  });
});

describe("deploy/patroni/Dockerfile", () => {
  const instructions = readDockerfile(text("deploy/patroni/Dockerfile"));
  const textOf = (name: string) => instructions.filter((one) => one.name === name).map((one) => one.text);

  it("has the Postgres version of docker-compose.yml, whose programs the nodes run, and no root user", () => {
    const [, version] = /^ {4}image: postgres:(\d+)$/m.exec(text("docker-compose.yml"))!;
    assertMatch(textOf("FROM").join(), new RegExp(`^postgres:${version}-`));
    assertEquals(
      text("deploy/patroni/compose.yaml").match(/BIN_DIR: .*/g),
      [`BIN_DIR: /usr/lib/postgresql/${version}/bin`],
    );
    assertEquals(textOf("USER"), ["postgres"]);
  });

  it("installs only Python packages with a pinned hash, those of the proof", () => {
    const installs = textOf("RUN").filter((command) => command.includes("pip install"));
    assertEquals(installs.map((command) => command.includes("--require-hashes")), [true, true]);
    const hashes = (pins: string) => pins.match(/\b[0-9a-f]{64}\b/g)!.sort();
    const [pinned] = /^ {2}patroni: .*?^ {2}\}\)/ms.exec(text("tools/external_tools/pinned_tools.ts"))!;
    assertEquals(hashes(text("deploy/patroni/sources.txt")), hashes(pinned));
  });

  it("copies only the pins and the settings of Patroni that .dockerignore lets pass", () => {
    const image = mkdtempSync(join(tmpdir(), "image-patroni-"));
    stageImage(ROOT, image, "deploy/patroni/Dockerfile");
    assertEquals(
      ["etc/patroni", "opt/pins"].map((path) => readdirSync(join(image, path)).sort()),
      [["patroni.yaml", "sandbox.yaml"], ["patroni.txt", "sources.txt"]],
    );
    rmSync(image, { recursive: true });
  });
});

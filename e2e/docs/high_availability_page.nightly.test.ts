import { chmodSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { tmpdir } from "node:os";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { Deployment } from "../../tools/prove/stage/deployment.ts";
import { checkBooks } from "../../tools/prove/failover/round.ts";
import { Load } from "../../tools/prove/stage/load.ts";
import { acceptByTwo, checkRefusal, HEADS_MS } from "../../tools/prove/restore/accept_loss.ts";
import { readOrders } from "../../tools/prove/stage/stage.ts";
import { ask } from "../../tools/prove/stage/trader.ts";
import { until } from "../../tools/testing/until.ts";
import { readBlocks, readSteps } from "./doc_fixture.ts";
import { type Machine, Machines } from "./machines_fixture.ts";
import { readPage } from "./page_fixture.ts";

const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));
const RUNTIME = "Deno" in globalThis ? "run -A" : "";
const IN_FLIGHT = 4;
const ORDERS = 50;
/** etcd accepts another member once all members have been connected for 5 s. */
const MEMBER_MS = 20_000;
/** Patroni checks its node each second. */
const LOOPS_MS = 5000;

describe("the page on high availability", () => {
  let folder: string;
  let machines: Machines;
  let deployment: Deployment | undefined;
  let page: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "gold-ha-"));
    page = await readPage("high_availability.md");
    machines = await Machines.start();
  });
  after(async () => {
    await deployment?.stop();
    await machines?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Gives the names of the page to these machines, in order. */
  const naming = (...machines: readonly Machine[]) => (name: string) => machines[Number(name.slice(1)) - 1]!;
  const commandsIn = (title: string) => {
    const section = page.split(`\n## ${title}\n`)[1]!.split("\n## ")[0]!;
    return readSteps(section).map(({ commands }) => commands);
  };
  const hasLeader = async ({ node }: Machine) => (await node.control("list")).includes("Leader");
  const isPrimary = async ({ node }: Machine) => (await node.ask())?.role === "primary";

  it("shows one leader and two standbys that stream, and makes another server the leader", async () => {
    const [commands, ...others] = commandsIn("Fail over by hand");
    assertEquals(others, []);
    const { leader, standbys: [candidate, other] } = machines;
    const output = await machines.run(leader, commands!, naming(leader, candidate!, other!));
    const [listed] = output.split("Current cluster topology");
    assertEquals(listed!.match(/\| Leader +\| running/g)?.length, 1, output);
    assertEquals(listed!.match(/\| Quorum Standby +\| streaming/g)?.length, 2, output);
    await machines.untilWhole();
    assertEquals(machines.leader.name, candidate!.name);
  });

  it("has no other commands than those of these tests and of the sandbox", () => {
    const known = ["Three servers in the sandbox", "Fail over by hand", "Promote the last server"];
    const commands = readBlocks(page).filter(({ language }) => language === "sh");
    assertEquals(commands.map(({ text }) => text), known.flatMap(commandsIn));
  });

  it("needs one lost machine again if only the leader is left", async () => {
    const { leader, standbys } = machines;
    await Promise.all(standbys.map((machine) => machine.lose()));
    await until(async () => (await leader.node.ask())?.role === "replica");
    standbys[0]!.boot();
    await machines.untilWhole(1);
    standbys[1]!.boot();
    await machines.untilWhole();
  });

  it("promotes the last server by hand, and leads to three machines without the lost orders", async () => {
    const headsFile = join(folder, "heads.json");
    deployment = await Deployment.start({
      servers: 1,
      traders: 2,
      lanes: 1,
      settings: { HA: "on", HEADS_FILE: headsFile },
      startDatabase: (state) => machines.createDatabase(state),
    });
    const [server] = deployment.servers;
    for (const trader of deployment.traders) {
      assertEquals((await ask(server!.socket, trader.fund("1000000")))?.status, 201);
    }
    const gold = `#!/bin/sh\nexec '${process.execPath}' ${RUNTIME} '${REPOSITORY}/tools/run.mjs' gold "$@"\n`;
    writeFileSync(join(folder, "gold"), gold, { mode: 0o755 });
    const environment = {
      PATH: `${folder}${delimiter}${process.env.PATH}`,
      INIT_CWD: folder,
      GOLD_ENV: "sandbox",
      DATABASE_URL: deployment.operatorUrls[0],
      OPERATOR_KEYS: deployment.operators.keysFile!,
      HEADS_FILE: headsFile,
    };

    const { leader: first, standbys: [second, last] } = machines;
    const load = new Load(deployment, IN_FLIGHT);
    await until(() => load.acknowledged.length >= ORDERS);
    // The leader drops the standby that hangs. Only the other two servers have the next orders.
    last!.node.freeze();
    await until(async () => {
      const standbys = await deployment!.inNewSession((sql) => sql`select from pg_stat_replication`);
      return standbys.length === 1;
    });
    const known = load.acknowledged.length;
    await until(() => load.acknowledged.length >= known + ORDERS);
    await load.stop();
    await sleep(HEADS_MS);
    await Promise.all([first.lose(), second!.lose()]);
    last!.node.thaw();

    const run = (machine: Machine, commands: string, named = naming(first, second!, last!)) =>
      machines.run(machine, commands, named, environment);
    const [etcd, failover, clean, standby, show, member, ...others] = commandsIn("Promote the last server");
    assertEquals(others, []);
    await server!.stop();
    await run(last!, etcd!);
    await until(async () => !await hasLeader(last!));
    assert(!await isPrimary(last!));
    assertMatch(await run(last!, failover!), /failed over/i);
    await until(() => isPrimary(last!));
    for (const commands of [clean!, standby!]) await run(first, commands);
    await machines.untilWhole(1);
    await run(first, show!);
    await server!.start();
    assertEquals((await checkRefusal(deployment)).violations, []);
    assertEquals((await acceptByTwo(deployment, headsFile, load)).violations, []);

    await run(first, member!);
    await sleep(MEMBER_MS);
    for (const commands of [clean!, standby!, member!]) {
      await run(second!, commands, naming(second!, first, last!));
    }
    await machines.untilWhole();
    assertEquals(machines.leader.name, last!.name);
    // etcd has three members again, so the loss of one does not stop orders.
    await last!.lose();
    await machines.untilWhole(1);
    const orders = await deployment.inNewSession((sql) => readOrders({ sql }));
    await server!.heal();
    await deployment.renewTokens();
    const again = new Load(deployment, IN_FLIGHT);
    await until(() => again.acknowledged.length >= ORDERS);
    await again.stop();
    assertEquals((await checkBooks([...orders, ...again.acknowledged], deployment)).violations, []);
  });

  it("keeps the replication slot of an upgrade when Postgres restarts", async () => {
    const { leader: { node } } = machines;
    const countSlots = async () => {
      const rows = await deployment!.inNewSession((sql) =>
        sql`select from pg_replication_slots where slot_name = 'gold_upgrade'`
      );
      return rows.length;
    };
    const restart = async () => {
      await node.control("restart", "gold", node.name, "--force");
      // The test before lost a machine.
      await machines.untilWhole(1);
    };
    const settings = join(folder, "upgrade.yaml");
    copyFileSync(join(REPOSITORY, "deploy/patroni/upgrade.yaml"), settings);
    for (const path of [folder, settings]) chmodSync(path, 0o755);
    await node.control("edit-config", "--apply", settings, "--force");
    await restart();
    await deployment!.inNewSession((sql) =>
      sql`select pg_create_logical_replication_slot('gold_upgrade', 'pgoutput')`
    );
    await restart();
    await sleep(LOOPS_MS);
    assertEquals(await countSlots(), 1);
    await node.control("edit-config", "--set", "ignore_slots=null", "--force");
    await restart();
    await until(async () => await countSlots() === 0);
  });

  it("makes the leader continue without a promotion if it is the last server", async () => {
    const { leader, standbys } = machines;
    await Promise.all(standbys.map((machine) => machine.lose()));
    await until(async () => (await leader.node.ask())?.role === "replica");
    const [etcd] = commandsIn("Promote the last server");
    await machines.run(leader, etcd!, naming(...standbys, leader));
    await until(() => isPrimary(leader));
  });
});

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Browser } from "playwright-core";
import { findFreePort } from "@gold-partner/dev/postgres";
import { type Started, startUntilReady } from "@gold-partner/dev/testing";
import { assertStringIncludes } from "@std/assert";
import { until } from "../../tools/testing/until.ts";
import { launchBrowser } from "./browser_fixture.ts";

const SSHD = "/usr/sbin/sshd";

/** The console of a bastion, whose port OpenSSH forwards to the person's machine. */
describe("a console behind ssh -L", () => {
  let folder: string;
  let started: Started;
  let browser: Browser;
  const children: ChildProcess[] = [];
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "gold-console-ssh-"));
    started = await startUntilReady(join(folder, "state"), "--port", `${await findFreePort()}`, "--no-demo");
    browser = await launchBrowser();
    await until(() => started.said().includes("/open/"));
  });
  after(async () => {
    await browser?.close();
    for (const child of children) {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
    }
    await started?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const path = (name: string) => join(folder, name);
  const run = (program: string, ...args: string[]) => {
    const child = spawn(program, args, { stdio: ["ignore", "inherit", "inherit"] });
    children.push(child);
  };
  const listens = (port: number) =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => (socket.destroy(), resolve(true)));
      socket.on("error", () => resolve(false));
    });

  it("opens with the port of the person's side, and makes changes", async () => {
    const [sshPort, ownPort] = [await findFreePort(), await findFreePort()];
    for (const key of ["host", "person"]) {
      execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", path(key)]);
    }
    await writeFile(path("authorized_keys"), await readFile(path("person.pub")), { mode: 0o600 });
    // sshd separates its privileges in this folder, if root runs it.
    if (userInfo().uid === 0) await mkdir("/run/sshd", { recursive: true });
    const options = [
      `HostKey ${path("host")}`,
      `AuthorizedKeysFile ${path("authorized_keys")}`,
      ...["PidFile none", "UsePAM no", "StrictModes no", "PermitRootLogin yes", "ListenAddress 127.0.0.1"],
    ];
    run(SSHD, "-D", "-e", "-f", "/dev/null", "-p", `${sshPort}`, ...options.flatMap((one) => ["-o", one]));
    await until(() => listens(sshPort));
    const link = new URL(/http:\/\/\S+\/open\/\S+/.exec(started.said())![0]);
    run(
      "ssh",
      ...["-N", "-q", "-F", "/dev/null", "-i", path("person"), "-p", `${sshPort}`],
      ...["-o", "StrictHostKeyChecking=no", "-o", `UserKnownHostsFile=${path("known_hosts")}`],
      ...["-L", `${ownPort}:127.0.0.1:${link.port}`, `${userInfo().username}@127.0.0.1`],
    );
    await until(() => listens(ownPort));
    link.port = `${ownPort}`;
    const page = await browser.newPage();
    await page.goto(link.href);
    assertStringIncludes(await page.locator("main").innerText(), "Partners buy at");
    await page.goto(page.url() + "do/market/set");
    await page.locator("[name='--exposure']").fill("50000");
    await page.locator("main form button").click();
    await page.getByRole("button", { name: "Yes, do this" }).click();
    await page.waitForURL(`http://127.0.0.1:${ownPort}/*/done/*`);
    assertStringIncludes(await page.locator("main").innerText(), "50000");
  });
});

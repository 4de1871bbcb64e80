import { mkdir, mkdtemp, readdir, readFile, readlink, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { ONE_CERTIFICATE, ONE_LIST, OTHER_CERTIFICATE, OTHER_LIST } from "./samples_fixture.ts";
import { TRUST_FILE, writeTrust } from "./trust_folder.ts";
import { temporaryFolder } from "../../../../tools/testing/temporary_folder.ts";

const ONE = { certificates: [ONE_CERTIFICATE], revocationLists: [ONE_LIST] };
const BOTH = {
  certificates: [ONE_CERTIFICATE, OTHER_CERTIFICATE],
  revocationLists: [ONE_LIST, OTHER_LIST],
};

describe("writeTrust()", () => {
  const root = temporaryFolder("gold-trust");

  const newFolder = () => mkdtemp(join(root, "folder-"));
  const readContext = async (folder: string) => {
    const { resources: [secret, ...rest] } = JSON.parse(await readFile(join(folder, TRUST_FILE), "utf8"));
    assertEquals(rest, []);
    assertEquals(secret.name, "trust");
    assertMatch(secret["@type"], /^type\.googleapis\.com\/envoy\..*\.v3\.Secret$/);
    return secret.validation_context;
  };

  it("creates the folder and writes certificates and lists in one resource", async () => {
    const folder = join(root, "new", "folder");
    assertEquals(await writeTrust(folder, BOTH), true);
    assertEquals(await readContext(folder), {
      trusted_ca: { inline_string: ONE_CERTIFICATE + OTHER_CERTIFICATE },
      crl: { inline_string: ONE_LIST + OTHER_LIST },
      max_verify_depth: 0,
    });
  });

  it("omits the list if there is none, instead of writing an empty list", async () => {
    const folder = await newFolder();
    await writeTrust(folder, { ...ONE, revocationLists: [] });
    assertEquals(await readContext(folder), {
      trusted_ca: { inline_string: ONE_CERTIFICATE },
      max_verify_depth: 0,
    });
  });

  it("activates a version by one link, keeps the previous version and removes the others", async () => {
    const folder = await newFolder();
    await writeTrust(folder, BOTH);
    await writeTrust(folder, ONE);
    const before = await readlink(join(folder, "..data"));
    await writeTrust(folder, BOTH);
    const current = await readlink(join(folder, "..data"));
    assertEquals([before === current, await readlink(join(folder, TRUST_FILE))], [
      false,
      "..data/trust.json",
    ]);
    assertEquals((await readdir(folder)).sort(), ["..data", before, current, TRUST_FILE].sort());
  });

  it("writes nothing if nothing has changed, so that the proxy does not reload", async () => {
    const folder = await newFolder();
    await writeTrust(folder, ONE);
    const before = await readlink(join(folder, "..data"));
    assertEquals(await writeTrust(folder, ONE), false);
    assertEquals(await readlink(join(folder, "..data")), before);
  });

  it("rejects an empty list of CAs and keeps the old file", async () => {
    const folder = await newFolder();
    await writeTrust(folder, ONE);
    await assertRejects(
      () => writeTrust(folder, { certificates: [], revocationLists: [] }),
      Error,
      "refuses everybody",
    );
    assertEquals((await readContext(folder)).trusted_ca.inline_string, ONE_CERTIFICATE);
  });

  it("shows a reader the old file or the new file at every moment", async () => {
    const folder = await newFolder();
    await writeTrust(folder, ONE);
    const whole = new Set<string>();
    let [writing, reads] = [true, 0];
    const reading = (async () => {
      for (; writing; reads++) whole.add((await readContext(folder)).trusted_ca.inline_string);
    })();
    for (let n = 0; n < 50; n++) {
      await writeTrust(folder, n % 2 === 0 ? BOTH : ONE);
      // Wait for two reads, because the first may have begun before the write. The folder keeps only two
      // versions, but even a slow reader then sees each version.
      for (const enough = reads + 2; reads < enough;) await Promise.race([reading, sleep(1)]);
    }
    writing = false;
    await reading;
    assertEquals([...whole].sort(), [ONE_CERTIFICATE, ONE_CERTIFICATE + OTHER_CERTIFICATE].sort());
  });

  it("succeeds after an earlier write was killed", async () => {
    const folder = await newFolder();
    await mkdir(join(folder, "..version_killed"));
    await symlink("..version_killed", join(folder, "..next"));
    await writeFile(join(folder, TRUST_FILE), "a plain file");
    await writeTrust(folder, ONE);
    assertEquals((await readContext(folder)).trusted_ca.inline_string, ONE_CERTIFICATE);
    assertEquals((await readdir(folder)).length, 3);
  });

  it("removes a version that it could not activate, also after several tries", async () => {
    const folder = await newFolder();
    await mkdir(join(folder, "..data", "somebody's"), { recursive: true });
    for (let n = 0; n < 3; n++) await assertRejects(() => writeTrust(folder, ONE));
    assertEquals((await readdir(folder)).filter((name) => name.startsWith("..version_")), []);
  });

  it("writes files that another user can read", async () => {
    const folder = join(root, "masked");
    const mask = process.umask(0o077);
    await writeTrust(folder, ONE).finally(() => process.umask(mask));
    const modeOf = async (name: string) => ((await stat(join(folder, name))).mode & 0o777).toString(8);
    assertEquals([await modeOf(""), await modeOf("..data"), await modeOf(TRUST_FILE)], ["755", "755", "644"]);
  });
});

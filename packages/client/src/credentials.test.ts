import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { GoldClient } from "./gold_client.ts";
import { GoldError } from "./gold_error.ts";
import { SIGNING_KEY } from "./scripted_transport_fixture.ts";
import { temporaryFolder } from "../../../tools/testing/temporary_folder.ts";

const SECRET = "hunter2-hunter2";
const transport = { send: () => Promise.reject(new Error("nobody")), close() {} };

describe("GoldClient's credentials", () => {
  const folder = temporaryFolder("gold-credentials");
  const path = (name: string) => join(folder, name);
  const mistakesOf = async (act: () => Promise<GoldClient>): Promise<string> => {
    const error = await assertRejects(act, GoldError);
    assertEquals(error.code, "configuration_invalid");
    assert(!error.message.includes(SECRET));
    return error.message;
  };

  before(() => {
    for (const name of ["cert.pem", "key.pem"]) writeFileSync(path(name), "no PEM");
    writeFileSync(path("signing_key.json"), SIGNING_KEY);
    const named = { cert: "cert.pem", key: path("key.pem"), signing_key: "signing_key.json" };
    const text = { base_url: "https://localhost:8443", client_id: "sbx_1", client_secret: SECRET };
    writeFileSync(path("credentials.json"), JSON.stringify({ ...text, ...named, webhook_secret: "whsec_" }));
    writeFileSync(path("broken.json"), `{"client_secret":"${SECRET}",`);
  });

  it("are read from a credentials.json, with relative file names, or from single variables", async () => {
    const single = {
      ...{ GOLD_BASE_URL: "https://localhost:8443/", GOLD_CLIENT_ID: "sbx_1", GOLD_CLIENT_SECRET: SECRET },
      ...{ GOLD_CERT: path("cert.pem"), GOLD_KEY: path("key.pem") },
    };
    writeFileSync(path("marked.json"), `\ufeff${readFileSync(path("credentials.json"), "utf8")}`);
    const files = ["credentials.json", "marked.json"].map((name) => ({ GOLD_CREDENTIALS: path(name) }));
    for (const env of [...files, single, { ...single, GOLD_CREDENTIALS: "" }]) {
      assert(await GoldClient.fromEnv(env, { transport }) instanceof GoldClient);
    }
    assert(await GoldClient.fromCredentials(path("credentials.json"), { transport }) instanceof GoldClient);
  });

  it("may list further thumbprints that are known", async () => {
    const members = {
      ...{ base_url: "https://localhost:8443", client_id: "sbx_1", client_secret: SECRET },
      ...{ cert: path("cert.pem"), key: path("key.pem") },
    };
    const known = await GoldClient.fromCredentials({ ...members, known_thumbprints: ["a", "b"] }, {
      transport,
    });
    assertEquals(known.knownThumbprints, ["a", "b"]);
    for (const wrong of ["a", [1], null]) {
      const given = { ...members, known_thumbprints: wrong as never };
      const said = await mistakesOf(() => GoldClient.fromCredentials(given, { transport }));
      assert(said.includes("known_thumbprints must be a list of texts."), said);
    }
  });

  it("cause one error that lists every mistake with the name of its variable", async () => {
    const none = await mistakesOf(() => GoldClient.fromEnv({}));
    for (const name of ["BASE_URL", "CLIENT_ID", "CLIENT_SECRET", "CERT", "KEY", "CREDENTIALS"]) {
      assert(none.includes(`GOLD_${name}`), `${name}: ${none}`);
    }
    assert(!/GOLD_CA|GOLD_SIGNING_KEY/.test(none));
    const missing = { GOLD_CREDENTIALS: path("credentials.json"), GOLD_KEY: path("nowhere.pem") };
    assert((await mistakesOf(() => GoldClient.fromEnv(missing))).includes("GOLD_KEY"));
  });

  it("are never quoted in an error, also when they cannot be read", async () => {
    const broken = await mistakesOf(() => GoldClient.fromEnv({ GOLD_CREDENTIALS: path("broken.json") }));
    assert(broken.includes("GOLD_CREDENTIALS") && broken.includes("not JSON"));
    await mistakesOf(() => GoldClient.fromCredentials(path("absent.json")));
    const unreadable = await mistakesOf(() => GoldClient.fromCredentials(path("credentials.json")));
    assert(unreadable.includes("cert, key, ca"), unreadable);
  });

  it("cause one error that also lists the mistakes of all other options", async () => {
    const options = {
      ...{ baseUrl: "http://localhost", clientId: "", clientSecret: SECRET, triesMax: 0 },
      ...{ timeoutMs: 3_000_000_000, patienceMs: NaN },
      ...{ signingKey: "no key", transport },
    };
    const said = await mistakesOf(() => GoldClient.open(options));
    for (const name of ["baseUrl", "clientId", "triesMax", "timeoutMs", "patienceMs", "signingKey"]) {
      assert(said.includes(`${name}: `), said);
    }
  });
});

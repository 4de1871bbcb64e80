import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { openTransport, type Transport } from "@gold-partner/client";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { Stack } from "../contract/stack_fixture.ts";

const COLLECTION = fileURLToPath(new URL("../../docs/examples/bruno/", import.meta.url));

interface Request {
  readonly name: string;
  readonly method: string;
  readonly url: string;
  readonly form: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  readonly asserts: readonly { readonly path: string; readonly operator: string; readonly value: string }[];
  /** The variables that the reply sets, by the member that gives each. */
  readonly sets: readonly (readonly [name: string, member: string])[];
}

/** Reads the parts of Bruno's format that the collection uses, and refuses every other part. */
function readRequest(file: string): Request {
  const blocks = new Map(
    Array.from(
      readFileSync(join(COLLECTION, file), "utf8").matchAll(/^(\S+) \{\n([\s\S]*?)\n\}$/gm),
      ([, kind, text]) => [kind!, text!],
    ),
  );
  const take = (kind: string): string => {
    const text = blocks.get(kind) ?? "";
    blocks.delete(kind);
    return text;
  };
  const pairs = (text: string, form = /^ +(\S+): (.*)$/gm) =>
    Array.from(text.matchAll(form), ([, name, value]) => [name!, value!] as const);
  const method = blocks.has("get") ? "get" : "post";
  const [asserts, sets] = [take("assert"), take("script:post-response")];
  const { url } = Object.fromEntries(pairs(take(method)));
  const request = {
    name: Object.fromEntries(pairs(take("meta"))).name!,
    method: method.toUpperCase(),
    url: url!,
    form: pairs(take("body:form-urlencoded")),
    body: take("body:json").replace(/^ {2}/gm, ""),
    asserts: Array.from(
      asserts.matchAll(/^ +res\.(\S+): (eq|gte) (.*)$/gm),
      ([, path, operator, value]) => ({ path: path!, operator: operator!, value: value! }),
    ),
    sets: pairs(sets, /^ +bru\.setVar\("(\w+)", res\.body\.(\w+)\);$/gm),
  };
  assertEquals([...blocks.keys()], [], `${file} has parts that this test does not read`);
  for (const [read, text] of [[request.asserts, asserts], [request.sets, sets]] as const) {
    assertEquals(
      read.length,
      text.split("\n").filter((line) => line.trim() !== "").length,
      `${file}\n${text}`,
    );
  }
  return request;
}

describe("the collection for Bruno", () => {
  const requests = readdirSync(COLLECTION).filter((name) => /^\d.*\.bru$/.test(name)).sort().map(readRequest);
  const variables = new Map<string, string>();
  const bru = {
    getEnvVar: (name: string) => variables.get(name),
    getVar: (name: string) => variables.get(name),
    setVar: (name: string, value: string) => void variables.set(name, value),
    interpolate: (text: string) => text.replaceAll(/\{\{(\w+)\}\}/g, (_, name) => variables.get(name)!),
  };
  // Bruno runs the script as CommonJS.
  const script = { exports: {} as { prepareRequest(req: unknown, bru: unknown): Promise<void> } };
  new Function("require", "module", readFileSync(join(COLLECTION, "prepare_request.js"), "utf8"))(
    createRequire(import.meta.url),
    script,
  );
  let stack: Stack;
  let transport: Transport;

  before(async () => {
    stack = await Stack.open();
    const { credentials, state } = stack.running;
    const file = join(state.dir, `bruno_${randomUUID()}.json`);
    writeFileSync(file, JSON.stringify(credentials));
    variables.set("credentials", file);
    const [cert, key, ca] = [credentials.cert, credentials.key, credentials.ca].map((path) =>
      readFileSync(path, "utf8")
    );
    transport = openTransport({ cert: cert!, key: key!, ca: ca! });
  });
  after(async () => {
    transport?.close();
    await stack?.close();
  });

  it("runs the script before each request, with the client certificate", () => {
    assert(requests.length > 0);
    const text = (file: string) => readFileSync(join(COLLECTION, file), "utf8");
    assertStringIncludes(text("collection.bru"), 'require("./prepare_request.js").prepareRequest(req, bru)');
    for (const path of ["cert", "key"]) assertStringIncludes(text("bruno.json"), `{{${path}}}`);
  });

  for (const { name, method, url, form, body, asserts, sets } of requests) {
    it(`sends a request that the service accepts: ${name}`, async () => {
      const headers = new Map([
        ["Content-Type", form.length > 0 ? "application/x-www-form-urlencoded" : "application/json"],
      ]);
      let sent = body;
      await script.exports.prepareRequest({
        getUrl: () => url,
        getMethod: () => method,
        getBody: () => body,
        setBody: (text: string) => sent = text,
        setHeader: (header: string, value: string) => headers.set(header, value),
      }, bru);
      if (form.length > 0) {
        sent = form.map(([member, value]) => `${member}=${encodeURIComponent(bru.interpolate(value))}`).join(
          "&",
        );
      }
      const reply = await transport.send({
        method: method as "GET" | "POST",
        url: bru.interpolate(url),
        headers: Object.fromEntries(headers),
        ...(method === "POST" ? { body: new TextEncoder().encode(bru.interpolate(sent)) } : {}),
        signal: AbortSignal.timeout(30_000),
      });
      const res = { status: reply.status, body: JSON.parse(new TextDecoder().decode(reply.body)) };
      assert(asserts.length > 0);
      for (const { path, operator, value } of asserts) {
        const found = path.split(".").reduce<unknown>(
          (at, part) => (at as Record<string, unknown>)?.[part],
          res,
        );
        if (operator === "gte") assert(Number(found) >= Number(value), `${path} is ${found}`);
        else assertEquals([path, `${found}`], [path, value]);
      }
      for (const [variable, member] of sets) variables.set(variable, res.body[member]);
    });
  }
});

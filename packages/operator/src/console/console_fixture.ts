import { readFile } from "node:fs/promises";
import { type IncomingHttpHeaders, request } from "node:http";
import { join } from "node:path";
import { temporaryFolder } from "../../../../tools/testing/temporary_folder.ts";
import { gold } from "../gold.ts";

interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

type Headers = Readonly<Record<string, string>>;

/** A console that serves, and what a browser or an attacker sends to it. */
export interface TestConsole {
  readonly origin: string;
  readonly link: string;
  /** The secret path. */
  readonly base: () => string;
  readonly linkFile: string;
  /** The one-time link of the file. */
  readonly nextLink: () => Promise<string>;
  /** Opens a link, and returns the header with the cookie. */
  readonly enter: (link?: string) => Promise<Headers>;
  /** Gets a page below the console's secret path, or below another one. */
  readonly get: (path: string, headers?: Headers, base?: string) => Promise<Reply>;
  /** Sends a form, as its own page would unless the headers say otherwise. */
  readonly post: (path: string, fields: Headers, headers?: Headers) => Promise<Reply>;
  /** Sends a form with this body. */
  readonly send: (path: string, body: string | Uint8Array, headers?: Headers) => Promise<Reply>;
  readonly stop: () => Promise<void>;
}

/** Runs `gold console` with these settings. */
export async function openConsole(env: Headers, ...options: readonly string[]): Promise<TestConsole> {
  const linkFile = join(temporaryFolder("gold-console"), "link");
  const ending = new AbortController();
  let ended: Promise<unknown> = Promise.resolve();
  const link = await new Promise<string>((resolve, reject) => {
    const argv = ["console", "--json", "--port", "0", "--link-file", linkFile, ...options];
    ended = gold(argv, {
      env,
      out: (text) => resolve(JSON.parse(text).console),
      err: (text) => reject(new Error(text)),
      now: () => new Date(),
      random: (length) => crypto.getRandomValues(new Uint8Array(length)),
      ending: ending.signal,
    });
  });
  const { origin } = new URL(link);
  const send = (method: string, path: string, headers: Headers, body?: string | Uint8Array) =>
    new Promise<Reply>((resolve, reject) => {
      const sent = request(new URL(path, origin), { method, headers }, (reply) => {
        let text = "";
        reply.setEncoding("utf8").on("data", (part) => text += part).on(
          "end",
          () => resolve({ status: reply.statusCode!, headers: reply.headers, text }),
        );
      });
      sent.on("error", reject).end(body);
    });
  let secret = "/";
  const under = (path: string, base = secret) => base.replace(/\/$/, "") + path;
  const get: TestConsole["get"] = (path, headers = {}, base) => send("GET", under(path, base), headers);
  const sendForm: TestConsole["send"] = (path, body, headers = {}) =>
    send(
      "POST",
      under(path),
      { origin, "content-type": "application/x-www-form-urlencoded", ...headers },
      body,
    );
  return {
    origin,
    link,
    base: () => secret,
    linkFile,
    nextLink: async () => (await readFile(linkFile, "utf8")).trim(),
    async enter(given = link) {
      const { headers } = await get(new URL(given).pathname, {}, "");
      secret = headers.location ?? secret;
      const [cookie] = headers["set-cookie"] ?? [];
      return cookie === undefined ? {} : { cookie: cookie.split(";")[0]! };
    },
    get,
    post: (path, fields, headers) => sendForm(path, new URLSearchParams(fields).toString(), headers),
    send: sendForm,
    async stop() {
      ending.abort();
      await ended;
    },
  };
}

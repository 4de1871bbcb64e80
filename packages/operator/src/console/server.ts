import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { getRequestListener } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { html } from "hono/html";
import { printableJson } from "@gold-partner/server";
import type { Invocation, Result } from "../command.ts";
import { EXIT, Failure, failureOf, usage } from "../failure.ts";
import { readInbox } from "../views/inbox.ts";
import { Access } from "./access.ts";
import { act, backLink, formOf, questionOf, readSent } from "./acting.ts";
import { ACTIONS } from "./actions.ts";
import { readAsset } from "./assets.ts";
import { csvOf } from "./csv.ts";
import { type Desk, openDesk, tell } from "./desk.ts";
import { type Env, giveCookie, guard } from "./guard.ts";
import { badge, type Frame, layout } from "./layout.ts";
import { day } from "./pages/day.ts";
import * as lists from "./pages/lists.ts";
import * as records from "./pages/records.ts";
import { today } from "./pages/today.ts";
import { type Html, resultOf } from "./render.ts";
import { readSeries } from "./series.ts";
import { PAGES, TEXT } from "./texts.ts";

const LOOPBACK = "127.0.0.1";
/** Larger than a certificate request and a public key. */
const MOST_BYTES = 1_000_000;
/** How many results of actions can be read again. */
const MOST_RESULTS = 100;

type Page = (desk: Desk, query: lists.Query) => Promise<Html>;
const LISTS: Readonly<Record<string, Page>> = {
  "/": today,
  "/inbox": lists.inbox,
  "/orders": lists.orders,
  "/quotes": lists.quotes,
  "/partners": lists.partners,
  "/money": lists.money,
  "/market": lists.market,
  "/stock": lists.stock,
  "/people": lists.people,
  "/audit": lists.audit,
  "/day": day,
};
const RECORDS: Readonly<Record<string, (desk: Desk, id: string, query: lists.Query) => Promise<Html>>> = {
  "order/:id": records.order,
  "partner/:id": records.partner,
  "partner/:id/statement": records.statement,
  "proposal/:id": records.proposal,
  "withdrawal/:id": records.withdrawal,
  "deposit/:id": records.deposit,
  "event/:id": records.event,
  "request/:id": records.request,
};

/** A console that serves. */
export interface Served {
  readonly port: number;
  /** Returns the address that opens the console, once. The one before is void. */
  readonly renewLink: () => string;
  readonly close: () => Promise<void>;
}

interface Options {
  readonly port: number;
  /** Called after a one-time link was used, so that the file gets the next one. */
  readonly onOpened: () => Promise<void>;
}

/** Serves the console of one person on loopback. */
export async function serveConsole(invocation: Invocation, { port, onOpened }: Options): Promise<Served> {
  const access = new Access(invocation.random);
  const folder = await mkdtemp(join(tmpdir(), "gold-console-"));
  const app = createApp(invocation, access, folder, onOpened);
  const server = createServer(getRequestListener(app.fetch));
  await listen(server, port);
  const bound = (server.address() as AddressInfo).port;
  return {
    port: bound,
    renewLink: () => `http://${LOOPBACK}:${bound}/open/${access.renewLink()}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const listen = (server: Server, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.on("error", (error: NodeJS.ErrnoException) => {
      reject(
        error.code === "EADDRINUSE" ? usage(`Port ${port} is in use. Give another one with --port.`) : error,
      );
    });
    server.listen(port, LOOPBACK, resolve);
  });

function createApp(
  invocation: Invocation,
  access: Access,
  folder: string,
  onOpened: () => Promise<void>,
): Hono<Env> {
  const app = new Hono<Env>();
  const nonce = () => randomBytes(16).toString("base64url");
  const cookie = `gold_console_${randomBytes(4).toString("hex")}`;
  const results = new Map<
    string,
    { readonly result: Result; readonly files: readonly string[]; readonly back: Html }
  >();

  app.use(guard(access, cookie, nonce));
  app.use(bodyLimit({ maxSize: MOST_BYTES }));

  app.get("/open/:link", async (c) => {
    const browser = access.openLink(c.req.param("link"));
    if (browser === undefined) return c.text(TEXT.usedLink, 403);
    giveCookie(c, cookie, browser);
    await onOpened();
    return c.redirect("/", 303);
  });

  app.get("/assets/:name", async (c) => {
    const asset = await readAsset(c.req.param("name"));
    if (!asset) return c.text(TEXT.notFound, 404);
    return c.body(asset[1], 200, { "Content-Type": asset[0], "Cache-Control": "private, max-age=3600" });
  });

  const frameOf = async (c: Context<Env>): Promise<Frame> => {
    const [[row], inbox, { environment }] = await Promise.all([
      invocation.read`select session_user as login`,
      readInbox(invocation.read),
      invocation.db().then((db) => db.deployment()),
    ]);
    return {
      login: row!.login,
      environment,
      nonce: c.get("nonce"),
      path: c.req.path,
      waiting: inbox.length,
      form: () => access.newForm(),
    };
  };
  /** Answers with a page. If it cannot be made, the page says why. */
  const show = async (c: Context<Env>, title: string, make: (desk: Desk) => Promise<Html>) => {
    try {
      const frame = await frameOf(c);
      const content = await make(openDesk(invocation, frame)).catch((error) => {
        c.status(statusOf(failureOf(error)));
        return tell(failureOf(error));
      });
      return c.html(layout(frame, title, content));
    } catch (error) {
      // Without the database, a page has no frame.
      return c.html(
        html`
          <!doctype html>
          <title>${title}</title>
          <main id="live">${tell(failureOf(error))}</main>
        `,
        503,
      );
    }
  };

  for (const [path, page] of Object.entries(LISTS)) {
    app.get(path, (c) => show(c, PAGES[path]!, (desk) => page(desk, c.req.query())));
  }
  app.get("/search", (c) => show(c, TEXT.search, (desk) => lists.search(desk, c.req.query())));
  app.get(
    "/waiting",
    async (c) => c.html(badge({ waiting: (await readInbox(invocation.read)).length, nonce: c.get("nonce") })),
  );
  app.get("/series.json", async (c) => c.json(await readSeries(invocation)));
  app.get("/partner/:id/:file{statement\\.(csv|json)}", async (c) => {
    const { run } = openDesk(invocation, await frameOf(c));
    const { object, items, lists: more } = await run(
      "statement",
      c.req.param("id"),
      ...records.periodOf(c.req.query()),
    );
    const isCsv = c.req.param("file").endsWith("csv");
    const text = isCsv ? csvOf(items!) : printableJson({ ...object, items, ...more });
    const type = isCsv ? "text/csv; charset=utf-8" : "application/json";
    return c.body(text, 200, {
      "Content-Type": type,
      "Content-Disposition": `attachment; filename="${c.req.param("file")}"`,
    });
  });
  for (const [path, page] of Object.entries(RECORDS)) {
    app.get(`/${path}`, (c) => {
      const id = c.req.param("id") as string;
      return show(c, titleOf(path, id), (desk) => page(desk, id, c.req.query()));
    });
  }

  app.get("/do/:noun/:verb", (c) => {
    const action = actionOf(c);
    return show(
      c,
      action.label,
      ({ frame }) => Promise.resolve(formOf(frame, action, c.req.query(), refererOf(c))),
    );
  });
  app.post("/do/:noun/:verb", async (c) => {
    const action = actionOf(c);
    const sent = await readSent(await c.req.parseBody({ all: true }), folder);
    if (!access.takeForm(sent.form?.[0] ?? "")) {
      return await show(
        c,
        action.label,
        () => Promise.reject(new Failure(EXIT.refused, "refused", TEXT.usedForm)),
      );
    }
    const outcome = await act(invocation, action, sent, folder);
    if (outcome.kind === "done") {
      const id = nonce();
      results.set(id, { ...outcome, back: backLink(sent) });
      if (results.size > MOST_RESULTS) results.delete(results.keys().next().value!);
      return c.redirect(`/done/${id}`, 303);
    }
    return await show(c, action.label, ({ frame }) => {
      if (outcome.kind === "asks") {
        return Promise.resolve(questionOf(frame, action, sent, outcome.asked, outcome.answers));
      }
      c.status(statusOf(outcome.failure));
      return Promise.resolve(
        html`${tell(outcome.failure)}${commandOf(outcome.failure, outcome.argv)}<p>${backLink(sent)}</p>`,
      );
    });
  });
  app.get("/done/:id", (c) =>
    show(c, TEXT.done, () => {
      const found = results.get(c.req.param("id"));
      if (!found) throw new Failure(EXIT.refused, "not_found", TEXT.notFound);
      return Promise.resolve(html`${resultOf(found.result)}${filesOf(found.files)}<p>${found.back}</p>`);
    }));
  app.get("/file/:name", async (c) => {
    const name = basename(c.req.param("name"));
    const known = [...results.values()].some(({ files }) => files.some((file) => basename(file) === name));
    const text = known ? await readFile(join(folder, name)).catch(() => undefined) : undefined;
    if (text === undefined) return c.text(TEXT.notFound, 404);
    return c.body(new Uint8Array(text), 200, {
      "Content-Type": "application/octet-stream",
      "Content-Disposition": `attachment; filename="${name.slice(37)}"`,
    });
  });
  app.notFound((c) =>
    show(c, TEXT.failed, () => Promise.reject(new Failure(EXIT.refused, "not_found", TEXT.notFound)))
  );
  app.onError((error, c) => c.text(failureOf(error).message, statusOf(failureOf(error))));
  return app;
}

/** The path of the page from which the person came. */
function refererOf(c: Context<Env>): string {
  const referer = c.req.header("referer") ?? "";
  return URL.canParse(referer) ? new URL(referer).pathname : "/";
}

function actionOf(c: Context<Env>) {
  const words = `${c.req.param("noun")} ${c.req.param("verb")}`;
  const action = ACTIONS.get(words);
  if (!action) throw new Failure(EXIT.refused, "not_found", TEXT.notFound);
  return action;
}

const statusOf = ({ exit, code }: Failure) =>
  code === "not_found" ? 404 : code === "not_permitted" ? 403 : exit === EXIT.dependency ? 503 : 422;

const titleOf = (path: string, id: string): string => {
  const noun = path.split("/").filter((word) => word !== ":id").join(" ");
  return `${noun.charAt(0).toUpperCase()}${noun.slice(1)} ${id}`;
};

/** The command for a terminal, if the person's key cannot be used from a page. */
const commandOf = ({ code }: Failure, argv: readonly string[]): Html =>
  KEY_CODES.includes(code)
    ? html`
      <p>${TEXT.terminal}</p>
      <pre>gold ${argv.map(quote).join(" ")}</pre>
    `
    : html``;
const KEY_CODES = [
  "ssh_key_unknown",
  "key_absent",
  "passphrase_wrong",
  "agent_failed",
  "touch_timed_out",
  "not_signed",
];
const quote = (word: string): string =>
  /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

const filesOf = (files: readonly string[]): Html =>
  files.length === 0 ? html`` : html`
    <h2>${TEXT.files}</h2>
    <ul>${files.map((file) =>
      html`<li><a href="/file/${basename(file)}">${basename(file).slice(37)}</a></li>`
    )}</ul>
  `;

import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { html } from "hono/html";
import { HTTPException } from "hono/http-exception";
import { bodyOf } from "@gold-partner/server";
import type { Invocation, Result } from "../command.ts";
import { statementCsv } from "../commands/views/statement.ts";
import { EXIT, Failure, failureOf, usage } from "../failure.ts";
import { jsonParts } from "../output.ts";
import { readInbox } from "../views/inbox.ts";
import type { Access } from "./access.ts";
import { act, backLink, countFields, formOf, pageOf, questionOf, readSent, type Sent } from "./acting.ts";
import { type Action, ACTIONS } from "./actions.ts";
import { readAsset } from "./assets.ts";
import { failureText, openPage, type Page } from "./page.ts";
import { type Env, giveCookie, guard } from "./guard.ts";
import { arrival, badge, type Frame, layout } from "./layout.ts";
import { change } from "./pages/change.ts";
import { day } from "./pages/day.ts";
import * as lists from "./pages/lists.ts";
import * as records from "./pages/records.ts";
import { live, today } from "./pages/today.ts";
import { type Html, resultOf } from "./render.ts";
import { readSeries } from "./series.ts";
import { PAGES, TEXT } from "./texts.ts";

/** Larger than a certificate request and a public key. */
const MOST_BYTES = 1_000_000;
/** The maximum of fields in a form, and of their lines, such as withdrawals. A command looks up each one. */
const MOST_FIELDS = 1_000;
/** How many results of actions can be read again. */
const MOST_RESULTS = 100;
/** A page that takes longer fails. A lost connection may never answer. */
const DEADLINE_MS = 10_000;
/** The name of a file in the console's own folder begins with a UUID and a hyphen. */
const PREFIX = /^[0-9a-f-]{36}-/;

const LISTS: Readonly<Record<string, (page: Page, query: lists.Query) => Promise<Html>>> = {
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
const RECORDS: Readonly<Record<string, (page: Page, id: string, query: lists.Query) => Promise<Html>>> = {
  "/order/:id": records.order,
  "/partner/:id": records.partner,
  "/partner/:id/statement": records.statement,
  "/proposal/:id": records.proposal,
  "/withdrawal/:id": records.withdrawal,
  "/deposit/:id": records.deposit,
  "/event/:id": records.event,
  "/request/:id": records.request,
  "/change/:id": change,
};

interface Place {
  readonly access: Access;
  /** The folder for uploads and for the files that commands write. */
  readonly folder: string;
  /** The secret path. Every page is below it. */
  readonly base: string;
  readonly onOpened: () => Promise<void>;
}

interface Done {
  readonly result: Result;
  readonly files: readonly string[];
  readonly back: Html;
}

/** The failures after which the connections are given up, and a page has no frame. */
const GONE = ["database_silent", "database_unreachable", "outcome_unknown"];

/** All addresses of a console. */
export function createRoutes(invocation: Invocation, { access, folder, base, onOpened }: Place): Hono<Env> {
  const app = new Hono<Env>();
  const inside = new Hono<Env>();
  const newToken = () => randomBytes(16).toString("base64url");
  const results = new Map<string, Done>();
  /** The path of each file that a command wrote, by its name. */
  const files = new Map<string, string>();
  const grafana = readGrafana(invocation.env.GRAFANA_URL);
  const whose = invocation.ownOptions;
  let facts: Promise<Pick<Frame, "login" | "environment">> | undefined;

  app.use(guard(access, base, newToken));
  app.use(bodyLimit({ maxSize: MOST_BYTES, onError: (c) => c.text(TEXT.tooLarge(MOST_BYTES), 413) }));
  app.get("/open/:link", async (c) => {
    const browser = access.openLink(c.req.param("link"));
    if (browser === undefined) return c.text(TEXT.usedLink, 403);
    giveCookie(c, base, browser);
    await onOpened().catch((error) => invocation.progress(`The link file was not written: ${error.message}`));
    return c.redirect(base, 303);
  });
  app.onError((error, c) =>
    error instanceof HTTPException
      ? error.getResponse()
      : c.text(failureOf(error).message, statusOf(failureOf(error)))
  );

  /** Waits for a page. If the database is gone, gives up the connections, so that the next page opens others. */
  async function inTime<T>(work: Promise<T>): Promise<T> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => reject(new Failure(EXIT.dependency, "database_silent", TEXT.silent)),
        DEADLINE_MS,
      );
    });
    try {
      return await Promise.race([work, late]);
    } catch (error) {
      if (GONE.includes(failureOf(error).code)) invocation.reconnect();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  async function readFacts(): Promise<Pick<Frame, "login" | "environment">> {
    const [row] = await invocation.read`select session_user as login`;
    const { environment } = await (await invocation.db()).deployment();
    return { login: row!.login, environment };
  }

  async function frameOf(c: Context<Env>): Promise<Frame> {
    facts ??= readFacts().catch((error) => {
      facts = undefined;
      throw error;
    });
    const [known, inbox] = await Promise.all([facts, readInbox(invocation.read)]);
    return {
      ...known,
      base,
      grafana,
      nonce: c.get("nonce"),
      path: c.req.path.slice(base.length - 1),
      inbox,
      form: () => access.newForm(),
    };
  }

  /** Answers with a page. If it cannot be made, the page says why, and what `failed` before. */
  async function show(
    c: Context<Env>,
    title: string,
    make: (page: Page) => Html | Promise<Html>,
    failed?: Failure,
  ) {
    try {
      return await inTime((async () => {
        const frame = await frameOf(c);
        const content = await (async () => await make(openPage(invocation, frame)))().catch((error) => {
          const failure = failureOf(error);
          if (GONE.includes(failure.code)) throw failure;
          c.status(statusOf(failure));
          return failureText(failure);
        });
        return c.html(layout(frame, title, content));
      })());
    } catch (error) {
      // Without the database, a page has no frame.
      const page = html`
        <!doctype html>
        <html lang="en"><title>${title}</title>${failed ? failureText(failed) : ""}${failureText(
          failureOf(error),
        )}</html>
      `;
      return c.html(page, statusOf(failureOf(error)));
    }
  }

  inside.get("/assets/:name", async (c) => {
    const asset = await readAsset(c.req.param("name"));
    if (!asset) return c.text(TEXT.notFound, 404);
    return c.body(asset[1], 200, { "Content-Type": asset[0], "Cache-Control": "private, max-age=3600" });
  });
  for (const [path, page] of Object.entries(LISTS)) {
    inside.get(path, (c) => show(c, PAGES[path]!, (given) => page(given, c.req.query())));
  }
  inside.get("/search", (c) => show(c, TEXT.search, (given) => lists.search(given, c.req.query())));
  inside.get(
    "/live",
    async (c) => c.html(await inTime(frameOf(c).then((frame) => live(openPage(invocation, frame))))),
  );
  inside.get("/waiting", async (c) => {
    const inbox = await inTime(readInbox(invocation.read));
    return c.html(badge(inbox, c.get("nonce")));
  });
  inside.get("/series.json", async (c) => c.json(await inTime(readSeries(invocation))));
  for (const [path, page] of Object.entries(RECORDS)) {
    inside.get(path, (c) => {
      const id = c.req.param("id") as string;
      return show(c, titleOf(path, id), (given) => page(given, id, c.req.query()));
    });
  }
  inside.get("/partner/:id/:file{statement\\.(csv|json)}", async (c) => {
    const { run } = openPage(invocation, await inTime(frameOf(c)));
    const result = await inTime(
      run("statement", ...records.periodOf(c.req.query()), "--", c.req.param("id")),
    );
    const { client_id, from, to } = result.object!;
    const kind = c.req.param("file").slice("statement.".length);
    const parts = kind === "csv" ? statementCsv(result) : jsonParts(result);
    return c.body(bodyOf(parts, c.env.outgoing), 200, {
      "Content-Type": kind === "csv" ? "text/csv; charset=utf-8" : "application/json",
      "Content-Disposition": `attachment; filename="statement_${client_id}_${from}_${to}.${kind}"`,
    });
  });

  inside.get("/do/:noun/:verb", async (c) => {
    const { PROPOSAL: id, ...given } = c.req.query();
    if (findAction(c) && c.req.param("noun") === "proposal") {
      // Its own page shows what changes, and has the buttons.
      return c.redirect(base + (id ? `proposal/${encodeURIComponent(id)}` : "inbox"), 303);
    }
    // A link of another page, or of an e-mail, opens an empty form.
    const isOwn = c.req.header("sec-fetch-site") === "same-origin";
    return await show(
      c,
      labelOf(c),
      ({ frame }) => formOf(frame, actionOf(c), isOwn ? given : {}, refererOf(c, base)),
    );
  });
  inside.post("/do/:noun/:verb", async (c) => {
    const bytes = Buffer.from(await c.req.arrayBuffer());
    if (countFields(c.req.header("content-type"), bytes) > MOST_FIELDS) throw tooMany();
    const body = await c.req.parseBody({ all: true }).catch(() => {
      throw new HTTPException(400, { message: TEXT.unreadable });
    });
    if (!access.takeForm(`${body.form}`)) {
      return await show(c, labelOf(c), () => {
        throw new Failure(EXIT.refused, "refused", TEXT.usedForm);
      });
    }
    const action = actionOf(c);
    const sent = await readSent(body, folder);
    if (Object.values(sent).flat().join("\n").split("\n").length > MOST_FIELDS) throw tooMany();
    const outcome = await act(invocation, action, sent, folder);
    for (const file of outcome.kind === "asks" ? [] : outcome.files) files.set(basename(file), file);
    if (outcome.kind === "done") {
      const id = newToken();
      results.set(id, { ...outcome, back: backLink(sent) });
      if (results.size > MOST_RESULTS) results.delete(results.keys().next().value!);
      return c.redirect(`${base}done/${id}`, 303);
    }
    if (outcome.kind === "asks") {
      return await show(c, action.label, ({ frame }) => questionOf(frame, action, sent, outcome.asked));
    }
    const { failure, argv } = outcome;
    return await show(c, action.label, ({ frame }) => {
      c.status(statusOf(failure));
      return html`${failureText(failure)}${commandOf(failure, [...argv, ...whose])}${filesOf(outcome.files)}${
        again(frame, action, sent)
      }<p>${backLink(sent)}</p>`;
    }, failure);
  });
  inside.get("/done/:id", (c) =>
    show(c, TEXT.done, () => {
      const id = c.req.param("id");
      const found = results.get(id);
      if (!found) throw missing();
      if (hasSecret(found.result)) results.delete(id);
      return html`${resultOf(found.result)}${filesOf(found.files)}<p>${found.back}</p>`;
    }));
  inside.get("/file/:name", async (c) => {
    const name = c.req.param("name");
    const path = files.get(name);
    const text = path === undefined ? undefined : await readFile(path).catch(() => undefined);
    if (text === undefined) return c.text(TEXT.notFound, 404);
    return c.body(new Uint8Array(text), 200, {
      "Content-Type": "application/octet-stream",
      "Content-Disposition": `attachment; filename="${name.replace(PREFIX, "")}"`,
    });
  });
  inside.get("*", (c) =>
    show(c, TEXT.failed, () => {
      throw missing();
    }));
  app.route(base, inside);
  app.get("*", (c) => c.html(arrival(c.get("nonce")), 403));
  return app;
}

/** A new secret is shown once. */
const hasSecret = ({ object = {} }: Result): boolean =>
  Object.keys(object).some((name) => name.endsWith("_secret"));

function readGrafana(url: string | undefined): string | undefined {
  if (!url) return undefined;
  if (/^https?:\/\//.test(url) && URL.canParse(url)) return url;
  throw usage(`GRAFANA_URL must be the URL of your dashboards; got ${url}.`);
}

/** The path of the page from which the person came. */
function refererOf(c: Context<Env>, base: string): string {
  const referer = c.req.header("referer") ?? "";
  const path = URL.canParse(referer) ? new URL(referer).pathname : base;
  return path.startsWith(base) ? path.slice(base.length - 1) : "/";
}

const tooMany = () => new HTTPException(413, { message: TEXT.tooMany(MOST_FIELDS) });

const missing = () => new Failure(EXIT.refused, "not_found", TEXT.notFound);

const findAction = (c: Context<Env>): Action | undefined =>
  ACTIONS.get(`${c.req.param("noun")} ${c.req.param("verb")}`);

function actionOf(c: Context<Env>): Action {
  const action = findAction(c);
  if (!action) throw missing();
  return action;
}

const labelOf = (c: Context<Env>): string => findAction(c)?.label ?? TEXT.failed;

/** The form once more, with what the person typed, if it has a field that the person filled. */
const again = (frame: Frame, action: Action, sent: Sent): Html =>
  action.fields.some(({ name }) => name.startsWith("--") && !["--sha256", "--secrets"].includes(name))
    ? formOf(
      frame,
      action,
      Object.fromEntries(Object.entries(sent).map(([name, values]) => [name, values.join("\n")])),
      pageOf(sent),
    )
    : html``;

const statusOf = ({ exit, code }: Failure) =>
  code === "not_found"
    ? 404
    : code === "not_permitted"
    ? 403
    : exit === EXIT.dependency && !KEY_CODES.includes(code)
    ? 503
    : 422;

const titleOf = (path: string, id: string): string => {
  const noun = path.split("/").filter((word) => word !== ":id").join(" ").trim();
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
const KEY_CODES = "ssh_key_unknown key_absent passphrase_wrong agent_failed touch_timed_out not_signed".split(
  " ",
);
const quote = (word: string): string =>
  /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

const filesOf = (files: readonly string[]): Html =>
  files.length === 0 ? html`` : html`
    <h2>${TEXT.files}</h2>
    <ul>${files.map((file) =>
      html`<li><a href="./file/${basename(file)}">${basename(file).replace(PREFIX, "")}</a></li>`
    )}</ul>
  `;

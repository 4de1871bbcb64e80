import type { Buffer } from "node:buffer";
import { createHash, randomUUID } from "node:crypto";
import { readdir, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { html } from "hono/html";
import type { Dialog, Invocation, Result } from "../command.ts";
import { EXIT, Failure, failureOf } from "../failure.ts";
import type { Action, Field } from "./actions.ts";
import { pathOf } from "./actions.ts";
import type { Frame } from "./layout.ts";
import { type Html, lineOf, pairs, resultOf } from "./render.ts";
import { TEXT } from "./texts.ts";

/** What a browser sent with a form. A field may have several values. A file is the name of its copy. */
export type Sent = Readonly<Record<string, readonly string[]>>;

/** How an action ended: it is done, it asks something, or it failed. */
type Outcome =
  | { readonly kind: "done"; readonly result: Result; readonly files: readonly string[] }
  | { readonly kind: "asks"; readonly asked: Asked }
  | {
    readonly kind: "failed";
    readonly failure: Failure;
    readonly argv: readonly string[];
    readonly files: readonly string[];
  };

/** A question that the person has not answered yet. */
class Asked extends Failure {
  readonly question: string;
  readonly isText: boolean;
  readonly shown: readonly Result[];
  /** The answers to the questions before this one. */
  readonly answers: readonly Answer[];
  /** Whether the person answered a question that has changed since. */
  readonly hasChanged: boolean;
  constructor(parts: Pick<Asked, "question" | "isText" | "shown" | "answers" | "hasChanged">) {
    super(EXIT.usage, "asks", parts.question);
    ({
      question: this.question,
      isText: this.isText,
      shown: this.shown,
      answers: this.answers,
      hasChanged: this.hasChanged,
    } = parts);
  }
}

/** An answer, and the digest of the question that the person saw. */
interface Answer {
  readonly question: string;
  readonly answer: string;
}

/** What differs each time that a command asks, such as the id of a new document. */
const VOLATILE = ["batch", "message_id", "file", "sha256"];

/**
 * The digest of what an answer is for: of the question and of what was shown with it, or of the hash that the person
 * read before.
 */
function digestOf(
  { question, isText, shown }: Pick<Asked, "question" | "isText" | "shown">,
  { binding, volatile }: Action,
  sent: Sent,
): string {
  const wording = volatile ? question.replace(volatile, "") : question;
  const seen = binding === "hash" ? [sent["--sha256"]?.[0], isText] : binding === "wording" ? wording : [
    wording,
    JSON.stringify(shown, (name, value) => VOLATILE.includes(name) ? undefined : value),
  ];
  return createHash("sha256").update(JSON.stringify(seen)).digest("base64url");
}

/**
 * Runs the command of an action with what the browser sent. At the first question without an answer, the command
 * stops and a page shows the question. When the person has answered, the command runs again from the start.
 */
export async function act(
  invocation: Invocation,
  action: Action,
  sent: Sent,
  folder: string,
): Promise<Outcome> {
  const answers = listOf(sent.question).map((question, index): Answer => ({
    question,
    answer: listOf(sent.answer)[index] ?? "",
  }));
  const file = fileOf(action, invocation, folder);
  const [words, given] = [action.words.split(" "), argumentsOf(action.fields, sent, folder)];
  const argvFor = (
    out: string | undefined,
  ) => [...words, ...(out === undefined ? [] : ["--out", out]), ...given];
  const shown: Result[] = [];
  const dialog = pageDialog(answers, shown, (asked) => digestOf(asked, action, sent));
  try {
    const result = await invocation.again(argvFor(file), dialog);
    const notices = [...shown, result].flatMap(({ notice }) => notice ?? []);
    return { kind: "done", result: { ...result, notice: notices.join("\n") }, files: await filesLike(file) };
  } catch (error) {
    if (error instanceof Asked) return { kind: "asks", asked: error };
    return {
      kind: "failed",
      failure: failureOf(error),
      argv: argvFor(action.file),
      files: await filesLike(file),
    };
  }
}

/**
 * Returns the path of the file that a command writes. `day sign` writes to the folder in which the person
 * started the console, so that the file remains. Other files go to the console's own folder, which it removes
 * when it ends.
 */
function fileOf({ words, file }: Action, { path, now }: Invocation, folder: string): string | undefined {
  if (file === undefined) return undefined;
  if (words === "day sign") return path(`${now().toISOString().replaceAll(":", "-")}-${file}`);
  return join(folder, `${randomUUID()}-${file}`);
}

/** The files that a command wrote: this one, its signature, and a draft that it kept. */
const filesLike = async (file: string | undefined): Promise<string[]> =>
  file === undefined
    ? []
    : (await readdir(dirname(file))).filter((name) => name.startsWith(basename(file))).map((name) =>
      join(dirname(file), name)
    );

/** A command asks the page, which has the answers that the person gave so far. Adds what it shows to `shown`. */
function pageDialog(
  answers: readonly Answer[],
  shown: Result[],
  digest: (asked: Pick<Asked, "question" | "isText" | "shown">) => string,
): Dialog {
  let count = 0;
  const answerTo = (question: string, isText: boolean): string => {
    const given = answers[count];
    if (given?.question === digest({ question, isText, shown })) {
      count++;
      return given.answer;
    }
    const hasChanged = given !== undefined;
    throw new Asked({ question, isText, shown, answers: answers.slice(0, count), hasChanged });
  };
  return {
    mayUseTerminal: false,
    aside: (work) => work(),
    confirm: (question) => Promise.resolve(void answerTo(question, false)),
    askText: (question) => Promise.resolve(answerTo(question, true)),
    progress: (notice) => void shown.push({ notice }),
    print: () => {},
    show: (result) => void shown.push(result),
  };
}

const listOf = (values: readonly string[] = []): string[] =>
  values.map((text) => text.trim()).filter((text) => text !== "");

function argumentsOf(fields: readonly Field[], sent: Sent, folder: string): string[] {
  const [words, options]: [string[], string[]] = [[], []];
  for (const { name, kind } of fields) {
    const texts = kind === "lines" ? (sent[name] ?? []).flatMap((text) => text.split(/\r?\n/)) : sent[name];
    const given = listOf(texts).map((text) => kind === "file" ? join(folder, basename(text)) : text);
    if (!name.startsWith("--")) words.push(...given);
    else if (kind === "flag") options.push(...given.slice(0, 1).map(() => name));
    else options.push(...given.map((text) => `${name}=${text}`));
  }
  return [...options, ...(words.length > 0 ? ["--", ...words] : [])];
}

/** Counts the fields of a form before it is parsed, because each field makes the parser slower. */
export function countFields(type = "", body: Buffer): number {
  const boundary = /^multipart\/[^]*?boundary="?([^";]+)/i.exec(type)?.[1];
  const separator = boundary ?? "&";
  let count = 1;
  for (let at = 0; (at = body.indexOf(separator, at)) >= 0; at += separator.length) count++;
  return count;
}

/** Reads a form. Saves its files in the folder, under random names. */
export async function readSent(body: Readonly<Record<string, unknown>>, folder: string): Promise<Sent> {
  const sent = new Map<string, string[]>();
  for (const [name, value] of Object.entries(body)) {
    const values = Array.isArray(value) ? value : [value];
    sent.set(
      name,
      await Promise.all(values.map((one) => one instanceof File ? keepFile(one, folder) : `${one}`)),
    );
  }
  return Object.fromEntries(sent);
}

async function keepFile(file: File, folder: string): Promise<string> {
  if (file.size === 0) return "";
  const name = randomUUID();
  await writeFile(join(folder, name), new Uint8Array(await file.arrayBuffer()), { mode: 0o600 });
  return name;
}

/** The form of an action, with the values that are known. */
export function formOf(
  frame: Frame,
  action: Action,
  given: Readonly<Record<string, string>>,
  from: string,
): Html {
  return html`<form class="fields" method="post" action="${
    pathOf(action.words)
  }" enctype="multipart/form-data">
<input type="hidden" name="form" value="${frame.form()}"><input type="hidden" name="from" value="${from}">${
    action.fields.map((field) => inputOf(field, given[field.name]))
  }
<button>${TEXT.send}</button></form>`;
}

function inputOf({ name, label, kind, isRequired }: Field, value = ""): Html {
  const required = isRequired
    ? html`
      required
    `
    : "";
  if (kind === "flag" && value) return html`<input type="hidden" name="${name}" value="yes">`;
  const input = kind === "flag"
    ? html`
      <input type="checkbox" name="${name}" value="yes">
    `
    : kind === "lines"
    ? html`
      <textarea name="${name}" rows="2" ${required}>${value}</textarea>
    `
    : kind === "file"
    ? html`
      <input type="file" name="${name}" ${required}>
    `
    : html`
      <input name="${name}" value="${value}" autocomplete="off" ${required}>
    `;
  return html`<label><span>${label}</span>${input}</label>`;
}

/** A question of a command, with what it showed before, and the way to answer. */
export function questionOf(
  frame: Frame,
  action: Action,
  sent: Sent,
  asked: Asked,
): Html {
  const kept = action.fields.flatMap(({ name, kind }) => {
    const values = listOf(sent[name]);
    return (kind === "lines" && values.length > 0 ? [values.join("\n")] : values).map((
      value,
    ) => [name, value]);
  });
  // What changes is never folded. The facts of a proposal are on the page from which the person came.
  const shown = asked.shown.map((result) => {
    const { object, ...rest } = result;
    return action.binding === "hash" && object
      ? html`${resultOf(rest)}<details><summary>${TEXT.details}</summary>${pairs(object)}</details>`
      : resultOf(result);
  });
  return html`${shown}${asked.hasChanged ? html`<p class="failure" role="alert">${TEXT.changed}</p>` : ""}
<form class="question" method="post" action="${pathOf(action.words)}">
<p class="lead" dir="ltr">${lineOf(asked.question)}</p>
<input type="hidden" name="form" value="${frame.form()}">
<input type="hidden" name="from" value="${pageOf(sent)}">${
    kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)
  }${
    asked.answers.map(({ question, answer }) =>
      html`
        <input type="hidden" name="question" value="${question}"><input type="hidden" name="answer"
          value="${answer}">
      `
    )
  }<input type="hidden" name="question" value="${digestOf(asked, action, sent)}">${
    asked.isText
      ? html`<label><span>${TEXT.typeIt}</span><input name="answer" autocomplete="off" autofocus required></label>`
      : html`<input type="hidden" name="answer" value="yes">`
  }<p class="note">${TEXT.touch}</p><button class="yes"${
    asked.isText ? "" : html`
      autofocus
    `
  }>${asked.isText ? TEXT.send : TEXT.yes}</button> ${backLink(sent)}</form>`;
}

/** The page from which the person came. Callers put a dot before it, so that a link stays below the secret path. */
export const pageOf = (sent: Sent): string => sent.from?.[0]?.startsWith("/") ? sent.from[0] : "/";

export const backLink = (sent: Sent): Html =>
  html`<a class="button" href=".${pageOf(sent)}">${TEXT.back}</a>`;

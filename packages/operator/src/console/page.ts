import { html } from "hono/html";
import type { Dialog, Invocation, Result, Row } from "../command.ts";
import { EXIT, Failure, failureOf } from "../failure.ts";
import type { Frame } from "./layout.ts";
import { type Html, lineOf, section } from "./render.ts";

/** What a page is made from: the commands that read, for the person of the console. */
export interface Page {
  readonly read: Invocation["read"];
  /** Runs a command that only reads, such as `partner show ID`. */
  readonly run: (words: string, ...more: readonly string[]) => Promise<Result>;
  readonly frame: Frame;
}

/** A dialog with nobody. A command that asks is not one that only reads. */
const SILENT: Dialog = {
  mayUseTerminal: false,
  aside: (work) => work(),
  confirm: (question) => Promise.reject(new Failure(EXIT.usage, "usage", question)),
  askText: undefined,
  progress: () => {},
  print: () => {},
  show: () => {},
};

export const openPage = ({ again, read }: Invocation, frame: Frame): Page => ({
  read,
  frame,
  run: (words, ...more) => again([...words.split(" "), ...more], SILENT),
});

/** A part of a page. If the person may not see it, or it cannot be read now, the part says so, not the page. */
export const part = async (title: string, load: () => Promise<Html | readonly Row[]>): Promise<Html> =>
  section(title, await load().catch((error) => failureText(failureOf(error))));

export const failureText = ({ message }: Failure): Html =>
  html`<p class="failure" dir="ltr" role="alert">${lineOf(message)}</p>`;

import { Buffer } from "node:buffer";

/** Above this number, the oldest open forms are forgotten. */
const MOST_FORMS = 2_000;
const TOKEN_BYTES = 32;

/**
 * Knows which browsers may use the console: those that opened a one-time link. It keeps everything in memory, so
 * all links, cookies and forms end with the process.
 */
export class Access {
  readonly #random: (length: number) => Uint8Array;
  readonly #browsers = new Set<string>();
  readonly #forms = new Set<string>();
  #link = "";

  constructor(random: (length: number) => Uint8Array) {
    this.#random = random;
  }

  /** Makes a new one-time link, and returns its token. Invalidates the previous link. */
  renewLink(): string {
    return this.#link = this.#token();
  }

  /** Returns the token of a new browser, if the link is right. It is right only once. */
  openLink(link: string): string | undefined {
    if (this.#link === "" || link !== this.#link) return undefined;
    this.#link = "";
    const browser = this.#token();
    this.#browsers.add(browser);
    return browser;
  }

  knows(browser: string | undefined): boolean {
    return browser !== undefined && this.#browsers.has(browser);
  }

  /** Returns the token of a form, which can be sent once. */
  newForm(): string {
    const form = this.#token();
    this.#forms.add(form);
    if (this.#forms.size > MOST_FORMS) this.#forms.delete(this.#forms.values().next().value!);
    return form;
  }

  /** Whether the form was given out and is sent for the first time. */
  takeForm(form: string): boolean {
    return this.#forms.delete(form);
  }

  #token(): string {
    return Buffer.from(this.#random(TOKEN_BYTES)).toString("base64url");
  }
}

import process from "node:process";
import { type Browser, chromium, type FileChooser, type Page } from "playwright-core";
import { until } from "../../tools/testing/until.ts";

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
/** More than a page has elements that take the focus. */
const MOST_TABS = 300;
const CHOOSER_MS = 10_000;
const MOST_PRESSES = 6;

/** The text of the element with the focus, and that of its label. */
const FOCUSED =
  "[document.activeElement, document.activeElement?.labels?.[0]].map((one) => one?.innerText?.trim() ?? '')";

export const launchBrowser = (): Promise<Browser> => chromium.launch({ executablePath: CHROMIUM });

/** A person at the console, who has only a keyboard. */
export class Typist {
  readonly page: Page;
  readonly #base: string;
  readonly complaints: string[] = [];

  constructor(page: Page) {
    this.page = page;
    this.#base = page.url();
    page.on("console", (message) => message.type() === "error" && this.complaints.push(message.text()));
    page.on("pageerror", (error) => this.complaints.push(error.message));
    page.on("request", (request) => {
      if (!request.url().startsWith(this.#base)) this.complaints.push(request.url());
    });
  }

  /** Opens a one-time link in a browser of its own. */
  static async open(
    browser: Browser,
    link: string,
    colorScheme: "light" | "dark" = "light",
  ): Promise<Typist> {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, colorScheme });
    const page = await context.newPage();
    await page.goto(link);
    return new Typist(page);
  }

  async goto(path: string): Promise<void> {
    await this.page.goto(this.#base + path.slice(1));
  }

  text(): Promise<string> {
    return this.page.locator("main").innerText();
  }

  /** Moves the focus with the Tab key to the element with this text, label or name. */
  async focus(wanted: string): Promise<void> {
    for (let tabs = 0; tabs < MOST_TABS; tabs++) {
      await this.page.keyboard.press("Tab");
      const texts = await this.page.evaluate(FOCUSED) as readonly string[];
      // The menu shows how much waits behind the name of a page.
      if (texts.some((text) => text.replace(/\s*\d+$/, "") === wanted)) return;
    }
    throw new Error(
      `No element with the text ${wanted} takes the focus on ${this.page.url()}: ${await this.text()}`,
    );
  }

  /** Follows a link or presses a button, and waits for the page that it opens. */
  async press(wanted: string): Promise<void> {
    await this.focus(wanted);
    const loaded = this.page.waitForNavigation();
    await this.page.keyboard.press("Enter");
    await loaded;
  }

  /** Fills the fields of a form. A value that begins with @ is the path of a file. */
  async fill(fields: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, value] of Object.entries(fields)) {
      await this.focus(name);
      if (value.startsWith("@")) {
        await (await this.#openChooser()).setFiles(value.slice(1));
      } else await this.page.keyboard.type(value);
    }
  }

  /** Opens the dialog of a file with the keyboard. A busy browser may drop the first key. */
  async #openChooser(): Promise<FileChooser> {
    for (let presses = 1;; presses++) {
      const chooser = this.page.waitForEvent("filechooser", { timeout: CHOOSER_MS });
      await this.page.keyboard.press("Space");
      try {
        return await chooser;
      } catch (error) {
        if (presses === MOST_PRESSES) throw error;
      }
    }
  }

  /** Presses a button, and answers the questions: with yes, or with a text of `answers` that the question names. */
  async act(button: string, answers: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.press(button);
    let last = "";
    while (await this.page.locator("form.question").count() > 0) {
      const question = await this.text();
      if (question === last) throw new Error(`Asked twice: ${question}`);
      last = question;
      const [, answer] = Object.entries(answers).find(([about]) => question.includes(about)) ?? [];
      if (answer !== undefined) await this.page.keyboard.type(answer);
      else if (!question.includes("Yes, do this")) throw new Error(`No answer to: ${question}`);
      const loaded = this.page.waitForNavigation();
      await this.page.keyboard.press("Enter");
      await loaded;
    }
    if (!this.page.url().includes("/done/")) throw new Error(`${button}: ${await this.text()}`);
  }

  /** Waits until the page shows this text, without loading it again. */
  async sees(text: string): Promise<void> {
    await until(async () => (await this.text()).includes(text));
  }
}

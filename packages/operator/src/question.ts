import { createInterface } from "node:readline";

/** Asks a yes-or-no question. A terminal that is closed without an answer counts as a no. */
export async function askQuestion(
  question: string,
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
): Promise<boolean> {
  return /^y(es)?$/i.test(await askText(`${question} [y/N]`, input, output));
}

/** Asks for a text. Ctrl-C and Ctrl-D close the terminal without an answer, which gives an empty text. */
export async function askText(
  question: string,
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
): Promise<string> {
  const terminal = createInterface({ input, output });
  const answer = await new Promise<string>((resolve) => {
    terminal.once("close", () => resolve(""));
    terminal.question(`${question} `, resolve);
  });
  terminal.close();
  return answer.trim();
}

import { createInterface } from "node:readline";

/**
 * Asks a yes-or-no question. Ctrl-C and Ctrl-D close the terminal without an answer, which counts as a no.
 */
export async function askQuestion(
  question: string,
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
): Promise<boolean> {
  const terminal = createInterface({ input, output });
  const answer = await new Promise<string>((resolve) => {
    terminal.once("close", () => resolve(""));
    terminal.question(`${question} [y/N] `, resolve);
  });
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}

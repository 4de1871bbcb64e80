import { readFileSync } from "node:fs";
import { writeTable } from "./table.ts";

interface Task {
  /** The program that is run. Undefined for a proof that consists of test suites. */
  readonly file?: string;
  readonly options?: string;
  readonly says: string;
}

interface Tasks {
  readonly tasks: Readonly<Record<string, Task>>;
  readonly proofs: Readonly<Record<string, Task>>;
}

const TASKS_FILE = new URL("../tasks.json", import.meta.url);
const SHORT_FORMS: Readonly<Record<string, string>> = { start: "npm start", test: "npm test" };
/** Between these lines, CONTRIBUTING.md lists every task and proof. */
const [BEGIN, END] = ["<!-- tasks: written by npm run docs -->\n", "<!-- end of tasks -->\n"];

/**
 * The one list of tasks and proofs. It is JSON because tools/run.mjs reads it before anything is installed.
 */
export const readTasks = (): Tasks => JSON.parse(readFileSync(TASKS_FILE, "utf8"));

/** Returns CONTRIBUTING.md with the table of all tasks and proofs. */
export function writeContributing(page: string): string {
  const { tasks, proofs } = readTasks();
  const rows = [
    ...Object.entries(tasks).map(([name, task]) =>
      rowOf(SHORT_FORMS[name] ?? `npm run ${name}`, " -- ", task)
    ),
    ...Object.entries(proofs).map(([name, proof]) => rowOf(`npm run prove -- ${name}`, " ", proof)),
  ];
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin) {
    throw new Error(`CONTRIBUTING.md must contain ${BEGIN.trim()} and ${END.trim()}.`);
  }
  const table = writeTable(["Command", "What it does"], rows);
  return `${page.slice(0, begin)}${BEGIN}\n${table}\n${page.slice(end)}`;
}

function rowOf(command: string, separator: string, { options, says }: Task): string[] {
  // Escape "|", because a table's cell must not contain it.
  const call = options ? `${command}${separator}${options.replaceAll("|", "\\|")}` : command;
  return [`\`${call}\``, says];
}

/** Returns a manifest whose scripts or tasks are the tasks of tools/tasks.json. */
export function writeScripts(member: "scripts" | "tasks", runner: string): (manifest: string) => string {
  return (manifest) => {
    const scripts = Object.keys(readTasks().tasks).map((name) => [name, `${runner} tools/run.mjs ${name}`]);
    return `${JSON.stringify({ ...JSON.parse(manifest), [member]: Object.fromEntries(scripts) }, null, 2)}\n`;
  };
}

import { resolve } from "node:path";
import type { Running } from "./running.ts";
import { DEFAULT_STATE } from "./state.ts";

/**
 * Returns the addresses, files and commands that a developer needs while the service runs. Each command works
 * when it is pasted. `docs` is a URL for a browser, which has no client certificate. `consoles` are the one-time
 * links of the people.
 */
export function readyFacts(
  { baseUrl, credentials, state }: Running,
  docs = `${baseUrl}/docs`,
  [first, second]: readonly string[] = [],
) {
  const { ca, cert, key, client_id } = credentials;
  // Do not name the default state folder, because k6 finds the partners there by itself.
  const isDefault = state.path() === resolve(DEFAULT_STATE);
  const partners = isDefault ? "" : `-e PARTNERS_DIR=${quote(state.path("loadtest"))} `;
  const operations = quote(state.socket("server_operations.sock"));
  return {
    ...(first === undefined ? {} : { console: first }),
    ...(second === undefined ? {} : { console_second: second }),
    base_url: baseUrl,
    docs,
    credentials: state.path("partners", client_id, "credentials.json"),
    operator: `npm run gold -- partner list --state ${quote(state.path())}`,
    curl: `curl --cacert ${quote(ca)} --cert ${quote(cert)} --key ${quote(key)} ${baseUrl}/health`,
    metrics: `curl --unix-socket ${operations} http://localhost/metrics`,
    k6: `PATH=$PATH:.tools/bin k6 run ${partners}loadtest/quote_order.ts`,
  };
}

export function readyText(facts: ReturnType<typeof readyFacts>, seconds: string): string {
  return `
Ready in ${seconds} s.

${consoleLines(facts)}  API          ${facts.base_url}
  docs         ${facts.docs}
  credentials  ${facts.credentials}
  operator     ${facts.operator}

Call it as the demo partner:
  ${facts.curl}
Read the metrics:
  ${facts.metrics}
Run a small load test as a partner with more money, in this folder (npm run tools downloads k6 if you have none):
  ${facts.k6}

Ctrl-C stops everything. The next start keeps the data.
To delete the data and start over: npm start -- --reset`;
}

const consoleLines = ({ console: first, console_second: second }: ReturnType<typeof readyFacts>): string =>
  (first === undefined ? "" : `  console      ${first}\n`) +
  (second === undefined ? "" : `  console      ${second}   (the second person; \`gold … --as second\`)\n`);

/**
 * Adds --state to the commands in an advice text. Without --state, --reset would delete the default folder.
 */
export function nameState(text: string, stateDir: string): string {
  if (stateDir === DEFAULT_STATE) return text;
  return text.replaceAll("npm start -- ", () => `npm start -- --state ${quote(stateDir)} `);
}

/** Quotes a text so that a shell reads it as one word. */
export function quote(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

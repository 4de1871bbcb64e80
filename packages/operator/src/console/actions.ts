import { labelOf } from "./texts.ts";

/** An input of a form. It becomes an argument or an option of the command. */
export interface Field {
  /** The name of the argument, or of the option with its dashes. */
  readonly name: string;
  readonly label: string;
  readonly kind: "text" | "file" | "lines" | "flag";
  readonly isRequired: boolean;
}

/** A command that the console offers. */
export interface Action {
  readonly words: string;
  readonly label: string;
  readonly fields: readonly Field[];
  /** The name of the file that the command writes to --out. */
  readonly file?: string | undefined;
  /**
   * What an answer is for: the question with what was shown, the hash of --sha256, or only the wording of the question,
   * if what is shown changes all the time.
   */
  readonly binding: "shown" | "hash" | "wording";
  /** What differs in the question each time that the command asks. */
  readonly volatile?: RegExp | undefined;
}

/** What each argument of a command is. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  PROPOSAL: "proposal_id",
  WD: "withdrawal",
  DEP: "deposit",
  ID: "client_id",
  EVT: "event",
  KID: "kid",
  FINGERPRINT: "certificate",
  SERIAL: "serial",
  FILE: "file",
  CHG: "request",
  ENDPOINT: "endpoint",
  SECRET_ID: "secret_id",
};

/**
 * The commands that the console offers, with their fields: `!` marks one that must be given, `^` a file, `…` one
 * that may have several lines, and `?` one that is given or not.
 */
const TABLE: readonly (readonly [words: string, label: string, fields?: string, file?: string])[] = [
  ["proposal approve", "Approve", "PROPOSAL! --sha256!"],
  ["proposal reject", "Reject or withdraw", "PROPOSAL!"],
  ["proposal sign", "Sign my proposal", "PROPOSAL!"],
  ["proposal show", "Show its secrets once", "PROPOSAL! --secrets?"],
  ["withdrawal approve", "Approve withdrawals", "WD…"],
  ["withdrawal reject", "Reject", "WD!"],
  ["withdrawal submit", "Submit approved withdrawals", "--batch", "payment.xml"],
  ["withdrawal paid", "The bank paid", "WD… --batch"],
  ["withdrawal returned", "The bank sent it back", "WD!"],
  ["deposit record", "Record a deposit", "ID! --amount! --bank-ref!"],
  ["deposit approve", "Approve", "DEP!"],
  ["deposit reverse", "Reverse", "DEP!"],
  [
    "partner create",
    "Add a partner",
    "--name! --iban! --ip!… --webhook! --signing-key!^ --rate --burst --max-grams --daily-withdrawn",
  ],
  ["partner suspend", "Suspend", "ID!"],
  ["partner resume", "Resume", "ID!"],
  [
    "partner set",
    "Change",
    "ID! --name --iban --ip… --webhook --rate --burst --max-grams --open-quotes --open-grams --daily-records " +
    "--net-grams --daily-withdrawals --daily-withdrawn",
  ],
  ["cert issue", "Issue a certificate", "ID! --csr!^", "tls.crt"],
  ["cert revoke", "Revoke", "FINGERPRINT! --reason"],
  ["signing-key add", "Add a signing key", "ID! FILE!^"],
  ["signing-key retire", "Retire", "ID! KID!"],
  ["secret rotate", "Rotate the client secret", "ID! --overlap"],
  ["secret retire", "Retire", "ID! SECRET_ID!"],
  ["webhook-secret rotate", "Rotate the webhook secret", "ID! --overlap --endpoint"],
  ["webhook-secret retire", "Retire", "ID! SECRET_ID!"],
  ["endpoint add", "Add a webhook endpoint", "ID! --url! --type…"],
  ["endpoint set", "Change a webhook endpoint", "ID! ENDPOINT! --url --type… --all-types?"],
  ["endpoint remove", "Remove a webhook endpoint", "ID! ENDPOINT!"],
  ["change take", "Take", "CHG!"],
  ["change decline", "Decline", "CHG! --reason!"],
  ["event redeliver", "Send again", "EVT!"],
  ["event replay", "Send events again", "ID! --since!"],
  ["price set", "Set the price or the hours", "--mid --spread --source --url --stale-after --open…"],
  ["market set", "Set limits of the market", "--exposure --breaker --within --band --band-hour"],
  ["market open", "Open the halted market"],
  ["vault add", "Add a bar", "--serial! --refiner --gross! --fineness! --vault!"],
  ["vault remove", "Remove", "SERIAL!"],
  ["registry adopt", "Sign for earlier rows"],
  ["recovery show", "Compare with the kept heads", "--heads!^"],
  ["recovery accept", "Accept lost records", "--heads!^"],
  ["partner approve-iban", "Approve the new IBAN", "ID!"],
  ["day sign", "Sign the end of the day", "", "day.json"],
];

const VOLATILE: Readonly<Record<string, RegExp>> = {
  // The hash of the new document.
  "withdrawal submit": /\b[0-9a-f]{64}\b/g,
  // The decimals of the price, which goes on while the market is halted.
  "market open": /\.[0-9]+/g,
  // The new price's distance from the current price, and the current price. Both change meanwhile.
  "price set": /by \S+ %, from \S+/,
};

/** Commands whose output changes all the time. An answer is bound to the wording of their question alone. */
const BOUND_TO_WORDING = ["day sign", "price set"];

export const ACTIONS: ReadonlyMap<string, Action> = new Map(
  TABLE.map(([words, label, fields = "", file]) => [words, {
    words,
    label,
    fields: fields.split(" ").filter((text) => text !== "").map(readField),
    file,
    binding: fields.includes("--sha256") ? "hash" : BOUND_TO_WORDING.includes(words) ? "wording" : "shown",
    volatile: VOLATILE[words],
  }]),
);

function readField(text: string): Field {
  const name = text.replace(/[!^…?]/g, "");
  const kind = text.includes("^")
    ? "file"
    : text.includes("…")
    ? "lines"
    : text.includes("?")
    ? "flag"
    : "text";
  const label = labelOf(name.startsWith("--") ? name.slice(2).replaceAll("-", "_") : ARGUMENTS[name]!);
  return { name, label, kind, isRequired: text.includes("!") };
}

/** The address of an action's form. */
export const pathOf = (words: string, given: Readonly<Record<string, string>> = {}): string => {
  const query = new URLSearchParams(given).toString();
  return `./do/${words.replaceAll(" ", "/")}${query === "" ? "" : `?${query}`}`;
};

/** Pages that show what a command would show. */
const SHOWN: readonly (readonly [RegExp, (id: string) => string, string])[] = [
  [/^gold proposal approve (\S+)$/, (id) => `./proposal/${id}`, "Read"],
  [/^gold change show (chg_\S+)$/, (id) => `./change/${id}`, "Read"],
  [/^gold (?:event list|partner approve-iban) (\S+)(?: --endpoint \d+)?$/, (id) => `./partner/${id}`, "See"],
  [/^gold (?:market|price) show$/, () => "./market", "See"],
  [/^gold withdrawal \w+ (wd_\S+)$/, (id) => `./withdrawal/${id}`, "See"],
  [/^gold withdrawal submit/, () => pathOf("withdrawal submit"), "Submit"],
  [/^gold (?:deposit|withdrawal) list/, () => "./money", "See"],
  [/^gold proposal list/, () => "./inbox", "See"],
  [/^gold deposit approve (\S+)$/, (id) => `./deposit/${id}`, "See"],
];

/** Returns the page on which a person does what a command line would do. */
export function actionOf(line: string): { readonly href: string; readonly label: string } | undefined {
  for (const [form, href, label] of SHOWN) {
    const match = form.exec(line);
    if (match) return { href: href(match[1] ?? ""), label };
  }
  return undefined;
}

/** Every text of the console. */
export const TEXT = {
  product: "Gold",
  skip: "Skip to the content",
  search: "Search",
  searchHint: "id, key, reference or name",
  otherHost: "The console answers only at 127.0.0.1 and localhost.",
  otherSite: "This request came from another page. Nothing was done.",
  noSession: "Open the console with the link that `gold console` printed. A link works once.",
  usedLink:
    "This link was used already, or is not one of this console. A new one is in the file that `gold console` " +
    "named at its start.",
  usedForm: "This form was sent before, or is too old. Nothing was done. Open it again.",
  unreadable: "The form could not be read. Nothing was done.",
  silent: "The database did not answer. Load the page again.",
  lost: "Not updated since",
  notFound: "There is no such page.",
  nothing: "None.",
  more: "More",
  back: "Back",
  send: "Continue",
  yes: "Yes, do this",
  done: "Done",
  failed: "Not done",
  typeIt: "What the text asks for",
  terminal: "This needs your key. If it cannot be used from here, run this in a terminal:",
  touch: "If your key asks for a touch or a passphrase, it does so now, in its own window.",
  sandbox: "sandbox",
  production: "PRODUCTION",
  list: "List",
  files: "Files",
  notify: "Notify me when something waits",
  show: "Show",
  actions: "What you can do",
  alarm: { market: "The market is not open", stock: "Days for which free gold lasts" },
  closeNow: "Close the market now",
  dayAbout:
    "What should be done before you go. The signed file has the figures, these points and the heads of all chains.",
  details: "Details",
  from: "From",
  to: "To",
  nothingFound:
    "Nothing was found. References of orders are searched among the newest 50 orders of each partner, and parts of ids among the newest 1,000 orders and quotes.",
  oldEvent: "This event is older than the newest 1,000 of its partner:",
  otherApproves: "This is your own proposal. Another person approves it.",
  searched: "Found for",
  signedText: "The text that people sign",
  statement: "Statement",
  waits: "What waits",
  proposals: "Newest proposals",
  perMinute: "Orders per minute, last hour",
  price: "Price, last 24 hours",
  scriptless: "Charts need scripts.",
} as const;

/** The pages of the menu, by address. */
export const PAGES: Readonly<Record<string, string>> = {
  "/": "Today",
  "/inbox": "Inbox",
  "/orders": "Orders",
  "/quotes": "Quotes",
  "/partners": "Partners",
  "/money": "Money",
  "/market": "Market",
  "/stock": "Stock",
  "/people": "People and keys",
  "/audit": "Audit",
  "/day": "End of day",
};

/** Members whose label is not their name in words. */
const LABELS: Readonly<Record<string, string>> = {
  about: "What",
  iban: "IBAN",
  kid: "Key id",
  ip: "IP ranges",
  ips: "IP ranges",
  csr: "Certificate request",
  bank_ref: "Bank reference",
  max_grams: "Largest quote (g)",
  open: "Market hours",
  sha256: "SHA-256",
  url: "URL",
  webhook_url: "Webhook URL",
  client_id: "Partner",
  http_status: "HTTP status",
  duration_ms: "Took (ms)",
  spread_basis_points: "Spread (basis points)",
  idempotency_key: "Idempotency key",
  status_at: "Since",
  status_by: "By",
  days_left: "Free gold lasts (days)",
};
const UNITS: Readonly<Record<string, string>> = { sar: "SAR", grams: "g" };

/** The past of the verbs of audit rows. */
export const PAST: Readonly<Record<string, string>> = {
  accept: "accepted",
  add: "added",
  adopt: "signed for",
  approve: "approved",
  create: "created",
  end: "ended",
  halt: "halted",
  issue: "issued",
  keep: "kept",
  open: "opened",
  propose: "proposed",
  record: "recorded",
  redeliver: "sent again",
  reject: "rejected",
  remove: "removed",
  replay: "replayed",
  resume: "resumed",
  retire: "retired",
  reverse: "reversed",
  revoke: "revoked",
  rotate: "rotated",
  set: "set",
  sign: "signed",
  suspend: "suspended",
};

/** A member's name in words: `total_sar` is "Total (SAR)". */
export function labelOf(name: string): string {
  const label = LABELS[name];
  if (label !== undefined) return label;
  const words = name.replace(/_(id|at)$/, "").split("_");
  const unit = UNITS[words.at(-1)!] ?? (words[0] === "sar" ? UNITS.sar : undefined);
  const rest = words.filter((word) => UNITS[word] === undefined).join(" ");
  const text = rest.charAt(0).toUpperCase() + rest.slice(1);
  return unit === undefined ? text : `${text} (${unit})`;
}

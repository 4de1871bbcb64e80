import { audit } from "../audit/audit.ts";
import { KeptExchanges } from "../audit/kept_exchanges.ts";
import { KeptHeads } from "../audit/kept_heads.ts";
import { RULES } from "../audit/rules.ts";
import type { Command } from "../command.ts";
import { memberOf } from "../credentials.ts";
import { optional, required, wholeNumber } from "../values.ts";

export const AUDIT: Command = {
  name: "audit",
  usage: "[--requests FILE] [--heads FILE] [--from N]",
  does:
    "recomputes your hash chain, balances and statement from your events, and compares them with the service's",
  help: "It changes nothing in your books.",
  terms: {
    Rules: Object.entries(RULES),
    Options: [
      [
        "--requests FILE",
        "the exchanges that --record, or onExchange of the client, wrote. Without it, the audit cannot know " +
        "whether you asked for an order.",
      ],
      [
        "--heads FILE",
        "the newest chain_head of each earlier audit. An audit without a violation adds its own. Without FILE, " +
        "the audit cannot know whether your chain lost its newest events.",
      ],
      ["--from N", "begins at event N, and trusts the chain_head before it; default: 1"],
    ],
  },
  options: {
    requests: { type: "string" },
    heads: { type: "string" },
    from: { type: "string", default: "1" },
  },
  async run({ values, credentials, client: open, path }) {
    const from = wholeNumber(required(values, "from"), "from", 1);
    const file = optional(values, "requests");
    const headsFile = optional(values, "heads");
    const heads = headsFile === undefined
      ? undefined
      : await KeptHeads.read(path(headsFile), memberOf(await credentials(), "client_id"), from);
    const client = await open();
    const { signing_keys } = await client.getCredentials();
    const thumbprints = signing_keys.map(({ thumbprint }) => thumbprint);
    const exchanges = file === undefined ? undefined : await KeptExchanges.read(path(file), thumbprints);
    return { findings: audit({ client, from, exchanges, heads }) };
  },
};

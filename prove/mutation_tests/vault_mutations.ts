import type { Mutation } from "./mutation.ts";

const CHANGE_VAULT = "src/booking/ledger/change_vault.sql";
const CHANGE_VAULT_TEST = "src/booking/ledger/change_vault.pg.test.ts";
const BAR_LIST_TEST = "src/booking/ledger/bar_list.pg.test.ts";

export const VAULT_MUTATIONS: readonly Mutation[] = [
  {
    name: "bars: a list does not commit to the list before",
    file: CHANGE_VAULT,
    from: "where p.id = (given).id - 1), repeat",
    to: "where false), repeat",
    tests: [BAR_LIST_TEST],
  },
  {
    name: "bars: a removed bar stays in the list",
    file: CHANGE_VAULT,
    from: "and (b.removed_list is null or b.removed_list > list);",
    to: ";",
    tests: [BAR_LIST_TEST],
    short: true,
  },
  {
    name: "bars: a bar can be removed although its gold is not free",
    file: CHANGE_VAULT,
    from: "if not bar_in and free < fine then",
    to: "if false then",
    tests: [CHANGE_VAULT_TEST],
    short: true,
  },
  {
    name: "bars: a bar that equals the free gold cannot be removed",
    file: CHANGE_VAULT,
    from: "if not bar_in and free < fine then",
    to: "if not bar_in and free <= fine then",
    tests: [CHANGE_VAULT_TEST],
  },
  {
    name: "bars: the vault is not locked",
    file: CHANGE_VAULT,
    from:
      "select v.free, v.list_id + 1 into strict free, list from vault v where v.stripe = 0 for no key update;",
    to: "select v.free, v.list_id + 1 into strict free, list from vault v where v.stripe = 0;",
    tests: [CHANGE_VAULT_TEST],
  },
  {
    name: "bars: a bar can be removed twice",
    file: CHANGE_VAULT,
    from: "where b.serial = remove_bar.serial and b.removed_at is null;",
    to: "where b.serial = remove_bar.serial;",
    tests: [CHANGE_VAULT_TEST],
  },
  {
    name: "bars: fine gold is rounded up",
    file: CHANGE_VAULT,
    from: "add_bar.gross * add_bar.fineness / 10000",
    to: "(add_bar.gross * add_bar.fineness + 9999) / 10000",
    tests: [CHANGE_VAULT_TEST],
    short: true,
  },
];

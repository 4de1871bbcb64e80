import type { Mutation } from "./mutation.ts";

const CHANGE_VAULT = "src/booking/ledger/change_vault.sql";
const CHANGE_VAULT_TEST = "src/booking/ledger/change_vault.pg.test.ts";
const STRIPES = "src/booking/ledger/stripes.sql";
const STRIPES_TEST = "src/booking/ledger/stripes.pg.test.ts";
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
    from: "if not bar_in and stock.free < fine then",
    to: "if false then",
    tests: [CHANGE_VAULT_TEST],
    short: true,
  },
  {
    name: "bars: a bar that equals the free gold cannot be removed",
    file: CHANGE_VAULT,
    from: "if not bar_in and stock.free < fine then",
    to: "if not bar_in and stock.free <= fine then",
    tests: [CHANGE_VAULT_TEST],
  },
  {
    name: "bars: the vault is not locked",
    file: CHANGE_VAULT,
    from: "stock := gather_vault(case when bar_in then 0 else fine end);",
    to: "select v.* into strict stock from vault v where v.stripe = 0;",
    tests: [CHANGE_VAULT_TEST],
  },
  {
    name: "stripes: a batch takes a stripe that does not cover it",
    file: "src/booking/trading/book_orders.sql",
    from: "where v.free >= asked.need and v.maximum_exposure is null",
    to: "where v.maximum_exposure is null",
    tests: [STRIPES_TEST],
    short: true,
  },
  {
    name: "stripes: batches wait for the first stripe",
    file: "src/booking/trading/book_orders.sql",
    from: "limit 1 for no key update skip locked;",
    to: "order by v.stripe limit 1 for no key update;",
    tests: [STRIPES_TEST],
  },
  {
    name: "stripes: a batch waits for the stripes although it holds one",
    file: "src/booking/trading/book_orders.sql",
    from: "v.xmax = pg_current_xact_id()::xid",
    to: "false",
    tests: [STRIPES_TEST],
    short: true,
  },
  {
    name: "stripes: gold is moved between stripes that are not locked",
    file: STRIPES,
    from: "order by v.stripe for no key update) s;",
    to: "order by v.stripe) s;",
    tests: [STRIPES_TEST],
  },
  {
    name: "stripes: a new number does not wait for batches",
    file: STRIPES,
    from: "  lock table vault in exclusive mode;\n",
    to: "",
    tests: [STRIPES_TEST],
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

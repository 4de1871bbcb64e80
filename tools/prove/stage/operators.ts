import { execFileSync } from "node:child_process";
import type { Sql } from "postgres";
import { APPROVAL_NAMESPACE, approvalText } from "@gold-partner/approvals";
import { openDatabase as connect } from "@gold-partner/database";
import { asOperator, asOperatorFrom, type Database, type Operator, type State } from "@gold-partner/dev";
import { byTwo } from "../../testing/by_two.ts";
import { registerOperatorKeys } from "../../testing/operator_keys.ts";

/** The logins of both operators. */
const LOGINS = ["operator_one", "operator_two"] as const;

/** The two operators of a deployment. */
export class Operators {
  /** An open session of the second person's login, for calls that must not spend time on logging in. */
  readonly sql: Sql;
  readonly #state: State;
  readonly #urls: Database["urls"];
  readonly #root: string | undefined;
  #keysFile: string | undefined;

  /** `root` is the source tree of another version. Until `beginTwoPeople()`, both people run its `gold`. */
  constructor(state: State, urls: Database["urls"], root: string | undefined) {
    this.#state = state;
    this.#urls = urls;
    this.#root = root;
    this.sql = connect(urls.operators[1], { backoff: () => 0.05, onnotice: () => {} });
  }

  /** The file of OPERATOR_KEYS. Undefined until `beginTwoPeople()`. */
  get keysFile(): string | undefined {
    return this.#keysFile;
  }

  /** The commands of each person alone. */
  get people(): readonly [Operator, Operator] {
    return [this.#operatorOf(0), this.#operatorOf(1)];
  }

  /** The first person runs each command. If it makes a proposal, the second person approves it. */
  get both(): Operator {
    return byTwo(...this.people);
  }

  /** The commands of the migration login. */
  get migration(): Operator {
    return this.#run(this.#urls.migration);
  }

  /** The file of a person's SSH key. `beginTwoPeople()` makes it. */
  sshKeyOf(person: 0 | 1): string {
    return this.#state.path("keys", LOGINS[person]);
  }

  /**
   * Ends the single-operator mode: from now on, two people sign every change. Processes that start later
   * ignore rows that two people did not sign.
   */
  async beginTwoPeople(): Promise<void> {
    const folder = this.#state.path("keys");
    this.#keysFile = await registerOperatorKeys(asOperator(this.#urls.migration), folder, LOGINS);
  }

  /**
   * Proposes a change as the first person, and signs its approval as the second person. The returned function
   * makes the change with one statement, so that a race can time it.
   */
  async prepareChange(words: string, ...more: string[]): Promise<() => Promise<unknown>> {
    const proposed = await this.people[0](words, ...more);
    const [row] = await this.sql`select id from gold.deployment_overview`;
    const [id, sha256] = [proposed.proposal_id as string, proposed.sha256 as string];
    const sign = ["-q", "-Y", "sign", "-n", APPROVAL_NAMESPACE, "-f", this.sshKeyOf(1)];
    const signature = execFileSync("ssh-keygen", sign, {
      input: approvalText({ deployment: row!.id, id, sha256, approver: LOGINS[1] }),
      encoding: "utf8",
      stdio: "pipe",
    });
    return () => this.sql`select gold.approve_proposal(${id}::uuid, ${sha256}, ${signature})`.execute();
  }

  #operatorOf(person: 0 | 1): Operator {
    return this.#run(this.#urls.operators[person], {
      MIGRATION_DATABASE_URL: this.#urls.migration,
      GOLD_SSH_KEY: this.sshKeyOf(person),
      OPERATOR_KEYS: this.#keysFile,
    });
  }

  #run(url: string, more: Readonly<Record<string, string | undefined>> = {}): Operator {
    const keys = this.#state.path("keys.json");
    return this.#root === undefined || this.#keysFile !== undefined
      ? asOperator(url, undefined, keys, more)
      : asOperatorFrom(this.#root, url, keys);
  }
}

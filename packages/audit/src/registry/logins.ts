// Compares the login of each audit row with the logins that `gold operator add` registered before.
import type { Findings } from "../findings.ts";
import type { Note } from "./notes.ts";

/** What each process of the service writes to the audit trail. */
const SERVICE: Readonly<Record<string, RegExp>> = {
  gold_ticker: /^market\.halt$/,
  // The first API process after an upgrade stores the name of its pepper. Until `gold db migrate --finish`,
  // the API's login also stores prices.
  gold_api: /^(market\.halt|pepper\.keep)$/,
};
/** What the logins of simulations write, in a sandbox. */
const SIMULATED: typeof SERVICE = {
  gold_simulation_maker: /^(deposit\.|withdrawal\.|client_secret\.simulate$)/,
  gold_simulation_checker: /^(deposit\.|withdrawal\.|client_secret\.retire$)/,
};
/**
 * What the owner of the database does alone: logins, the first keys and the settings of the deployment. A
 * migration stores the first price band and circuit breaker.
 */
const OWNERS =
  /^(operator\.|operator_key\.(root|end)$|deployment\.|market\.(band|breaker)$|proposal\.(propose|sign|reject|take_secrets)$)/;

/**
 * Rows of 0.4.0 and earlier state neither a mode nor a proposal, and may have any login. A row of an applied
 * proposal has the login of its proposer; its approval has a row of its own.
 */
export function checkLogins(
  findings: Findings,
  notes: readonly Note[],
  owner: string | undefined,
  isSandbox: boolean,
): void {
  const service = isSandbox ? { ...SERVICE, ...SIMULATED } : SERVICE;
  const registered = new Set<string>();
  // The login that set up the deployment wrote the first row. The database may have another owner since.
  const owners = [owner, notes[0]?.login];
  let isUpgraded = false;
  let isSetUp = false;
  for (const { id, action, login, subject, detail } of notes) {
    isUpgraded ||= detail.mode !== undefined || detail.proposal !== undefined;
    const isOwners = owners.includes(login) &&
      (!isSetUp || OWNERS.test(action) || detail.proposal !== undefined && action !== "proposal.approve");
    if (isUpgraded && !isOwners && !registered.has(login) && !service[login]?.test(action)) {
      findings.add(
        "login_is_admitted",
        `audit ${id} ${action}`,
        "a login that operator.add admitted before",
        login,
      );
    }
    isSetUp ||= action === "partner.create";
    if (action === "operator.add") registered.add(subject);
    if (action === "operator.remove") registered.delete(subject);
  }
}

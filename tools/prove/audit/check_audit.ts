import { writeFileSync } from "node:fs";
import { asOperator } from "@gold-partner/dev";
import type { Deployment } from "../stage/deployment.ts";
import type { Finding } from "../stage/report.ts";
import { runAudit } from "./audit_command.ts";

/** The map of a DebianPostgres with a socket, through which pgBackRest connects. */
const ALLOWED = [{ rule: "setting_is_safe", row: "pg_ident.conf map proof", reason: "pgBackRest" }];

/**
 * Accepts the logins that the books have now, because a superuser created the operators without `gold operator
 * add`. Returns a function that runs `gold audit full` on the present books.
 */
export async function prepareAudit(deployment: Deployment): Promise<() => Promise<Finding>> {
  const keys = deployment.state.path("audit_keys.json");
  const allowed = deployment.state.path("audit_allowed.json");
  writeFileSync(allowed, JSON.stringify({ allowed: ALLOWED }));
  await asOperator(deployment.superuserUrl)("audit keys --out", keys);
  return async () => {
    const { records, defects, items } = await runAudit(
      deployment.superuserUrl,
      ...["--keys", keys, "--allowed", allowed, "--operator-keys", deployment.operators.keysFile!],
    );
    const examples = JSON.stringify(items?.slice(0, 3));
    return {
      what: `${records} records`,
      violations: defects === 0 ? [] : [`${defects} findings, for example ${examples}`],
    };
  };
}

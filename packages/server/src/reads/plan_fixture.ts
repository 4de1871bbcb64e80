import type { TestBooks } from "../../testing/books.ts";
import postgres, { type Sql } from "postgres";

/** A node of a plan as auto_explain logs it, with its actual counts. */
export interface PlanNode {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly "Scan Direction"?: string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly "Shared Hit Blocks": number;
  readonly "Shared Read Blocks": number;
  readonly Plans?: readonly PlanNode[];
}

/** One statement that ran, and all nodes of its plan. */
export interface Explained {
  readonly statement: string;
  readonly nodes: readonly PlanNode[];
}

/** A connection with the service's role. It collects the plans of all statements, also inside functions. */
export interface ExplainingConnection {
  readonly sql: Sql;
  /** The statements since the previous call. */
  take(): Explained[];
  stop(): Promise<void>;
}

const SETTINGS = `
  set auto_explain.log_min_duration = 0; set auto_explain.log_nested_statements = on; set auto_explain.log_analyze = on;
  set auto_explain.log_buffers = on; set auto_explain.log_format = json; set auto_explain.log_level = notice`;

export async function connectExplaining(
  { url }: TestBooks,
  login: "gold_api" | "gold_delivery" = "gold_api",
): Promise<ExplainingConnection> {
  let taken: Explained[] = [];
  const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];
  const sql = postgres(url, {
    max: 1,
    onnotice: ({ message = "" }) => {
      const [, text] = message.split("plan:\n");
      if (!text) return;
      const { Plan, "Query Text": statement } = JSON.parse(text) as { Plan: PlanNode; "Query Text": string };
      taken.push({ statement, nodes: nodesOf(Plan) });
    },
  });
  await sql`load 'auto_explain'`;
  await sql.unsafe(`${SETTINGS}; set role ${login}`);
  return {
    sql,
    take() {
      const all = taken;
      taken = [];
      return all;
    },
    stop: () => sql.end(),
  };
}

import { requirementsTool } from "./python_requirements.ts";

/**
 * Patroni chooses with etcd which Postgres server is the primary. Run `python3 bin/patroni` and
 * `python3 bin/patronictl` with its folder in PYTHONPATH.
 */
export const patroni = requirementsTool({
  name: "patroni",
  version: "4.1.5",
  entries: ["patroni", "bin/patroni", "bin/patronictl", "psycopg", "psycopg_binary", "etcd"],
  sources: [
    {
      name: "python-etcd",
      version: "0.4.5",
      sha256: "f1b5ebb825a3e8190494f5ce1509fde9069f2754838ed90402a8c11e1f52b8cb",
    },
    {
      name: "ydiff",
      version: "1.4.2",
      sha256: "369be623dcde7954d98973fb9db1780d64f0353982bf3ac85818f3d62ff452b0",
    },
  ],
});

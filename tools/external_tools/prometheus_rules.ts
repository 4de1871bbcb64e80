import { goSource } from "./go_program.ts";

/** Prometheus' own parsers of alerting rules and expressions. A first build takes about half a minute. */
export const prometheusRules = goSource("prometheus_rules");

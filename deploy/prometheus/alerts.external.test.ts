import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { type Manifest, manifestFiles, readYaml } from "../manifests_fixture.ts";
import { ROOT } from "../site_fixture.ts";
import { temporaryFolder } from "../../tools/testing/temporary_folder.ts";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const ALERTS = join(HERE, "alerts.yaml");

interface Config {
  readonly scrape_configs: readonly {
    readonly kubernetes_sd_configs: unknown;
    readonly relabel_configs: readonly {
      readonly source_labels: readonly string[];
      readonly regex?: string;
      readonly action?: string;
    }[];
  }[];
}

interface Expected {
  readonly severity: "page" | "ticket";
  readonly summary: string;
}

const folder = temporaryFolder("gold-alerts");

const runbookOf = (alarm: string) => `https://docs.example/operator/alarms.html#${alarm.toLowerCase()}`;

/** Lets promtool check that the alarm fires as expected at this time, or that it does not fire. */
function judge(
  alarm: string,
  { interval, series, at }: { interval: string; series: Record<string, string>; at: string },
  expected: Expected | undefined,
): void {
  const test = {
    rule_files: [ALERTS],
    evaluation_interval: interval,
    tests: [{
      interval,
      external_labels: { documentation: "https://docs.example" },
      input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
      alert_rule_test: [{
        eval_time: at,
        alertname: alarm,
        exp_alerts: expected
          ? [{
            exp_labels: { severity: expected.severity },
            exp_annotations: { summary: expected.summary, runbook_url: runbookOf(alarm) },
          }]
          : [],
      }],
    }],
  };
  const file = join(folder, "test.yaml");
  writeFileSync(file, JSON.stringify(test));
  const { status, stdout, stderr, error } = spawnSync("promtool", ["test", "rules", file], {
    encoding: "utf8",
  });
  if (error) throw new Error(`promtool does not run: ${error.message}. Install Debian's prometheus.`);
  assertEquals(status, 0, `${stdout}${stderr}`);
}

describe("the alarm CommitsWait", () => {
  const summary = (seconds: number) =>
    `A booking has waited ${seconds} s for its commit. After 10 s it is answered with upstream_timeout.`;

  it("fires for a wait of more than 5 s that ended before the rules were evaluated", () => {
    const at = (values: string) => ({
      interval: "5s",
      series: { gold_commits_waiting_seconds: values },
      at: "30s",
    });
    judge("CommitsWait", at("0 0 0 0 6 0 0"), { severity: "page", summary: summary(6) });
    judge("CommitsWait", at("0 0 0 0 4 5 0"), undefined);
  });
});

describe("the alarm BaseBackupOld", () => {
  const EXPECTED: Expected = {
    severity: "ticket",
    summary: "The newest base backup is older than 26 h, or no job reports its age.",
  };

  /** With these series from the hour 0 on. */
  const expectAlarm = (series: Record<string, string>, hour: number, fires: boolean) => {
    const constant = Object.entries(series).map(([name, value]) => [name, `${value}+0x${hour * 60}`]);
    judge(
      "BaseBackupOld",
      { interval: "1m", series: Object.fromEntries(constant), at: `${hour}h` },
      fires ? EXPECTED : undefined,
    );
  };

  it("fires if the newest base backup ended more than 26 h ago, or if there is none", () => {
    const ended = { gold_base_backup_ended_seconds: "3600", gold_backup_age_seconds: "1" };
    expectAlarm(ended, 26, false);
    expectAlarm(ended, 28, true);
    expectAlarm({ ...ended, gold_base_backup_ended_seconds: "0" }, 27, true);
  });

  it("fires without a report on the backups, unless it is a sandbox without an archive", () => {
    expectAlarm({ gold_backup_age_seconds: "1" }, 1, true);
    expectAlarm({ gold_backup_age_seconds: "NaN" }, 1, false);
  });
});

describe("the alarms of the audit", () => {
  it("fire for a defect, for an audit that ended more than 26 h ago, and without a report on audits", () => {
    const at = (series: Record<string, string>, hour: number) => ({
      interval: "1m",
      series: { gold_writes_possible: "1+0x1800", ...series },
      at: `${hour}h`,
    });
    const defects = {
      severity: "page",
      summary: "The newest audit found 2 defects. The log of the audit names their rows.",
    } as const;
    const old = {
      severity: "ticket",
      summary: "The newest audit is older than 26 h, or no job reports its age.",
    } as const;
    const ended = { gold_audit_ended_seconds: "3600+0x1800" };
    judge("AuditDefects", at({ ...ended, gold_audit_defects: "2+0x1800" }, 2), defects);
    judge("AuditDefects", at({ ...ended, gold_audit_defects: "0+0x1800" }, 2), undefined);
    judge("AuditOld", at(ended, 26), undefined);
    judge("AuditOld", at(ended, 28), old);
    judge("AuditOld", at({}, 2), old);
  });
});

describe("the alarms about events that wait", () => {
  /** With one value of each gauge for an hour and a half. */
  const at = (minutes: number, unsent: string, oldest: string) => ({
    interval: "1m",
    series: { gold_webhook_unsent_seconds: unsent, gold_webhook_oldest_seconds: oldest },
    at: `${minutes}m`,
  });
  const rising = "0+60x90";

  it("fire an hour after the first failure of a receiver", () => {
    const ticket = (age: string): Expected => ({
      severity: "ticket",
      summary: `An event has not been delivered for ${age}. After three days, it is parked.`,
    });
    judge("ReceiverFails", at(60, "0x90", rising), undefined);
    judge("ReceiverFails", at(67, "0x90", rising), ticket("1h 7m 0s"));
    judge("EventsWait", at(67, "0x90", rising), undefined);
  });

  it("fire after ten minutes if an event was never sent, although no receiver fails", () => {
    judge("EventsWait", at(4, rising, rising), undefined);
    judge("EventsWait", at(12, rising, rising), {
      severity: "ticket",
      summary: "An event has waited for its first attempt for more than five minutes.",
    });
  });
});

describe("the alarms about figures of the whole database", () => {
  // One process shows the figures for half an hour, then another one.
  const parked = (later: number) => ({
    'gold_webhook_parked{instance="a"}': "2+0x30 stale",
    'gold_webhook_parked{instance="b"}': `_x31 ${later}+0x30`,
  });

  it("fire for an event that was parked while another process took over, and not for the change of process", () => {
    const at = (later: number) => ({ interval: "1m", series: parked(later), at: "45m" });
    judge("EventsParked", at(2), undefined);
    judge("EventsParked", at(3), {
      severity: "ticket",
      summary: "Events were parked because every attempt in three days failed.",
    });
  });

  it("fire if no process shows them for two minutes", () => {
    const at = (minutes: number) => ({
      interval: "1m",
      series: { gold_database_read_timestamp_seconds: "1+60x10 stale" },
      at: `${minutes}m`,
    });
    judge("FiguresMissing", at(12), undefined);
    judge("FiguresMissing", at(14), {
      severity: "ticket",
      summary:
        "No process reads the figures of the whole database, so the alarms about backups, the clock, the market and waiting events cannot fire.",
    });
  });
});

describe("the alarms about free gold", () => {
  const low: Expected = {
    severity: "ticket",
    summary: "The vault has 900 g that nobody owns, less than the largest order that a partner may place.",
  };
  const ends: Expected = {
    severity: "page",
    summary:
      "At the pace of the last hour, partners will have bought all gold of the vault within four hours.",
  };
  const at = (free: string) => ({
    interval: "1m",
    series: { gold_vault_free_grams: free, gold_order_limit_grams: "1000+0x120" },
    at: "90m",
  });

  it("fire when the largest order exceeds it, and when partners will have bought it within four hours", () => {
    judge("FreeGoldLow", at("1000+0x120"), undefined);
    judge("FreeGoldLow", at("900+0x120"), low);
    judge("FreeGoldEnds", at("10000-20x120"), undefined);
    judge("FreeGoldEnds", at("10000-40x120"), ends);
  });
});

describe("the alarm PriceStale", () => {
  it("fires when no quote has been given for a minute because the price is too old", () => {
    const at = (stale: string, age: string, minutes: number) => ({
      interval: "1m",
      series: { gold_price_stale: stale, gold_price_age_seconds: age },
      at: `${minutes}m`,
    });
    const fires: Expected = {
      severity: "page",
      summary: "The price source has given no price for 9m 0s. The price is too old, so no quote is given.",
    };
    judge("PriceStale", at("0 0 1x20", "0+60x20", 9), fires);
    judge("PriceStale", at("0 0 1x20", "0+60x20", 2), undefined);
    // The price may be older than that, or the market is closed.
    judge("PriceStale", at("0x20", "0+60x20", 9), undefined);
    judge("PriceStale", at("0x20", "NaN+0x20", 9), undefined);
    judge("PriceStale", at("1x5 0x20", "0+60x20", 9), undefined);
  });
});

describe("the alarm ProposalWaits", () => {
  it("fires when a proposal has waited for more than ten minutes", () => {
    const at = (seconds: number) => ({
      interval: "1m",
      series: { gold_proposal_oldest_seconds: `${seconds}+0x5` },
      at: "2m",
    });
    judge("ProposalWaits", at(600), undefined);
    judge("ProposalWaits", at(7380), {
      severity: "ticket",
      summary: "A proposal has waited for another person for 2h 3m 0s.",
    });
  });
});

describe("the configurations of Prometheus", () => {
  const check = (path: string) => {
    const { status, stdout, stderr } = spawnSync("promtool", ["check", "config", path], { encoding: "utf8" });
    assertEquals(status, 0, `${stdout}${stderr}`);
  };

  it("are accepted by promtool, with the alarms", () => {
    check(join(HERE, "prometheus.yaml"));
    // Debian builds Prometheus without the search of pods, so check the rest.
    const [config] = readYaml<Config>(ROOT, [join(HERE, "kubernetes.yaml")]);
    const jobs = config!.scrape_configs.map(({ kubernetes_sd_configs: _, ...job }) => job);
    const file = join(folder, "kubernetes.json");
    writeFileSync(file, JSON.stringify({ ...config, rule_files: [ALERTS], scrape_configs: jobs }));
    check(file);
  });

  it("find the port of the metrics in the pods of the manifests", () => {
    const [config] = readYaml<Config>(ROOT, [join(HERE, "kubernetes.yaml")]);
    const [{ kubernetes_sd_configs, relabel_configs }] = config!.scrape_configs as [
      Config["scrape_configs"][0],
    ];
    assertEquals(kubernetes_sd_configs, [{ role: "pod", namespaces: { names: ["gold"] } }]);
    const ports = readYaml<Manifest>(ROOT, manifestFiles(join(ROOT, "deploy/kubernetes"))).flatMap((
      { spec },
    ) => spec?.template?.spec.containers.flatMap(({ ports = [] }) => ports.map(({ name }) => name)) ?? []);
    const { source_labels, regex } = relabel_configs.find(({ action }) => action === "keep")!;
    assertEquals(source_labels, ["__meta_kubernetes_pod_container_port_name"]);
    assertEquals(ports, [regex, regex]);
  });
});

describe("the runbook of every alarm", () => {
  it("is a part of docs/operator/alarms.md, which describes no other alarm", () => {
    const alerts = readFileSync(ALERTS, "utf8");
    const page = readFileSync(new URL("../../docs/operator/alarms.md", import.meta.url), "utf8");
    const alarms = [...alerts.matchAll(/- alert: (\w+)/g)].map(([, name]) => name!);
    assertEquals([...page.matchAll(/^### (\w+)$/gm)].map(([, name]) => name), alarms);
    assertEquals(
      [...alerts.matchAll(/runbook_url: "(.*)"/g)].map(([, url]) => url),
      alarms.map((name) =>
        runbookOf(name).replace("https://docs.example", "{{ $externalLabels.documentation }}")
      ),
    );
  });
});

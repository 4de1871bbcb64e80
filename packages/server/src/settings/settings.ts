import { misspeltSettings as misspelt } from "@gold-partner/command-line";

interface Setting {
  readonly name: string;
  readonly meaning: string;
  readonly default?: string;
  /** The sandbox's default, if it differs from `default`. */
  readonly sandboxDefault?: string;
  readonly secret?: true;
}

/** Every setting of the service; `gold config explain` prints this list. */
export const SETTINGS: readonly Setting[] = [
  {
    name: "DATABASE_URL",
    meaning:
      "postgres:// URL of the API's own login (gold_api); in production it must contain sslmode=verify-full, unless the database is reached over loopback or a Unix socket; sslrootcert=FILE names your own CA; several hosts, as HOST:PORT,HOST:PORT, need target_session_attrs=primary",
    secret: true,
  },
  {
    name: "DELIVERY_DATABASE_URL",
    meaning:
      "URL of delivery's own login (gold_delivery), in the form of DATABASE_URL; if it is not set, delivery uses DATABASE_URL, whose login then needs the privileges of both; not for --role api",
    default: "",
    secret: true,
  },
  {
    name: "TICKER_DATABASE_URL",
    meaning:
      "URL of the login that stores prices (gold_ticker), in the form of DATABASE_URL; if it is not set, the price ticker uses DATABASE_URL, whose login then needs the privileges of both; not for --role delivery",
    default: "",
    secret: true,
  },
  { name: "GOLD_ENV", meaning: "sandbox or production" },
  {
    name: "PUBLIC_BASE_URL",
    meaning: "The URL that partners call, such as https://api.example; part of every signature",
  },
  {
    name: "DOCS_URL",
    meaning:
      "The address of your documentation site (npm run site), such as https://docs.gold.example; the type of each error then is its page, and without it a path of the service; not for --role delivery",
    default: "",
  },
  { name: "LISTEN", meaning: "unix:PATH, or in the sandbox 127.0.0.1:PORT; not for --role delivery" },
  {
    name: "PROCESSES",
    meaning:
      "Number of serving processes, 1 to 64, one per core; above 1, LISTEN and OPERATIONS_LISTEN must contain {n}, which becomes each process's number; not for --role delivery",
    default: "1",
  },
  {
    name: "PROXY_SECRET",
    meaning:
      "On loopback TCP: the secret that the proxy sends in x-gold-proxy-secret; not for --role delivery",
    default: "",
    secret: true,
  },
  { name: "OPERATIONS_LISTEN", meaning: "unix:PATH or 127.0.0.1:PORT for liveness, readiness and metrics" },
  {
    name: "METRICS_LISTEN",
    meaning:
      "IP:PORT, such as 0.0.0.0:9466, that serves only /metrics, without TLS, for a Prometheus outside the pod; the metrics include what all partners trade, so a firewall or network policy must let only Prometheus connect; above one of PROCESSES, it must contain {n}; off: only OPERATIONS_LISTEN serves metrics",
    default: "off",
  },
  {
    name: "DRAIN_SECONDS",
    meaning:
      "How many seconds the service keeps serving after SIGTERM; during this time it reports not ready and closes each connection after its reply; choose a time that is longer than the proxy needs to notice this, and longer than the proxy keeps an idle connection; not for --role delivery",
    default: "0",
  },
  {
    name: "PEPPER_SOURCE",
    meaning:
      "file:PATH or command:PROGRAM that returns the pepper of client secrets; not for --role delivery",
  },
  {
    name: "SEALING_KEY_SOURCE",
    meaning:
      "file:PATH or command:PROGRAM that returns the sealing keys, which encrypt secrets in the database",
  },
  {
    name: "PRICE_SOURCE_ALLOW",
    meaning:
      "Internal price feeds that the service may fetch, over https or http; each entry is HOST:PORT, an address, or a range such as 10.1.2.0/24; spaces separate entries; every other feed must use https on a public address, port 443 or 8443; gold price set reads this setting, too; not for --role delivery",
    default: "",
  },
  {
    name: "WEBHOOK_RETRIES",
    meaning:
      "Waits between the attempts to deliver a webhook; each wait varies at random by up to 20 %; if the attempt after the last wait fails, the webhook is parked; not for --role api",
    default: "5s 30s 2m 10m 30m 1h 2h 4h 8h 12h 20h 24h",
  },
  {
    name: "WEBHOOK_CA",
    meaning:
      "PEM file of a CA that is trusted only for webhook receivers on loopback, if the database allows such receivers; not for --role api",
    default: "",
  },
  {
    name: "WEBHOOK_DNS",
    meaning:
      "IP:PORT of the name servers for webhook receivers, separated by spaces; by default the system's name servers; not for --role api",
    default: "",
  },
  {
    name: "STOP_WITH_STDIN",
    meaning: "1: stop when standard input ends, as it does when a supervisor is killed",
    default: "",
  },
  {
    name: "LANES",
    meaning:
      "How many batches of each kind of booking (orders, quotes and nonces) may be in flight at once, 1 to 8; not for --role delivery",
    default: "2",
  },
  {
    name: "HEADS_FILE",
    meaning:
      "Absolute path of a file in which the service keeps the newest hash of each chain, on a disk that is not the database's and survives a restart; a database that lacks a kept record, as after a restore, gets no writes until two people accept the loss; processes can share the file; off: nobody notices a restore that lost records, so each start in production logs a warning; in the sandbox the default is off",
    sandboxDefault: "off",
  },
  {
    name: "OPERATOR_KEYS",
    meaning:
      "Absolute path of the file with the id of the deployment and the operators' first public keys, as gold audit full --operator-keys reads it; the service and the trust sync then skip each certificate, key, secret, address and authority for which two people did not sign; off: the service accepts rows that a superuser of the database added without two people, so each start in production logs a warning, and fails once two people have signed for every row; in the sandbox the default is off; not for --role delivery",
    sandboxDefault: "off",
  },
  {
    name: "HA",
    meaning:
      "on: require a synchronous standby that stores every acknowledged write; off: an acknowledged order can be lost with the database's server, so each start in production logs a warning; in the sandbox the default is off",
    default: "on",
    sandboxDefault: "off",
  },
];

/** A sentence for each variable that looks like a misspelt setting. */
export const misspeltSettings = (
  variables: Readonly<Record<string, string | undefined>>,
): readonly string[] => misspelt(SETTINGS.map(({ name }) => name), variables);

/** Returns the default in this environment; undefined if the setting is required. */
export const defaultOf = (
  { default: byDefault, sandboxDefault }: Setting,
  { GOLD_ENV }: Readonly<Record<string, string | undefined>>,
): string | undefined => GOLD_ENV === "sandbox" ? sandboxDefault ?? byDefault : byDefault;

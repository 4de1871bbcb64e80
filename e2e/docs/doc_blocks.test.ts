import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { assert, assertEquals } from "@std/assert";
import { readBlocks } from "./doc_fixture.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const DEV = "packages/dev/src";

/**
 * The test that runs all blocks of a page, keyed by page and language. The test's file must name the page.
 */
const PAGES: Readonly<Record<string, string>> = {
  "docs/quickstart.md sh": "e2e/docs/quickstart.external.test.ts",
  "docs/rotation.md sh": "e2e/docs/quickstart.external.test.ts",
  "docs/webhooks.md sh": "e2e/docs/guide_page.external.test.ts",
  "docs/webhooks.md ts": "packages/client/src/example.test.ts",
  "README.md ts": "e2e/docs/typescript_page.pg.test.ts",
  "docs/typescript.md sh": "e2e/docs/typescript_page.pg.test.ts",
  "docs/typescript.md ts": "e2e/docs/typescript_page.pg.test.ts",
  "docs/signing.md sh": "e2e/docs/guide_page.external.test.ts",
  "docs/idempotency.md sh": "e2e/docs/guide_page.external.test.ts",
  "docs/going_live.md sh": "e2e/docs/guide_page.external.test.ts",
  "docs/sandbox.md sh": "e2e/docs/guide_page.external.test.ts",
  "docs/partner_cli.md sh": "e2e/docs/guide_page.external.test.ts",
  "docs/python.md sh": "e2e/docs/python_page.external.test.ts",
  "docs/python.md python": "e2e/docs/python_page.external.test.ts",
  "docs/generated_clients.md python": "e2e/client/generated_clients.external.test.ts",
  "docs/java.md sh": "e2e/docs/java_page.external.test.ts",
  "docs/java.md java": "e2e/docs/java_page.external.test.ts",
  "docs/java.md xml": "e2e/docs/java_page.external.test.ts",
  "docs/csharp.md sh": "e2e/docs/csharp_page.external.test.ts",
  "docs/csharp.md csharp": "e2e/docs/csharp_page.external.test.ts",
  "docs/operator/setup.md sh": "e2e/docs/operator_page.external.test.ts",
  "docs/operator/partners.md sh": "e2e/docs/operator_page.external.test.ts",
  "docs/operator/money.md sh": "e2e/docs/operator_page.external.test.ts",
  "docs/operator/events.md sh": "e2e/docs/operator_page.external.test.ts",
  "docs/operator/keys.md sh": "e2e/docs/operator_page.external.test.ts",
  "docs/operator/logins.md sh": "e2e/docs/operator_page.external.test.ts",
  "docs/operator/prices.md sh": "e2e/docs/operator_page.external.test.ts",
  "docs/operator/views.md sh": "e2e/docs/operator_page.external.test.ts",
  "docs/operator/console.md sh": "e2e/docs/operator_page.external.test.ts",
  "docs/operator/checkpoints.md sh": "e2e/docs/operator_page.external.test.ts",
  "docs/operator/load_tests.md sh": "e2e/docs/operator_page.external.test.ts",
  "docs/operator/two_people.md sh": "e2e/docs/operator_page.external.test.ts",
  "docs/operator/signed_approvals.md sh": "e2e/docs/operator_page.external.test.ts",
  "docs/operator.md json": "packages/operator/src/profile.test.ts",
  "docs/operator_day.md sh": "e2e/docs/operator_day.external.test.ts",
  "docs/audit.md json": "packages/audit/src/catalog/catalog.pg.test.ts",
  "docs/audit.md sh": "e2e/docs/operator_page.external.test.ts",
  "docs/recovery.md sh": "e2e/docs/recovery_page.external.test.ts",
  "docs/postgres_upgrade.md sh": "e2e/docs/postgres_upgrade_page.nightly.test.ts",
  "docs/audit.md sql": "e2e/docs/operator_page.external.test.ts",
};

/** The sections whose blocks a test runs in their order. The test must contain the title of each. */
const SECTIONS: Readonly<Record<string, readonly [by: string, titles: readonly string[]]>> = {
  "docs/high_availability.md": [
    "e2e/docs/high_availability_page.nightly.test.ts",
    ["Fail over by hand", "Promote the last server"],
  ],
};

/**
 * Lines outside these sections that cannot run beside the other lines of the page, such as `docker compose
 * up`. Each line has the file that runs it, and a text that this file must contain.
 */
const LINES: Readonly<Record<string, readonly [by: string, says: string]>> = {
  "npm start": [`${DEV}/start.pg.test.ts`, "trades for its demo partner"],
  "npm start -- --envoy": [`${DEV}/start_envoy.external.test.ts`, `"--envoy"`],
  "npm test": [".ci/run", "npm test"],
  "npm run gold": ["packages/operator/src/gold.test.ts", "lists the commands by task without arguments"],
  "npm run tools": [".ci/run", "npm run tools"],
  "npm run prove -- external": [".ci/run", "npm run prove -- external"],
  "deploy/make_secrets": ["deploy/site_fixture.ts", `"deploy/make_secrets"`],
  "docker compose run --rm gold ca init --key /run/authority/ca_key.pem": [
    "deploy/compose.nightly.test.ts",
    `gold("ca init --key /run/authority/ca_key.pem")`,
  ],
  "docker compose up --build --detach": ["deploy/compose.nightly.test.ts", "docker-compose.yml"],
  "docker compose run --rm gold vault add --serial FIRST --gross 12441.4 --fineness 999.9 --vault Riyadh": [
    "deploy/compose.nightly.test.ts",
    `gold("vault add --serial FIRST --gross 12441.4 --fineness 999.9 --vault Riyadh")`,
  ],
  "docker compose run --rm gold price set --mid 500 --spread 60 --source simulated": [
    "deploy/compose.nightly.test.ts",
    `gold("price set --mid 500 --spread 60`,
  ],
  "kubectl apply --kustomize your/overlay && kubectl --namespace gold wait --for=condition=complete job/gold-migration --timeout=30m":
    ["deploy/kubernetes.nightly.test.ts", "kustomization"],
  "deploy/pin_images gold-trading-partner-service=YOUR.REGISTRY/gold:0.5.0 envoyproxy/envoy:v1.40.0 haproxy:2.6 >> your/overlay/kustomization.yaml":
    ["deploy/images.test.ts", `run("pin_images", ["haproxy:2.6", "gold-trading-partner-service=`],
  "kubectl kustomize your/overlay | deploy/check_images": [
    "deploy/images.test.ts",
    `run("check_images", [], pinned)`,
  ],
  "export COMPOSE_FILE=docker-compose.yml:deploy/patroni/compose.yaml": [
    "deploy/patroni/compose.nightly.test.ts",
    `["docker-compose.yml", "deploy/patroni/compose.yaml"]`,
  ],
};

const NO_CONTAINERS = "no test builds the image of Patroni; the same commands run without containers";
/** Lines that no test runs, each with the reason. */
const UNTESTED: Readonly<Record<string, string>> = {
  "docker compose exec n1 patronictl -c /etc/patroni list": NO_CONTAINERS,
  "docker compose kill n1": NO_CONTAINERS,
};
const PAGES_OF_LINES = ["README.md", "docs/deployment.md", "docs/high_availability.md"];

const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const pages = [
  "README.md",
  ...readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md")).map((name) => `docs/${name.replaceAll("\\", "/")}`),
].sort();

/** Returns the blocks that are typed or run. A `text` block is an answer or a drawing. */
function typedIn(page: string): { language: string; text: string }[] {
  const [, tested = []] = SECTIONS[page] ?? [];
  const rest = read(page).split(/^## /m).filter((section) => !tested.includes(section.split("\n")[0]!));
  return rest.flatMap(readBlocks).filter(({ language }) => language !== "text");
}

describe("the code blocks of README and docs", () => {
  it("are all executed by the test that the table names for their page", () => {
    const blocks = pages.flatMap((page) =>
      typedIn(page).filter(({ language }) => language !== "sh" || !PAGES_OF_LINES.includes(page))
        .map(({ language }) => `${page} ${language}`)
    );
    assertEquals([...new Set(blocks)].sort(), Object.keys(PAGES).sort());
    for (const [block, test] of Object.entries(PAGES)) {
      const page = block.replace(/ \w+$/, "");
      const names = [page, page.replace(/^docs\//, ""), page.replace(/\/README\.md$/, "")];
      assert(names.some((name) => read(test).includes(`${name}"`)), `${test} does not name ${page}`);
    }
  });

  it("in lines that cannot run on the page's machine are executed elsewhere: a table names the file for each line, or the reason why no test runs it", () => {
    const lines = PAGES_OF_LINES.flatMap(typedIn).filter(({ language }) => language === "sh")
      .flatMap(({ text }) => text.trimEnd().split("\n").map((line) => line.replace(/\s+#\s.*$/, "")));
    assertEquals([...new Set(lines)].sort(), Object.keys({ ...LINES, ...UNTESTED }).sort());
    for (const [test, says] of Object.values(LINES)) {
      assert(read(test).includes(says), `${test} does not contain ${says}`);
    }
    for (const [page, [test, titles]] of Object.entries(SECTIONS)) {
      for (const title of titles) {
        assert(read(page).includes(`\n## ${title}\n`), `${page} has no section ${title}`);
        assert(read(test).includes(`commandsIn("${title}")`), `${test} does not run ${title}`);
      }
    }
  });
});

describe("the README", () => {
  it("has at most 80 lines, and no line over 120 characters", () => {
    const lines = read("README.md").split("\n");
    assert(lines.length <= 80);
    assertEquals(lines.filter((line) => line.length > 120), []);
  });
});

describe("the links of README, docs and the changelog", () => {
  const LINK = /\]\(([^)\s]+)\)/g;
  /** Returns a heading's anchor as GitHub builds it. */
  const anchorOf = (heading: string) =>
    heading.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, "").trim().replace(/\s/g, "-");
  /** The anchors of headings, and those that a page keeps for old links: `<a id="…"></a>`. */
  const anchorsOf = (page: string) => [
    ...[...page.matchAll(/^#{1,6} (.*)$/gm)].map(([, heading]) => anchorOf(heading!)),
    ...[...page.matchAll(/<a id="([^"]+)"><\/a>/g)].map(([, anchor]) => anchor!),
  ];

  it("lead to files and headings that exist", () => {
    const broken = [...pages, "CHANGELOG.md"].flatMap((page) =>
      [...read(page).matchAll(LINK)].map(([, link]) => link!).filter((link) => !/^https?:/.test(link))
        .filter((link) => {
          const [path = "", anchor] = link.split("#");
          const target = path === "" ? page : join(page, "..", path);
          try {
            if (path.endsWith("/")) return readdirSync(join(ROOT, target)).length === 0;
            return anchor !== undefined && !anchorsOf(read(target)).includes(anchor) || read(target) === "";
          } catch {
            return true;
          }
        }).map((link) => `${page}: ${link}`)
    );
    assertEquals(broken, []);
  });
});

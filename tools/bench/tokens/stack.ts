// Runs the service's own admission in this process, with a registry of many partners.
import { createHash } from "node:crypto";
import { testService } from "@gold-partner/server/testing";
import { admitCertificate, assemble, createLog } from "@gold-partner/server";
import type { Sql } from "postgres";

type Deps = Awaited<ReturnType<typeof assemble>>["deps"];

interface TokenStack {
  readonly deps: Deps;
  readonly certificates: readonly Awaited<ReturnType<typeof admitCertificate>>[];
  stop(): Promise<void>;
}

export async function openTokenStack(partners: number): Promise<TokenStack> {
  const service = await testService();
  try {
    const fingerprints = Array.from(
      { length: partners },
      (_, index) => createHash("sha256").update(`${index}`).digest("hex"),
    );
    await onboard(service.books.sql, fingerprints);
    const { deps, stop } = await assemble(service.config, createLog(() => {}, () => new Date()));
    const certificates = await Promise.all(
      fingerprints.map((fingerprint) => admitCertificate(`Hash=${fingerprint}`, deps.registry)),
    );
    return {
      deps,
      certificates,
      async stop() {
        await stop();
        await service.stop();
      },
    };
  } catch (error) {
    await service.stop();
    throw error;
  }
}

/** Onboards partners through the operator's own functions, each with one certificate. */
async function onboard(sql: Sql, fingerprints: readonly string[]): Promise<void> {
  const clientIds = fingerprints.map((fingerprint) => `sbx_${fingerprint.slice(0, 20)}`);
  await sql.begin(async (transaction) => {
    await transaction`
      select gold.create_partner(public, 'Benchmark', 'SA0380000000608010167519', null, 2000, 2000, 10000000,
        '{127.0.0.1/32}', sha256(''), '\\x00', 'none', '[]')
      from unnest(${clientIds}::text[]) public`;
    await transaction`
      select gold.add_certificate(public, fingerprint, 'none', clock_timestamp() - interval '1 hour', clock_timestamp() + interval '1 day')
      from unnest(${clientIds}::text[], ${[...fingerprints]}::text[]) one (public, fingerprint)`;
  });
}

import { after, before, describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import {
  issueTo,
  keepRequest,
  listOf,
  serialOf,
  type SigningProgram,
  signingProgram,
} from "./authority_fixture.ts";
import { assertRefused as refused, itemsOf, type TestOperator, testOperator } from "../fixture.ts";

/** Tests an authority whose key signs slowly while other commands run. */
describe("while an authority's key signs", () => {
  let operator: TestOperator;
  let program: SigningProgram;
  let authority: string;
  let clientId: string;
  before(async () => {
    operator = await testOperator();
    clientId = operator.service.partner.clientId;
    program = await signingProgram(operator);
    authority = (await operator.done("ca", "init", ...program.options)).fingerprint as string;
  });
  after(() => operator.stop());

  const onList = async (...fingerprints: string[]) => {
    const { serials, number } = await listOf(operator, authority);
    const wanted = await Promise.all(fingerprints.map((one) => serialOf(operator, one)));
    return { number, whole: wanted.every((serial) => serials.includes(serial)) };
  };

  it("stores both of two concurrent revocations, and gives each list its own number", async () => {
    const [one, other] = [await issueTo(operator, clientId), await issueTo(operator, clientId)];
    const { number } = await listOf(operator, authority);
    const held = await program.hold();
    const slow = operator.done("cert", "revoke", one);
    await held.requested;
    assertEquals((await operator.colleague.done("cert", "revoke", other)).revocation_list, "renewed");
    await held.release();
    assertEquals((await slow).revocation_list, "renewed");
    assertEquals(await onList(one, other), { number: number + 2, whole: true });
  });

  it("lists a certificate that is revoked while cert crl renews the list", async () => {
    const fingerprint = await issueTo(operator, clientId);
    const { number } = await listOf(operator, authority);
    const held = await program.hold();
    const slow = operator.done("cert", "crl");
    await held.requested;
    await operator.colleague.done("cert", "revoke", fingerprint);
    await held.release();
    const [renewed] = itemsOf(await slow);
    assertEquals(renewed!.number, number + 2);
    assertEquals(await onList(fingerprint), { number: number + 2, whole: true });
  });

  it("revokes at once, before the list is signed, without locking the partner's account", async () => {
    const fingerprint = await issueTo(operator, clientId);
    const held = await program.hold();
    const slow = operator.done("cert", "revoke", fingerprint);
    await held.requested;
    const { sql } = operator.service.books;
    const [row] = await sql`select revoked_at from gold.certificate where fingerprint = ${fingerprint}`;
    assert(row!.revoked_at !== null);
    const { client } = operator.service.partner;
    const [free] = await sql`select from gold.account where client_id = ${client} for update nowait`;
    assert(free !== undefined);
    await held.release();
    await slow;
    assertEquals((await onList(fingerprint)).whole, true);
  });

  it("does not register or write a certificate if its authority was replaced meanwhile", async () => {
    const argv = ["cert issue", clientId, "--csr", await keepRequest(operator, clientId), "--out"];
    const held = await program.hold();
    const slow = operator.gold(...argv, operator.path("late.pem"));
    await held.requested;
    await operator.colleague.done("key", "rotate", "ca", "--key", operator.path("next_key.pem"));
    await held.release();
    refused(await slow, 1, "run the command again");
    assertEquals(await operator.read("late.pem").catch(({ code }) => code), "ENOENT");
    const again = await operator.done(...argv, operator.path("late.pem"));
    const [row] = await operator.service.books
      .sql`select authority from gold.certificate where fingerprint = ${again.fingerprint as string}`;
    assert(row!.authority !== authority);
  });

  it("stores no list for an authority that was retired meanwhile", async () => {
    const held = await program.hold();
    const slow = operator.gold("cert", "crl");
    await held.requested;
    await operator.colleague.done("ca", "retire", authority);
    await held.release();
    refused(await slow, 3, "was retired while this command ran");
    assertEquals(itemsOf(await operator.done("cert", "crl")).length, 1);
  });
});

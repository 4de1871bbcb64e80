import { randomBytes, randomUUID } from "node:crypto";
import { ID_PREFIX, newId } from "@gold-partner/protocol";
import type { TestOperator } from "../fixture.ts";

const newUuid = () => newId(ID_PREFIX.request, Date.now(), randomBytes).slice(ID_PREFIX.request.length);

/**
 * Requests a withdrawal as the fixture's partner, or as the partner with the number `client`. Returns its id.
 */
export async function askWithdrawal(
  { service }: TestOperator,
  halalas: bigint,
  client = service.partner.client,
): Promise<string> {
  const { sql, api } = service.books;
  const [uuid, reference] = [newUuid(), `ref-${randomUUID().slice(0, 8)}`];
  const [account] =
    await sql`select admission_version::text as version from gold.account where client_id = ${client}`;
  const [row] = await api`
    select outcome, status, body from gold.book_withdrawal(false, ${client}, ${
    account!.version
  }::text::bigint, ${randomUUID()}::uuid,
      ${randomUUID()}, '\\x00', ${`${halalas}`}::text::bigint, 1000000000000, ${reference}, ${uuid}::uuid, ${newUuid()}::uuid,
      null, '\\xab', sha256(''))`;
  if (row!.status !== 201) throw new Error(`The withdrawal was not booked: ${row!.outcome} ${row!.body}`);
  return `wd_${uuid}`;
}

/**
 * Sets the account from which withdrawals are paid. The fixture uses the superuser;
 * in production the migration login sets it.
 */
export async function setPayoutAccount({ service }: TestOperator): Promise<void> {
  await service.books
    .sql`select gold.set_payout_account('Example Gold House', 'SA9480000000000000000001', 'EXAMSARI')`;
}

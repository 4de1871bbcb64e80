import type { Caller } from "./caller_trial.ts";
import type { House } from "./house_trial.ts";

/** Takes the lock that every write of this partner needs, and returns what lets it go. */
export async function holdAccount({ sql }: House, { credentials }: Caller): Promise<() => Promise<void>> {
  let letGo = () => {};
  const released = new Promise<void>((resolve) => letGo = resolve);
  const holding = await new Promise<{ ended: Promise<unknown> }>((resolve, reject) => {
    const ended = sql.begin(async (transaction) => {
      await transaction`
        select from gold.account a join gold.partner p on p.id = a.client_id
        where p.public_id = ${credentials.client_id} for update of a`;
      resolve({ ended });
      await released;
    });
    ended.catch(reject);
  });
  return async () => {
    letGo();
    await holding.ended;
  };
}

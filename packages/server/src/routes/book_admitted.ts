import type { Outcome } from "../booking/outcome.ts";
import type { Deps } from "./deps.ts";
import { Refusal } from "../http/refusal.ts";

const READMISSIONS = 3;

/**
 * Admits a request and books it. If the partner's admission changed between these two steps, booking refuses
 * the request, and both steps are repeated. So no write commits after a committed revocation. The steps run
 * at most READMISSIONS times in all. `admit` runs every step before booking.
 */
export async function bookAdmitted<Admitted>(
  admit: () => Promise<Admitted>,
  book: (admitted: Admitted) => Promise<Outcome>,
  { registry, clockAlarm }: Pick<Deps, "registry" | "clockAlarm">,
): Promise<Outcome> {
  for (let round = 1;; round++) {
    const outcome = await book(await admit());
    if (outcome.outcome === "service_unavailable") {
      clockAlarm.refused(Number(outcome.body));
      throw new Refusal(
        "service_unavailable",
        "The database's clock is behind your account's newest posting. Nothing was executed.",
      );
    }
    if (outcome.outcome !== "admission_changed") return outcome;
    if (round === READMISSIONS) {
      throw new Refusal(
        "service_unavailable",
        "Your credentials changed while the request was in flight. Nothing was executed.",
      );
    }
    await registry.refresh();
  }
}

/** A row of the audit trail. */
export interface Note {
  readonly id: bigint;
  readonly at: number;
  readonly login: string;
  readonly action: string;
  readonly subject: string;
  // deno-lint-ignore no-explicit-any
  readonly detail: any;
}

const STEPS = ["approved", "rejected", "submitted", "paid", "returned"];

/** The audit trail, with an index of withdrawal steps. Each step can be taken once. */
export class Notes {
  readonly all: readonly Note[];
  readonly #steps = new Map<string, Map<string, Note>>();
  readonly #subjects = new Map<string, string>();

  constructor(all: readonly Note[]) {
    this.all = all;
    for (const note of all) {
      const status = note.action.startsWith("withdrawal.") ? note.action.slice("withdrawal.".length) : "";
      if (!STEPS.includes(status)) continue;
      const key = `${status} ${note.detail.withdrawal}`;
      if (!this.#steps.has(note.subject)) this.#steps.set(note.subject, new Map());
      this.#steps.get(note.subject)!.set(key, note);
      this.#subjects.set(key, note.subject);
    }
  }

  /** Returns the audit row of this step, and removes it from the unused rows. */
  takeStep(status: string, withdrawal: string): Note | undefined {
    const key = `${status} wd_${withdrawal}`;
    const own = this.#steps.get(this.#subjects.get(key) ?? "");
    const note = own?.get(key);
    own?.delete(key);
    return note;
  }

  unusedSteps(publicId: string): Iterable<Note> {
    return this.#steps.get(publicId)?.values() ?? [];
  }
}

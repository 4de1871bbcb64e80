import type { z } from "zod";
import type { Counted } from "../admission/counted.ts";
import { admitWrite, type WriteOf, type WriteRequest } from "../admission/admit_write.ts";
import { type JsonBytes, readJsonBytes, readParameters } from "../admission/body/read_body.ts";
import type { Partner } from "../admission/registry/snapshot.ts";
import { readIdempotencyKey } from "../admission/signature/header_forms.ts";
import type { CertifiedCaller } from "../admission/token/caller.ts";
import type { Outcome } from "../booking/outcome.ts";
import type { Deps } from "./deps.ts";
import type { AppContext, Route } from "../http/context.ts";
import { outcomeReply } from "./outcome_reply.ts";
import { bookAdmitted } from "./book_admitted.ts";

/** The parts of the pipeline that differ between kinds of writes. */
interface Write<
  Schema extends z.ZodType,
  Who extends CertifiedCaller,
  Request extends WriteRequest,
> {
  /** Checks certificate, IP, token and rate. */
  readonly admit: (c: AppContext, deps: Deps) => Promise<Counted<Who>>;
  /** An optional body may be empty. The path then holds all parameters. */
  readonly bodyIsOptional?: boolean;
  /** Checks the signature headers, timestamp and signature of a signed write. */
  readonly authenticate: (
    caller: Counted<Who>,
    body: JsonBytes,
    c: AppContext,
    deps: Deps,
  ) => Promise<Request>;
  readonly schema: Schema;
  /**
   * Books the write. `...write` must be the last member of the object to book. If other members follow, V8
   * copies `write` on a slow path, and a quote takes measurably longer.
   */
  readonly book: (admitted: Admitted<Schema, Request>, c: AppContext) => Promise<Outcome>;
}

interface Admitted<Schema extends z.ZodType, Request> {
  readonly write: WriteOf<Request>;
  /** The parameters, as the schema reads them. */
  readonly asked: z.output<Schema>;
  readonly partner: Partner;
}

/**
 * THE WRITE PIPELINE: every step of a write, in order. Each step needs an earlier step's result, so a
 * pipeline that leaves out a step does not compile (write_pipeline.types.ts).
 */
export function writeRoute<
  Schema extends z.ZodType,
  Who extends CertifiedCaller,
  Request extends WriteRequest,
>(
  deps: Deps,
  { admit, bodyIsOptional, authenticate, schema, book }: Write<Schema, Who, Request>,
): Route {
  return async (c) => {
    const admitOnce = async () => {
      // certificate → IP → token → rate
      const caller = await admit(c, deps);
      // size → media type
      const body = await readJsonBytes(c, bodyIsOptional);
      const key = readIdempotencyKey((name) => c.req.header(name));
      // signature headers → timestamp → signature
      const request = await authenticate(caller, body, c, deps);
      // no query → JSON syntax → shape
      const parameters = readParameters(c, schema, request.body);
      const write = admitWrite(c, request, key, parameters);
      c.set("isAdmittedWrite", true);
      return { write, asked: parameters.asked, partner: request.partner };
    };
    // nonce → idempotency → business, in one transaction
    const outcome = await bookAdmitted(admitOnce, (admitted) => book(admitted, c), deps);
    return outcomeReply(outcome, c.get("exchange"));
  };
}

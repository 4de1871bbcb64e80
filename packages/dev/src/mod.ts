/** Everything on one machine, for development and for tests. */
export { runtimeArguments } from "./child.ts";
export { asOperator } from "./operator.ts";
export { type Credentials } from "./partner.ts";
export { findFreePort, startPostgres, type TestPostgres, testPostgres } from "./postgres/mod.ts";
export { parseChangelog } from "./release/changelog.ts";
export { checkOut } from "./release/checkout.ts";
export { lastRelease, resolveCommit } from "./release/history.ts";
export { type Running, type StartOptions } from "./running.ts";
export { SeenNumbers } from "./seen_numbers.ts";
export { start } from "./start.ts";
export { readSurroundings, reportSurroundings } from "./surroundings.ts";
export { type TrialBooks, trialBooks } from "./trial/books.ts";
export { type TrialGateway, trialGateway } from "./trial/gateway.ts";
export {
  addTrialCertificate,
  newTrialKey,
  TRIAL_PUBLIC_JWK,
  type TrialKey,
  type TrialPartner,
  trialSerial,
} from "./trial/partner.ts";
export { expectProblem } from "./trial/problem.ts";
export {
  type Delivery,
  type DeliveryAnswer,
  trialCertificate,
  type TrialReceiver,
  trialReceiver,
} from "./trial/receiver.ts";
export { silentDatabase } from "./trial/silent_database.ts";
export { type Sending, type Signing, type TrialService, trialService } from "./trial/service.ts";

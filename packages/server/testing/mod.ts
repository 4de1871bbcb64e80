/** Fixtures of the service for the tests of all packages. */
export { type TrialBooks, trialBooks } from "./books.ts";
export { createTrialAuthority, type Issued, type TrialAuthority } from "./certificates.ts";
export {
  addTrialCertificate,
  newTrialKey,
  signTrialRequest,
  TRIAL_PUBLIC_JWK,
  type TrialKey,
  type TrialPartner,
  trialSerial,
} from "./partner.ts";
export { expectProblem } from "./problem.ts";
export {
  type Delivery,
  type DeliveryAnswer,
  trialCertificate,
  type TrialReceiver,
  trialReceiver,
} from "./receiver.ts";
export { type Sending, type Signing, type TrialService, trialService } from "./service.ts";
export { silentDatabase } from "./silent_database.ts";
export { brokenRequests, type RequestCase } from "./wire/broken_requests.ts";
export { type Client, oddRequests } from "./wire/odd_requests.ts";
export { sendBytes, verdictsOf } from "./wire/send_bytes.ts";
export { type Service, startService } from "../src/service.ts";

/** Fixtures of the service for the tests of all packages. */
export { type TestBooks, testBooks } from "./books.ts";
export { createTestAuthority, type Issued, type TestAuthority } from "./certificates.ts";
export {
  addTestCertificate,
  newTestKey,
  signTestRequest,
  TEST_PUBLIC_JWK,
  type TestKey,
  type TestPartner,
  testSerial,
} from "./partner.ts";
export { bookManyFundings } from "./long_day.ts";
export { closingToday, moveDayEndAway } from "./close_today.ts";
export { PostgresPair } from "./postgres_pair.ts";
export { expectProblem } from "./problem.ts";
export {
  type Delivery,
  type DeliveryAnswer,
  testCertificate,
  type TestReceiver,
  testReceiver,
} from "./receiver.ts";
export { type Sending, type Signing, type TestService, testService } from "./service.ts";
export { type Draw, SimulatedHistory } from "./simulated_history.ts";
export { withoutTriggers } from "./rows.ts";
export { signedWrite } from "./signed_write.ts";
export { bookSignedOrders, createTrader, type Trader } from "./signed_orders.ts";
export { silentDatabase } from "./silent_database.ts";
export { brokenRequests, type RequestCase } from "./wire/broken_requests.ts";
export { type Client, oddRequests } from "./wire/odd_requests.ts";
export {
  approveSigned,
  newSignatory,
  operatorKeysOf,
  type Proposed,
  proposeSigned,
  registerRootKeys,
  type Signatory,
} from "./signed_proposals.ts";
export { sendBytes, verdictsOf } from "./wire/send_bytes.ts";
export { type Service, startService } from "../src/process/service.ts";
export { migrate } from "../src/database/migrate.ts";
export { simulatedSource } from "../src/booking/trading/price_source_simulated.ts";
export { unsign } from "../src/booking/ledger/tampered_fixture.ts";

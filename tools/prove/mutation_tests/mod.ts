import { ADMISSION_MUTATIONS } from "./admission_mutations.ts";
import { ALLOWANCE_MUTATIONS } from "./allowance_mutations.ts";
import { AUDIT_MUTATIONS } from "./audit_mutations.ts";
import { AUTHORITY_MUTATIONS } from "./authority_mutations.ts";
import { CHAIN_MUTATIONS } from "./chain_mutations.ts";
import { CLIENT_MUTATIONS } from "./client_mutations.ts";
import { CLOCK_MUTATIONS } from "./clock_mutations.ts";
import { CLOSING_MUTATIONS } from "./closing_mutations.ts";
import { CREDENTIAL_MUTATIONS } from "./credential_mutations.ts";
import type { Mutation } from "./mutation.ts";
import { DELIVERY_MUTATIONS } from "./delivery_mutations.ts";
import { DELIVERY_VERIFICATION_MUTATIONS } from "./delivery_verification_mutations.ts";
import { DEPLOYMENT_MUTATIONS } from "./deployment_mutations.ts";
import { DEPOSIT_MUTATIONS } from "./deposit_mutations.ts";
import { EXPIRY_MUTATIONS } from "./expiry_mutations.ts";
import { FAILOVER_MUTATIONS } from "./failover_mutations.ts";
import { FUNDING_MUTATIONS } from "./funding_mutations.ts";
import { IBAN_MUTATIONS } from "./iban_mutations.ts";
import { LEDGER_MUTATIONS } from "./ledger_mutations.ts";
import { MARKET_MUTATIONS } from "./market_mutations.ts";
import { ORDER_MUTATIONS } from "./order_mutations.ts";
import { ORDER_IDENTITY_MUTATIONS } from "./order_identity_mutations.ts";
import { PROPOSAL_MUTATIONS } from "./proposal_mutations.ts";
import { QUOTE_MUTATIONS } from "./quote_mutations.ts";
import { READ_MUTATIONS } from "./read_mutations.ts";
import { REGISTRY_MUTATIONS } from "./registry_mutations.ts";
import { ROLES_MUTATIONS } from "./roles_mutations.ts";
import { SCHEMA_MUTATIONS } from "./schema_mutations.ts";
import { SIGNATURE_MUTATIONS } from "./signature_mutations.ts";
import { SENDING_MUTATIONS } from "./sending_mutations.ts";
import { SIMULATION_MUTATIONS } from "./simulation_mutations.ts";
import { TURN_MUTATIONS } from "./turn_mutations.ts";
import { VAULT_MUTATIONS } from "./vault_mutations.ts";
import { VERIFICATION_MUTATIONS } from "./verification_mutations.ts";
import { WITHDRAWAL_MUTATIONS } from "./withdrawal_mutations.ts";
import { WITHDRAWAL_STEP_MUTATIONS } from "./withdrawal_step_mutations.ts";

export const MUTATIONS: readonly Mutation[] = [
  ...ORDER_MUTATIONS,
  ...ORDER_IDENTITY_MUTATIONS,
  ...PROPOSAL_MUTATIONS,
  ...QUOTE_MUTATIONS,
  ...ALLOWANCE_MUTATIONS,
  ...FUNDING_MUTATIONS,
  ...TURN_MUTATIONS,
  ...WITHDRAWAL_MUTATIONS,
  ...WITHDRAWAL_STEP_MUTATIONS,
  ...DEPOSIT_MUTATIONS,
  ...IBAN_MUTATIONS,
  ...MARKET_MUTATIONS,
  ...LEDGER_MUTATIONS,
  ...CLOCK_MUTATIONS,
  ...SCHEMA_MUTATIONS,
  ...VAULT_MUTATIONS,
  ...CHAIN_MUTATIONS,
  ...AUDIT_MUTATIONS,
  ...VERIFICATION_MUTATIONS,
  ...DELIVERY_MUTATIONS,
  ...SENDING_MUTATIONS,
  ...SIMULATION_MUTATIONS,
  ...DELIVERY_VERIFICATION_MUTATIONS,
  ...EXPIRY_MUTATIONS,
  ...CLOSING_MUTATIONS,
  ...READ_MUTATIONS,
  ...ADMISSION_MUTATIONS,
  ...REGISTRY_MUTATIONS,
  ...AUTHORITY_MUTATIONS,
  ...CREDENTIAL_MUTATIONS,
  ...ROLES_MUTATIONS,
  ...FAILOVER_MUTATIONS,
  ...SIGNATURE_MUTATIONS,
  ...DEPLOYMENT_MUTATIONS,
  ...CLIENT_MUTATIONS,
];

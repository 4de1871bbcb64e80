import { ADMISSION_MUTATIONS } from "./admission_defects.ts";
import { ALLOWANCE_MUTATIONS } from "./allowance_defects.ts";
import { AUDIT_MUTATIONS } from "./audit_defects.ts";
import { AUTHORITY_MUTATIONS } from "./authority_defects.ts";
import { CHAIN_MUTATIONS } from "./chain_defects.ts";
import { CLIENT_MUTATIONS } from "./client_defects.ts";
import { CLOCK_MUTATIONS } from "./clock_defects.ts";
import { CREDENTIAL_MUTATIONS } from "./credential_defects.ts";
import type { Mutation } from "./defect.ts";
import { DELIVERY_MUTATIONS } from "./delivery_defects.ts";
import { DELIVERY_VERIFICATION_MUTATIONS } from "./delivery_verification_defects.ts";
import { DEPLOYMENT_MUTATIONS } from "./deployment_defects.ts";
import { DEPOSIT_MUTATIONS } from "./deposit_defects.ts";
import { EXPIRY_MUTATIONS } from "./expiry_defects.ts";
import { FUNDING_MUTATIONS } from "./funding_defects.ts";
import { IBAN_MUTATIONS } from "./iban_defects.ts";
import { LEDGER_MUTATIONS } from "./ledger_defects.ts";
import { MARKET_MUTATIONS } from "./market_defects.ts";
import { ORDER_MUTATIONS } from "./order_defects.ts";
import { ORDER_IDENTITY_MUTATIONS } from "./order_identity_defects.ts";
import { QUOTE_MUTATIONS } from "./quote_defects.ts";
import { READ_MUTATIONS } from "./read_defects.ts";
import { REGISTRY_MUTATIONS } from "./registry_defects.ts";
import { ROLES_MUTATIONS } from "./roles_defects.ts";
import { SCHEMA_MUTATIONS } from "./schema_defects.ts";
import { SENDING_MUTATIONS } from "./sending_defects.ts";
import { TURN_MUTATIONS } from "./turn_defects.ts";
import { VAULT_MUTATIONS } from "./vault_defects.ts";
import { VERIFICATION_MUTATIONS } from "./verification_defects.ts";
import { WITHDRAWAL_MUTATIONS } from "./withdrawal_defects.ts";
import { WITHDRAWAL_STEP_MUTATIONS } from "./withdrawal_step_defects.ts";

export const MUTATIONS: readonly Mutation[] = [
  ...ORDER_MUTATIONS,
  ...ORDER_IDENTITY_MUTATIONS,
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
  ...DELIVERY_VERIFICATION_MUTATIONS,
  ...EXPIRY_MUTATIONS,
  ...READ_MUTATIONS,
  ...ADMISSION_MUTATIONS,
  ...REGISTRY_MUTATIONS,
  ...AUTHORITY_MUTATIONS,
  ...CREDENTIAL_MUTATIONS,
  ...ROLES_MUTATIONS,
  ...DEPLOYMENT_MUTATIONS,
  ...CLIENT_MUTATIONS,
];

import { ADMISSION_DEFECTS } from "./admission_defects.ts";
import { ALLOWANCE_DEFECTS } from "./allowance_defects.ts";
import { AUDIT_DEFECTS } from "./audit_defects.ts";
import { AUTHORITY_DEFECTS } from "./authority_defects.ts";
import { CHAIN_DEFECTS } from "./chain_defects.ts";
import { CLIENT_DEFECTS } from "./client_defects.ts";
import { CLOCK_DEFECTS } from "./clock_defects.ts";
import { CREDENTIAL_DEFECTS } from "./credential_defects.ts";
import type { Defect } from "./defect.ts";
import { DELIVERY_DEFECTS } from "./delivery_defects.ts";
import { DELIVERY_VERIFICATION_DEFECTS } from "./delivery_verification_defects.ts";
import { DEPLOYMENT_DEFECTS } from "./deployment_defects.ts";
import { DEPOSIT_DEFECTS } from "./deposit_defects.ts";
import { EXPIRY_DEFECTS } from "./expiry_defects.ts";
import { FUNDING_DEFECTS } from "./funding_defects.ts";
import { IBAN_DEFECTS } from "./iban_defects.ts";
import { LEDGER_DEFECTS } from "./ledger_defects.ts";
import { MARKET_DEFECTS } from "./market_defects.ts";
import { ORDER_DEFECTS } from "./order_defects.ts";
import { ORDER_IDENTITY_DEFECTS } from "./order_identity_defects.ts";
import { QUOTE_DEFECTS } from "./quote_defects.ts";
import { READ_DEFECTS } from "./read_defects.ts";
import { REGISTRY_DEFECTS } from "./registry_defects.ts";
import { ROLES_DEFECTS } from "./roles_defects.ts";
import { SCHEMA_DEFECTS } from "./schema_defects.ts";
import { SENDING_DEFECTS } from "./sending_defects.ts";
import { TURN_DEFECTS } from "./turn_defects.ts";
import { VAULT_DEFECTS } from "./vault_defects.ts";
import { VERIFICATION_DEFECTS } from "./verification_defects.ts";
import { WITHDRAWAL_DEFECTS } from "./withdrawal_defects.ts";
import { WITHDRAWAL_STEP_DEFECTS } from "./withdrawal_step_defects.ts";

export const DEFECTS: readonly Defect[] = [
  ...ORDER_DEFECTS,
  ...ORDER_IDENTITY_DEFECTS,
  ...QUOTE_DEFECTS,
  ...ALLOWANCE_DEFECTS,
  ...FUNDING_DEFECTS,
  ...TURN_DEFECTS,
  ...WITHDRAWAL_DEFECTS,
  ...WITHDRAWAL_STEP_DEFECTS,
  ...DEPOSIT_DEFECTS,
  ...IBAN_DEFECTS,
  ...MARKET_DEFECTS,
  ...LEDGER_DEFECTS,
  ...CLOCK_DEFECTS,
  ...SCHEMA_DEFECTS,
  ...VAULT_DEFECTS,
  ...CHAIN_DEFECTS,
  ...AUDIT_DEFECTS,
  ...VERIFICATION_DEFECTS,
  ...DELIVERY_DEFECTS,
  ...SENDING_DEFECTS,
  ...DELIVERY_VERIFICATION_DEFECTS,
  ...EXPIRY_DEFECTS,
  ...READ_DEFECTS,
  ...ADMISSION_DEFECTS,
  ...REGISTRY_DEFECTS,
  ...AUTHORITY_DEFECTS,
  ...CREDENTIAL_DEFECTS,
  ...ROLES_DEFECTS,
  ...DEPLOYMENT_DEFECTS,
  ...CLIENT_DEFECTS,
];

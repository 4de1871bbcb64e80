ALTER TYPE "gold"."withdrawal_status" ADD VALUE 'cancelled';--> statement-breakpoint
ALTER TABLE "gold"."withdrawal_step" ADD COLUMN "answer" "bytea";--> statement-breakpoint
-- Every stored row keeps these rules, because the rules only allow more. NOT VALID spares a scan under the tables' locks.
ALTER TABLE "gold"."idempotency_key" DROP CONSTRAINT "idempotency_key_kind";--> statement-breakpoint
ALTER TABLE "gold"."idempotency_key" ADD CONSTRAINT "idempotency_key_kind" CHECK ("result_kind" in (
  'quote', 'order', 'funding', 'withdrawal', 'event', 'refusal', 'simulation', 'cancellation')) NOT VALID;--> statement-breakpoint
ALTER TABLE "gold"."idempotency_key" DROP CONSTRAINT "idempotency_key_signed";--> statement-breakpoint
ALTER TABLE "gold"."idempotency_key" ADD CONSTRAINT "idempotency_key_signed" CHECK (
  "result_kind" not in ('order', 'withdrawal', 'cancellation') or ("request" is not null and "signing_thumbprint" is not null)) NOT VALID;--> statement-breakpoint
ALTER TABLE "gold"."withdrawal_step" DROP CONSTRAINT "withdrawal_step_legal";--> statement-breakpoint
ALTER TABLE "gold"."withdrawal_step" ADD CONSTRAINT "withdrawal_step_legal" CHECK ((coalesce("previous"::text, ''), "status"::text) in (
  ('', 'pending_approval'), ('pending_approval', 'approved'), ('pending_approval', 'rejected'), ('approved', 'rejected'),
  ('approved', 'submitted'), ('submitted', 'paid'), ('submitted', 'returned'), ('paid', 'returned'),
  ('pending_approval', 'cancelled'))) NOT VALID;--> statement-breakpoint
ALTER TABLE "gold"."withdrawal_step" ADD CONSTRAINT "withdrawal_step_answer" CHECK (
  ("status"::text = 'cancelled') = ("answer" is not null)) NOT VALID;

ALTER TABLE "gold"."account" ADD COLUMN "simulations" jsonb;--> statement-breakpoint
-- NOT VALID: every stored row satisfies the narrower constraint that this one replaces, and validating would
-- read the whole table while orders wait.
ALTER TABLE "gold"."idempotency_key" DROP CONSTRAINT "idempotency_key_kind";--> statement-breakpoint
ALTER TABLE "gold"."idempotency_key" ADD CONSTRAINT "idempotency_key_kind" CHECK ("gold"."idempotency_key"."result_kind" in ('quote', 'order', 'funding', 'withdrawal', 'event', 'refusal', 'simulation')) NOT VALID;

CREATE TABLE "gold"."change_request" (
	"bucket" smallint NOT NULL,
	"client_id" integer NOT NULL,
	"id" uuid NOT NULL,
	"kind" text collate "C" NOT NULL,
	"content" text NOT NULL,
	"requested_at" timestamp (3) with time zone NOT NULL,
	"taken_by" text collate "C",
	"taken_at" timestamp (3) with time zone,
	"proposal" uuid,
	"certificate" text,
	"declined_by" text collate "C",
	"declined_at" timestamp (3) with time zone,
	"reason" text,
	CONSTRAINT "change_request_bucket_client_id_id_pk" PRIMARY KEY("bucket","client_id","id"),
	CONSTRAINT "change_request_kind" CHECK ("gold"."change_request"."kind" in ('signing_key', 'certificate_request', 'ip_range', 'webhook_endpoint')),
	CONSTRAINT "change_request_taken" CHECK (("gold"."change_request"."taken_by" is null) = ("gold"."change_request"."taken_at" is null)),
	CONSTRAINT "change_request_declined" CHECK (("gold"."change_request"."declined_by" is null) = ("gold"."change_request"."declined_at" is null) and ("gold"."change_request"."declined_by" is null) = ("gold"."change_request"."reason" is null))
);
--> statement-breakpoint
CREATE UNIQUE INDEX "change_request_id" ON "gold"."change_request" USING btree ("id");--> statement-breakpoint
-- Every stored row keeps these rules, because the rules only allow more. NOT VALID spares a scan under the table's lock.
ALTER TABLE "gold"."idempotency_key" DROP CONSTRAINT "idempotency_key_kind";--> statement-breakpoint
ALTER TABLE "gold"."idempotency_key" ADD CONSTRAINT "idempotency_key_kind" CHECK ("result_kind" in (
  'quote', 'order', 'funding', 'withdrawal', 'event', 'refusal', 'simulation', 'cancellation', 'change')) NOT VALID;--> statement-breakpoint
ALTER TABLE "gold"."idempotency_key" DROP CONSTRAINT "idempotency_key_signed";--> statement-breakpoint
ALTER TABLE "gold"."idempotency_key" ADD CONSTRAINT "idempotency_key_signed" CHECK (
  "result_kind" not in ('order', 'withdrawal', 'cancellation', 'change') or ("request" is not null and "signing_thumbprint" is not null)) NOT VALID;

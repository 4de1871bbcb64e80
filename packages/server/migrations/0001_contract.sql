CREATE TYPE "gold"."withdrawal_status" AS ENUM('pending_approval', 'approved', 'submitted', 'paid', 'rejected', 'returned');--> statement-breakpoint
CREATE TABLE "gold"."deposit" (
	"bucket" smallint NOT NULL,
	"client_id" integer NOT NULL,
	"id" uuid PRIMARY KEY NOT NULL,
	"amount" bigint NOT NULL,
	"bank_reference" text collate "C" NOT NULL,
	"recorded_at" timestamp (3) with time zone NOT NULL,
	"recorded_by" text collate "C" NOT NULL,
	"approved_at" timestamp (3) with time zone,
	"approved_by" text collate "C",
	"reversed_at" timestamp (3) with time zone,
	"reversed_by" text collate "C",
	"reversed_sequence" bigint,
	CONSTRAINT "deposit_amount" CHECK ("gold"."deposit"."amount" > 0),
	CONSTRAINT "deposit_bank_reference_form" CHECK ("gold"."deposit"."bank_reference" <> ''),
	CONSTRAINT "deposit_two" CHECK ("gold"."deposit"."approved_by" <> "gold"."deposit"."recorded_by"),
	CONSTRAINT "deposit_steps" CHECK (("gold"."deposit"."approved_at" is null) = ("gold"."deposit"."approved_by" is null) and ("gold"."deposit"."reversed_at" is null) = ("gold"."deposit"."reversed_by" is null)
      and ("gold"."deposit"."reversed_sequence" is null or "gold"."deposit"."approved_at" is not null and "gold"."deposit"."reversed_at" is not null))
);
--> statement-breakpoint
CREATE TABLE "gold"."payment_batch" (
	"id" uuid PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"login" text collate "C" NOT NULL,
	"document" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "gold"."withdrawal" (
	"bucket" smallint NOT NULL,
	"client_id" integer NOT NULL,
	"id" uuid NOT NULL,
	"sequence" bigint NOT NULL,
	"amount" bigint NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"iban" text collate "C" NOT NULL,
	"reference" text,
	CONSTRAINT "withdrawal_bucket_client_id_id_pk" PRIMARY KEY("bucket","client_id","id"),
	CONSTRAINT "withdrawal_amount" CHECK ("gold"."withdrawal"."amount" > 0)
);
--> statement-breakpoint
CREATE TABLE "gold"."withdrawal_step" (
	"bucket" smallint NOT NULL,
	"client_id" integer NOT NULL,
	"withdrawal_id" uuid NOT NULL,
	"sequence" bigint NOT NULL,
	"status" "gold"."withdrawal_status" NOT NULL,
	"login" text collate "C" NOT NULL,
	"previous" "gold"."withdrawal_status",
	"previous_login" text collate "C",
	"at" timestamp (3) with time zone NOT NULL,
	"batch_id" uuid,
	CONSTRAINT "withdrawal_step_bucket_client_id_withdrawal_id_status_pk" PRIMARY KEY("bucket","client_id","withdrawal_id","status"),
	CONSTRAINT "withdrawal_step_legal" CHECK ((coalesce("gold"."withdrawal_step"."previous"::text, ''), "gold"."withdrawal_step"."status"::text) in (
      ('', 'pending_approval'), ('pending_approval', 'approved'), ('pending_approval', 'rejected'), ('approved', 'rejected'),
      ('approved', 'submitted'), ('submitted', 'paid'), ('submitted', 'returned'), ('paid', 'returned'))),
	CONSTRAINT "withdrawal_step_login" CHECK (("gold"."withdrawal_step"."previous" is null) = ("gold"."withdrawal_step"."previous_login" is null)),
	CONSTRAINT "withdrawal_step_two" CHECK ("gold"."withdrawal_step"."status" <> 'submitted' or "gold"."withdrawal_step"."login" <> "gold"."withdrawal_step"."previous_login"),
	CONSTRAINT "withdrawal_step_batch" CHECK (("gold"."withdrawal_step"."status" = 'submitted') = ("gold"."withdrawal_step"."batch_id" is not null))
);
--> statement-breakpoint
CREATE TABLE "gold"."audit_link" (
	"id" bigint PRIMARY KEY NOT NULL,
	"hash" "bytea" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "gold"."audit_tail" (
	"one" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"id" bigint DEFAULT 0 NOT NULL,
	"head" "bytea" DEFAULT decode(repeat('00', 32), 'hex') NOT NULL,
	CONSTRAINT "audit_tail_one" CHECK ("gold"."audit_tail"."one")
);
--> statement-breakpoint
CREATE TABLE "gold"."market_session" (
	"day" smallint NOT NULL,
	"opens" time NOT NULL,
	"closes" time NOT NULL,
	CONSTRAINT "market_session_day_opens_pk" PRIMARY KEY("day","opens"),
	CONSTRAINT "market_session_day" CHECK ("gold"."market_session"."day" between 0 and 6),
	CONSTRAINT "market_session_span" CHECK ("gold"."market_session"."opens" < "gold"."market_session"."closes")
);
--> statement-breakpoint
ALTER TABLE "gold"."deployment" ADD COLUMN "payout_name" text;--> statement-breakpoint
ALTER TABLE "gold"."deployment" ADD COLUMN "payout_iban" text collate "C";--> statement-breakpoint
ALTER TABLE "gold"."deployment" ADD COLUMN "payout_bic" text collate "C";--> statement-breakpoint
ALTER TABLE "gold"."deployment" ADD COLUMN "flood_per_second" integer DEFAULT 5000 NOT NULL;--> statement-breakpoint
ALTER TABLE "gold"."deployment" ADD COLUMN "partner_rate_per_second" integer DEFAULT 50 NOT NULL;--> statement-breakpoint
ALTER TABLE "gold"."deployment" ADD COLUMN "partner_burst" integer DEFAULT 200 NOT NULL;--> statement-breakpoint
ALTER TABLE "gold"."partner" ADD COLUMN "iban_changed_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "gold"."partner" ADD COLUMN "pending_iban" text collate "C";--> statement-breakpoint
ALTER TABLE "gold"."partner" ADD COLUMN "pending_iban_by" text collate "C";--> statement-breakpoint
ALTER TABLE "gold"."partner" ADD COLUMN "pending_iban_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "gold"."price" ADD COLUMN "url" text;--> statement-breakpoint
ALTER TABLE "gold"."price" ADD COLUMN "always_open" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "gold"."withdrawal_step" ADD CONSTRAINT "withdrawal_step_batch_id_payment_batch_id_fk" FOREIGN KEY ("batch_id") REFERENCES "gold"."payment_batch"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gold"."withdrawal_step" ADD CONSTRAINT "withdrawal_step_of" FOREIGN KEY ("bucket","client_id","withdrawal_id") REFERENCES "gold"."withdrawal"("bucket","client_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "withdrawal_step_login" ON "gold"."withdrawal_step" USING btree ("bucket","client_id","withdrawal_id","status","login");--> statement-breakpoint
ALTER TABLE "gold"."withdrawal_step" ADD CONSTRAINT "withdrawal_step_after" FOREIGN KEY ("bucket","client_id","withdrawal_id","previous","previous_login") REFERENCES "gold"."withdrawal_step"("bucket","client_id","withdrawal_id","status","login") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "deposit_bank_reference" ON "gold"."deposit" USING btree ("bank_reference") WHERE reversed_at is null;--> statement-breakpoint
CREATE INDEX "deposit_client" ON "gold"."deposit" USING btree ("client_id");--> statement-breakpoint
CREATE INDEX "withdrawal_newest" ON "gold"."withdrawal" USING btree (("client_id" + 0),"sequence");--> statement-breakpoint
CREATE UNIQUE INDEX "withdrawal_id" ON "gold"."withdrawal" USING btree ("id");--> statement-breakpoint
CREATE INDEX "withdrawal_reference" ON "gold"."withdrawal" USING btree ("reference","client_id");--> statement-breakpoint
CREATE UNIQUE INDEX "withdrawal_step_previous" ON "gold"."withdrawal_step" USING btree ("bucket","client_id","withdrawal_id","previous");--> statement-breakpoint
CREATE INDEX "withdrawal_step_batch" ON "gold"."withdrawal_step" USING btree ("batch_id");--> statement-breakpoint
CREATE INDEX CONCURRENTLY "funding_newest" ON "gold"."funding" USING btree (("client_id" + 0),"sequence");--> statement-breakpoint
CREATE INDEX CONCURRENTLY "orders_newest" ON "gold"."orders" USING btree (("client_id" + 0),"sequence");--> statement-breakpoint
ALTER TABLE "gold"."partner" ADD CONSTRAINT "partner_pending_iban" CHECK (("gold"."partner"."pending_iban" is null) = ("gold"."partner"."pending_iban_by" is null) and ("gold"."partner"."pending_iban" is null) = ("gold"."partner"."pending_iban_at" is null));--> statement-breakpoint
ALTER TABLE "gold"."price" ADD CONSTRAINT "price_source" CHECK ("gold"."price"."source" in ('fixed', 'simulated', 'http') and ("gold"."price"."source" = 'http') = ("gold"."price"."url" is not null));--> statement-breakpoint
ALTER TABLE "gold"."partner" ADD CONSTRAINT "partner_rate" CHECK ("gold"."partner"."rate_per_second" > 0 and "gold"."partner"."burst" > 0);--> statement-breakpoint
ALTER TABLE "gold"."partner" ADD CONSTRAINT "partner_maximum_grams" CHECK ("gold"."partner"."maximum_grams" between 1 and 1000000000);--> statement-breakpoint
ALTER TABLE "gold"."price" ADD CONSTRAINT "price_terms" CHECK ("gold"."price"."spread_basis_points" > 0 and "gold"."price"."stale_after_seconds" > 0);--> statement-breakpoint
-- Added last and without a scan of the table. The new check accepts every row that the old check accepted.
ALTER TABLE "gold"."idempotency_key" DROP CONSTRAINT "idempotency_key_kind";--> statement-breakpoint
ALTER TABLE "gold"."idempotency_key" ADD CONSTRAINT "idempotency_key_kind" CHECK ("gold"."idempotency_key"."result_kind" in ('quote', 'order', 'funding', 'withdrawal', 'refusal')) NOT VALID;

CREATE SCHEMA "gold";
--> statement-breakpoint
CREATE TYPE "gold"."asset" AS ENUM('SAR', 'XAU');--> statement-breakpoint
CREATE TYPE "gold"."book" AS ENUM('bank', 'available', 'held', 'house', 'bars', 'vault', 'gold');--> statement-breakpoint
CREATE TYPE "gold"."side" AS ENUM('buy', 'sell');--> statement-breakpoint
CREATE TABLE "gold"."account" (
	"bucket" smallint NOT NULL,
	"client_id" integer NOT NULL,
	"admission_version" bigint DEFAULT 1 NOT NULL,
	"event_sequence" bigint DEFAULT 0 NOT NULL,
	"last_posted_at" timestamp (3) with time zone DEFAULT 'epoch' NOT NULL,
	"sar_available" bigint DEFAULT 0 NOT NULL,
	"sar_held" bigint DEFAULT 0 NOT NULL,
	"gold" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "account_bucket_client_id_pk" PRIMARY KEY("bucket","client_id"),
	CONSTRAINT "account_bucket" CHECK ("gold"."account"."bucket" = "gold"."account"."client_id" % 64),
	CONSTRAINT "account_not_negative" CHECK ("gold"."account"."sar_available" >= 0 and "gold"."account"."sar_held" >= 0 and "gold"."account"."gold" >= 0)
);
--> statement-breakpoint
CREATE TABLE "gold"."bar" (
	"serial" text PRIMARY KEY NOT NULL,
	"refiner" text NOT NULL,
	"vault_name" text NOT NULL,
	"gross" bigint NOT NULL,
	"fineness" integer NOT NULL,
	"fine" bigint NOT NULL,
	"added_at" timestamp (3) with time zone NOT NULL,
	"added_sequence" bigint NOT NULL,
	"removed_at" timestamp (3) with time zone,
	"removed_sequence" bigint,
	CONSTRAINT "bar_fine" CHECK ("gold"."bar"."fine" > 0 and "gold"."bar"."fine" = "gold"."bar"."gross" * "gold"."bar"."fineness" / 10000),
	CONSTRAINT "bar_fineness" CHECK ("gold"."bar"."fineness" between 9950 and 9999)
);
--> statement-breakpoint
CREATE TABLE "gold"."chain_link" (
	"bucket" smallint NOT NULL,
	"client_id" integer NOT NULL,
	"sequence" bigint NOT NULL,
	"hash" "bytea" NOT NULL,
	CONSTRAINT "chain_link_bucket_client_id_sequence_pk" PRIMARY KEY("bucket","client_id","sequence")
);
--> statement-breakpoint
CREATE TABLE "gold"."chain_tail" (
	"bucket" smallint NOT NULL,
	"client_id" integer NOT NULL,
	"sequence" bigint DEFAULT 0 NOT NULL,
	"head" "bytea" DEFAULT decode(repeat('00', 32), 'hex') NOT NULL,
	CONSTRAINT "chain_tail_bucket_client_id_pk" PRIMARY KEY("bucket","client_id")
);
--> statement-breakpoint
CREATE TABLE "gold"."event" (
	"bucket" smallint NOT NULL,
	"client_id" integer NOT NULL,
	"sequence" bigint NOT NULL,
	"id" uuid NOT NULL,
	"subject" uuid NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"type" text collate "C" NOT NULL,
	CONSTRAINT "event_bucket_client_id_sequence_pk" PRIMARY KEY("bucket","client_id","sequence")
);
--> statement-breakpoint
CREATE TABLE "gold"."funding" (
	"bucket" smallint NOT NULL,
	"client_id" integer NOT NULL,
	"id" uuid NOT NULL,
	"sequence" bigint NOT NULL,
	"amount" bigint NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "funding_bucket_client_id_id_pk" PRIMARY KEY("bucket","client_id","id"),
	CONSTRAINT "funding_amount" CHECK ("gold"."funding"."amount" > 0)
);
--> statement-breakpoint
CREATE TABLE "gold"."idempotency_key" (
	"bucket" smallint NOT NULL,
	"client_id" integer NOT NULL,
	"status" smallint NOT NULL,
	"key" text collate "C" NOT NULL,
	"fingerprint" "bytea" NOT NULL,
	"request_id" uuid NOT NULL,
	"result_id" uuid,
	"created_at" timestamp (3) with time zone NOT NULL,
	"result_kind" text collate "C" NOT NULL,
	"body" text NOT NULL,
	CONSTRAINT "idempotency_key_bucket_client_id_key_pk" PRIMARY KEY("bucket","client_id","key"),
	CONSTRAINT "idempotency_key_kind" CHECK ("gold"."idempotency_key"."result_kind" in ('quote', 'order', 'funding', 'refusal'))
);
--> statement-breakpoint
CREATE TABLE "gold"."nonce" (
	"bucket" smallint NOT NULL,
	"client_id" integer NOT NULL,
	"nonce" uuid NOT NULL,
	CONSTRAINT "nonce_bucket_client_id_nonce_pk" PRIMARY KEY("bucket","client_id","nonce")
);
--> statement-breakpoint
CREATE TABLE "gold"."orders" (
	"bucket" smallint NOT NULL,
	"client_id" integer NOT NULL,
	"side" "gold"."side" NOT NULL,
	"id" uuid NOT NULL,
	"sequence" bigint NOT NULL,
	"grams" bigint NOT NULL,
	"price" bigint NOT NULL,
	"total" bigint NOT NULL,
	"executed_at" timestamp (3) with time zone NOT NULL,
	"sar_available_after" bigint NOT NULL,
	"sar_held_after" bigint NOT NULL,
	"gold_after" bigint NOT NULL,
	"rounding_gain" bigint GENERATED ALWAYS AS (case when side = 'buy' then total * 1000000 - grams * price else grams * price - total * 1000000 end) STORED NOT NULL,
	CONSTRAINT "orders_bucket_client_id_id_pk" PRIMARY KEY("bucket","client_id","id"),
	CONSTRAINT "orders_rounding" CHECK ("gold"."orders"."rounding_gain" between 0 and 999999)
);
--> statement-breakpoint
CREATE TABLE "gold"."quote" (
	"bucket" smallint NOT NULL,
	"client_id" integer NOT NULL,
	"side" "gold"."side" NOT NULL,
	"id" uuid NOT NULL,
	"grams" bigint NOT NULL,
	"price" bigint NOT NULL,
	"total" bigint NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "quote_bucket_client_id_id_pk" PRIMARY KEY("bucket","client_id","id"),
	CONSTRAINT "quote_quantities" CHECK ("gold"."quote"."grams" > 0 and "gold"."quote"."price" > 0 and "gold"."quote"."total" > 0)
);
--> statement-breakpoint
CREATE TABLE "gold"."transfer" (
	"bucket" smallint NOT NULL,
	"client_id" integer NOT NULL,
	"leg" smallint NOT NULL,
	"stripe" smallint DEFAULT 0 NOT NULL,
	"sequence" bigint NOT NULL,
	"debit" "gold"."book" NOT NULL,
	"credit" "gold"."book" NOT NULL,
	"asset" "gold"."asset" NOT NULL,
	"amount" bigint NOT NULL,
	"sar_available_after" bigint NOT NULL,
	"sar_held_after" bigint NOT NULL,
	"gold_after" bigint NOT NULL,
	"posted_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "transfer_bucket_client_id_sequence_leg_pk" PRIMARY KEY("bucket","client_id","sequence","leg"),
	CONSTRAINT "transfer_bucket" CHECK ("gold"."transfer"."bucket" = "gold"."transfer"."client_id" % 64),
	CONSTRAINT "transfer_amount" CHECK ("gold"."transfer"."amount" > 0),
	CONSTRAINT "transfer_form" CHECK (("gold"."transfer"."asset", "gold"."transfer"."debit", "gold"."transfer"."credit") in (
      ('SAR', 'bank', 'available'), ('SAR', 'available', 'house'), ('SAR', 'house', 'available'),
      ('SAR', 'available', 'held'), ('SAR', 'held', 'available'), ('SAR', 'held', 'bank'), ('SAR', 'available', 'bank'),
      ('XAU', 'bars', 'vault'), ('XAU', 'vault', 'bars'), ('XAU', 'vault', 'gold'), ('XAU', 'gold', 'vault'))),
	CONSTRAINT "transfer_owner" CHECK (("gold"."transfer"."client_id" = 0) = ("gold"."transfer"."debit" = 'bars' or "gold"."transfer"."credit" = 'bars'))
);
--> statement-breakpoint
CREATE TABLE "gold"."vault" (
	"stripe" smallint PRIMARY KEY NOT NULL,
	"free" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "vault_not_negative" CHECK ("gold"."vault"."free" >= 0)
);
--> statement-breakpoint
CREATE TABLE "gold"."allowed_ip" (
	"partner_id" integer NOT NULL,
	"range" "cidr" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "gold"."audit" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "gold"."audit_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"login" text collate "C" DEFAULT session_user NOT NULL,
	"action" text collate "C" NOT NULL,
	"subject" text NOT NULL,
	"detail" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "gold"."certificate" (
	"fingerprint" text collate "C" PRIMARY KEY NOT NULL,
	"partner_id" integer NOT NULL,
	"serial" text collate "C" NOT NULL,
	"not_before" timestamp (3) with time zone NOT NULL,
	"not_after" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"revoked_at" timestamp (3) with time zone,
	"last_used_at" timestamp (3) with time zone,
	CONSTRAINT "certificate_fingerprint" CHECK ("gold"."certificate"."fingerprint" ~ '^[0-9a-f]{64}$')
);
--> statement-breakpoint
CREATE TABLE "gold"."client_secret" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "gold"."client_secret_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"partner_id" integer NOT NULL,
	"hash" "bytea" NOT NULL,
	"not_before" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"retire_at" timestamp (3) with time zone,
	"last_used_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "gold"."deployment" (
	"one" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"environment" text collate "C" NOT NULL,
	"public_base_url" text NOT NULL,
	"authority_certificates" text DEFAULT '' NOT NULL,
	"authority_key_source" text,
	"sealing_key_source" text,
	"pepper_source" text,
	"loopback_receivers" boolean DEFAULT false NOT NULL,
	CONSTRAINT "deployment_one" CHECK ("gold"."deployment"."one"),
	CONSTRAINT "deployment_environment" CHECK ("gold"."deployment"."environment" in ('sandbox', 'production'))
);
--> statement-breakpoint
CREATE TABLE "gold"."partner" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "gold"."partner_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"public_id" text collate "C" NOT NULL,
	"name" text NOT NULL,
	"iban" text collate "C" NOT NULL,
	"webhook_url" text,
	"rate_per_second" integer NOT NULL,
	"burst" integer NOT NULL,
	"maximum_grams" bigint NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"suspended_at" timestamp (3) with time zone,
	CONSTRAINT "partner_publicId_unique" UNIQUE("public_id"),
	CONSTRAINT "partner_public_id" CHECK ("gold"."partner"."public_id" ~ '^(sbx|live)_[a-z0-9]{20}$')
);
--> statement-breakpoint
CREATE TABLE "gold"."price" (
	"one" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"source" text collate "C" NOT NULL,
	"mid" bigint NOT NULL,
	"buy" bigint NOT NULL,
	"sell" bigint NOT NULL,
	"spread_basis_points" integer NOT NULL,
	"stale_after_seconds" integer NOT NULL,
	"as_of" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "price_one" CHECK ("gold"."price"."one"),
	CONSTRAINT "price_sides" CHECK ("gold"."price"."buy" > "gold"."price"."sell" and "gold"."price"."sell" > 0 and "gold"."price"."buy" <= 999999999)
);
--> statement-breakpoint
CREATE TABLE "gold"."problem" (
	"code" text collate "C" PRIMARY KEY NOT NULL,
	"status" smallint NOT NULL,
	"title" text NOT NULL,
	"retryable" boolean NOT NULL
);
--> statement-breakpoint
CREATE TABLE "gold"."registry_version" (
	"one" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"version" bigint NOT NULL,
	CONSTRAINT "registry_version_one" CHECK ("gold"."registry_version"."one")
);
--> statement-breakpoint
CREATE TABLE "gold"."signing_key" (
	"thumbprint" text collate "C" NOT NULL,
	"partner_id" integer NOT NULL,
	"kid" text collate "C",
	"jwk" jsonb NOT NULL,
	"not_before" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"retire_at" timestamp (3) with time zone,
	"last_used_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "gold"."token_key" (
	"kid" text collate "C" PRIMARY KEY NOT NULL,
	"public_jwk" jsonb NOT NULL,
	"sealed" "bytea" NOT NULL,
	"sealing_key" text collate "C" NOT NULL,
	"not_before" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"retire_at" timestamp (3) with time zone,
	"last_used_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "gold"."webhook_secret" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "gold"."webhook_secret_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"partner_id" integer NOT NULL,
	"sealed" "bytea" NOT NULL,
	"sealing_key" text collate "C" NOT NULL,
	"not_before" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"retire_at" timestamp (3) with time zone,
	"last_used_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "gold"."allowed_ip" ADD CONSTRAINT "allowed_ip_partner_id_partner_id_fk" FOREIGN KEY ("partner_id") REFERENCES "gold"."partner"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gold"."certificate" ADD CONSTRAINT "certificate_partner_id_partner_id_fk" FOREIGN KEY ("partner_id") REFERENCES "gold"."partner"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gold"."client_secret" ADD CONSTRAINT "client_secret_partner_id_partner_id_fk" FOREIGN KEY ("partner_id") REFERENCES "gold"."partner"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gold"."signing_key" ADD CONSTRAINT "signing_key_partner_id_partner_id_fk" FOREIGN KEY ("partner_id") REFERENCES "gold"."partner"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gold"."webhook_secret" ADD CONSTRAINT "webhook_secret_partner_id_partner_id_fk" FOREIGN KEY ("partner_id") REFERENCES "gold"."partner"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "event_id" ON "gold"."event" USING btree ("bucket","client_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "allowed_ip_range" ON "gold"."allowed_ip" USING btree ("partner_id","range");--> statement-breakpoint
CREATE INDEX "certificate_partner" ON "gold"."certificate" USING btree ("partner_id");--> statement-breakpoint
CREATE INDEX "client_secret_partner" ON "gold"."client_secret" USING btree ("partner_id");--> statement-breakpoint
CREATE UNIQUE INDEX "signing_key_thumbprint" ON "gold"."signing_key" USING btree ("partner_id","thumbprint");--> statement-breakpoint
CREATE INDEX "webhook_secret_partner" ON "gold"."webhook_secret" USING btree ("partner_id");
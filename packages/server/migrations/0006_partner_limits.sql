CREATE TABLE "gold"."allowance" (
	"bucket" smallint NOT NULL,
	"client_id" integer NOT NULL,
	"maximum_open_quotes" integer,
	"maximum_open_grams" bigint,
	"maximum_daily_records" integer,
	"open_quotes" bigint DEFAULT 2147483648 NOT NULL,
	"open_grams" bigint DEFAULT 1000000000000000 NOT NULL,
	"open_from" uuid NOT NULL,
	"exact_until" timestamp (3) with time zone DEFAULT '-infinity' NOT NULL,
	"counted_sequence" bigint NOT NULL,
	"records" bigint DEFAULT 0 NOT NULL,
	"day_ends_at" timestamp (3) with time zone DEFAULT '-infinity' NOT NULL,
	"replays_paid_at" timestamp (3) with time zone DEFAULT '-infinity' NOT NULL,
	CONSTRAINT "allowance_bucket_client_id_pk" PRIMARY KEY("bucket","client_id"),
	CONSTRAINT "allowance_bucket" CHECK ("gold"."allowance"."bucket" = "gold"."allowance"."client_id" % 64),
	CONSTRAINT "allowance_maxima" CHECK ("gold"."allowance"."maximum_open_quotes" > 0 and "gold"."allowance"."maximum_open_grams" > 0 and "gold"."allowance"."maximum_daily_records" > 0),
	CONSTRAINT "allowance_counts" CHECK ("gold"."allowance"."open_quotes" >= 0 and "gold"."allowance"."open_grams" >= 0 and "gold"."allowance"."records" >= 0)
);
--> statement-breakpoint
ALTER TABLE "gold"."deployment" ADD COLUMN "partner_open_quotes" integer DEFAULT 100;--> statement-breakpoint
ALTER TABLE "gold"."deployment" ADD COLUMN "partner_open_grams" bigint DEFAULT 50000000;--> statement-breakpoint
ALTER TABLE "gold"."deployment" ADD COLUMN "partner_daily_records" integer DEFAULT 100000;--> statement-breakpoint
ALTER TABLE "gold"."allowance" SET (fillfactor = 50);
--> statement-breakpoint
-- A sandbox does not change: existing and new partners get no limits unless the operator sets them.
UPDATE "gold"."deployment" SET "partner_open_quotes" = null, "partner_open_grams" = null, "partner_daily_records" = null
WHERE "environment" = 'sandbox';
--> statement-breakpoint
-- In production every partner gets the new limits, except partners with a rate above the default. Their
-- traffic might exceed the limits, so the operator decides about them.
INSERT INTO "gold"."allowance" ("bucket", "client_id", "maximum_open_quotes", "maximum_open_grams", "maximum_daily_records", "open_from", "counted_sequence")
SELECT a."bucket", a."client_id", d."partner_open_quotes", greatest(d."partner_open_grams", 5 * p."maximum_grams"), d."partner_daily_records",
	(lpad(to_hex((extract(epoch from clock_timestamp() - interval '1 hour') * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid,
	a."event_sequence"
FROM "gold"."partner" p
JOIN "gold"."account" a ON a."bucket" = p."id" % 64 AND a."client_id" = p."id"
JOIN "gold"."deployment" d ON d."environment" = 'production' AND p."rate_per_second" <= d."partner_rate_per_second";

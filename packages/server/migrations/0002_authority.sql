CREATE TABLE "gold"."authority" (
	"fingerprint" text collate "C" PRIMARY KEY NOT NULL,
	"certificate" text NOT NULL,
	"key_source" text,
	"created_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"retired_at" timestamp (3) with time zone,
	"revocation_list" text,
	"revocation_number" bigint DEFAULT 0 NOT NULL,
	"revocation_next_at" timestamp (3) with time zone,
	CONSTRAINT "authority_fingerprint" CHECK ("gold"."authority"."fingerprint" ~ '^[0-9a-f]{64}$'),
	CONSTRAINT "authority_revocation_list" CHECK (("gold"."authority"."revocation_list" is null) = ("gold"."authority"."revocation_next_at" is null) and ("gold"."authority"."revocation_list" is null) = ("gold"."authority"."revocation_number" = 0))
);
--> statement-breakpoint
ALTER TABLE "gold"."certificate" ADD COLUMN "authority" text collate "C";--> statement-breakpoint
ALTER TABLE "gold"."certificate" ADD COLUMN "key_hash" text collate "C";--> statement-breakpoint
ALTER TABLE "gold"."certificate" ADD COLUMN "revocation_reason" text collate "C";--> statement-breakpoint
ALTER TABLE "gold"."certificate" ADD CONSTRAINT "certificate_authority_authority_fingerprint_fk" FOREIGN KEY ("authority") REFERENCES "gold"."authority"("fingerprint") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "certificate_key_hash" ON "gold"."certificate" USING btree ("key_hash");--> statement-breakpoint
-- The column held the certificates one after the other, the newest last. Only the newest one's key source was
-- stored.
INSERT INTO "gold"."authority" ("fingerprint", "certificate", "key_source", "created_at")
SELECT encode(sha256(decode(regexp_replace("pem", '-----[^-]+-----|\s', '', 'g'), 'base64')), 'hex'), "pem",
	CASE WHEN "place" = count(*) OVER () THEN "key_source" END, clock_timestamp() + make_interval(secs => ("place" - count(*) OVER ()) / 1000.0)
FROM (
	SELECT "found"[1] || E'\n' AS "pem", "place", "authority_key_source" AS "key_source"
	FROM "gold"."deployment",
		regexp_matches("authority_certificates", '-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----', 'g') WITH ORDINALITY AS "matches" ("found", "place")
) AS "known";--> statement-breakpoint
UPDATE "gold"."certificate" SET "authority" = (SELECT "fingerprint" FROM "gold"."authority") WHERE (SELECT count(*) FROM "gold"."authority") = 1;--> statement-breakpoint
-- The view selects every column of the table, so drop it before the columns. A later step of the migration
-- creates it again.
DROP VIEW IF EXISTS "gold"."deployment_overview";--> statement-breakpoint
ALTER TABLE "gold"."deployment" DROP COLUMN "authority_certificates";--> statement-breakpoint
ALTER TABLE "gold"."deployment" DROP COLUMN "authority_key_source";
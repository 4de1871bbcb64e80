CREATE TABLE "gold"."operator_key" (
	"fingerprint" text collate "C" PRIMARY KEY NOT NULL,
	"login" text collate "C" NOT NULL,
	"public_key" text collate "C" NOT NULL,
	"admitted_by" text collate "C" NOT NULL,
	"added_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "gold"."proposal" ADD COLUMN "proposer_signature" text collate "C";--> statement-breakpoint
ALTER TABLE "gold"."proposal" ADD COLUMN "approver_signature" text collate "C";
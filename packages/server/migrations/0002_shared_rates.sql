CREATE UNLOGGED TABLE "gold"."rate_use" (
	"id" uuid PRIMARY KEY NOT NULL,
	"used" jsonb NOT NULL,
	"at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "gold"."deployment" ALTER COLUMN "flood_per_second" SET DEFAULT 2000;
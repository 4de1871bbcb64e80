ALTER TABLE "gold"."deployment" ADD COLUMN "id" text collate "C";--> statement-breakpoint
ALTER TABLE "gold"."proposal" ADD COLUMN "deployment" text collate "C";
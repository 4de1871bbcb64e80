ALTER TABLE "gold"."deployment" ADD COLUMN "pepper_name" text;--> statement-breakpoint
ALTER TABLE "gold"."deployment" ADD CONSTRAINT "deployment_pepper_name" CHECK ("gold"."deployment"."pepper_name" ~ '^[0-9a-f]{16}$');--> statement-breakpoint
ALTER TABLE "gold"."deployment" ADD COLUMN "id" text collate "C";--> statement-breakpoint
ALTER TABLE "gold"."proposal" ADD COLUMN "deployment" text collate "C";

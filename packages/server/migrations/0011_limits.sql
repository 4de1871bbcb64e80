CREATE TABLE "gold"."open_exposure" (
	"ends_at" timestamp (3) with time zone PRIMARY KEY NOT NULL,
	"buys" bigint NOT NULL,
	"sells" bigint NOT NULL,
	CONSTRAINT "open_exposure_not_negative" CHECK ("gold"."open_exposure"."buys" >= 0 and "gold"."open_exposure"."sells" >= 0)
);
--> statement-breakpoint
ALTER TABLE "gold"."allowance" DROP CONSTRAINT "allowance_maxima";--> statement-breakpoint
ALTER TABLE "gold"."allowance" DROP CONSTRAINT "allowance_counts";--> statement-breakpoint
ALTER TABLE "gold"."vault" ADD COLUMN "maximum_exposure" bigint;--> statement-breakpoint
ALTER TABLE "gold"."vault" ADD COLUMN "day_net" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "gold"."vault" ADD COLUMN "day_ends_at" timestamp (3) with time zone DEFAULT '-infinity' NOT NULL;--> statement-breakpoint
ALTER TABLE "gold"."deployment" ADD COLUMN "partner_net_grams" bigint;--> statement-breakpoint
ALTER TABLE "gold"."deployment" ADD COLUMN "partner_daily_withdrawals" integer;--> statement-breakpoint
ALTER TABLE "gold"."deployment" ADD COLUMN "partner_daily_withdrawn" bigint;--> statement-breakpoint
ALTER TABLE "gold"."partner" ADD COLUMN "maximum_daily_withdrawals" integer;--> statement-breakpoint
ALTER TABLE "gold"."partner" ADD COLUMN "maximum_daily_withdrawn" bigint;--> statement-breakpoint
ALTER TABLE "gold"."price" ADD COLUMN "halt_basis_points" integer;--> statement-breakpoint
ALTER TABLE "gold"."price" ADD COLUMN "halt_seconds" integer;--> statement-breakpoint
ALTER TABLE "gold"."price" ADD COLUMN "halted_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "gold"."price" ADD COLUMN "watched_from" bigint DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "gold"."allowance" ADD COLUMN "maximum_net_grams" bigint;--> statement-breakpoint
ALTER TABLE "gold"."allowance" ADD COLUMN "open_buy_grams" bigint DEFAULT 500000000000000 NOT NULL;--> statement-breakpoint
ALTER TABLE "gold"."allowance" ADD COLUMN "open_sell_grams" bigint DEFAULT 500000000000000 NOT NULL;--> statement-breakpoint
ALTER TABLE "gold"."allowance" ADD COLUMN "day_gold" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "gold"."vault" ADD CONSTRAINT "vault_exposure" CHECK ("gold"."vault"."maximum_exposure" > 0);--> statement-breakpoint
ALTER TABLE "gold"."partner" ADD CONSTRAINT "partner_withdrawals" CHECK ("gold"."partner"."maximum_daily_withdrawals" > 0 and "gold"."partner"."maximum_daily_withdrawn" > 0);--> statement-breakpoint
ALTER TABLE "gold"."price" ADD CONSTRAINT "price_halt" CHECK (("gold"."price"."halt_basis_points" is null) = ("gold"."price"."halt_seconds" is null) and "gold"."price"."halt_basis_points" between 1 and 10000 and "gold"."price"."halt_seconds" between 1 and 600);--> statement-breakpoint
ALTER TABLE "gold"."allowance" ADD CONSTRAINT "allowance_maxima" CHECK ("gold"."allowance"."maximum_open_quotes" > 0 and "gold"."allowance"."maximum_open_grams" > 0 and "gold"."allowance"."maximum_daily_records" > 0 and "gold"."allowance"."maximum_net_grams" > 0);--> statement-breakpoint
ALTER TABLE "gold"."allowance" ADD CONSTRAINT "allowance_counts" CHECK ("gold"."allowance"."open_quotes" >= 0 and "gold"."allowance"."open_grams" >= 0 and "gold"."allowance"."open_buy_grams" >= 0 and "gold"."allowance"."open_sell_grams" >= 0 and "gold"."allowance"."records" >= 0);
--> statement-breakpoint
-- by hand
-- The two sides of the open quotes are not known yet, and their sum is `open_grams`. The next quote that a limit
-- would refuse counts them exactly.
UPDATE "gold"."allowance" SET "open_grams" = "open_buy_grams" + "open_sell_grams", "exact_until" = '-infinity';

ALTER TABLE "gold"."price" ADD COLUMN "band_basis_points" integer;--> statement-breakpoint
ALTER TABLE "gold"."price" ADD COLUMN "band_hour_basis_points" integer;--> statement-breakpoint
ALTER TABLE "gold"."price" ADD COLUMN "band_from" bigint DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "gold"."price" ADD CONSTRAINT "price_band" CHECK (("gold"."price"."band_basis_points" is null) = ("gold"."price"."band_hour_basis_points" is null)
      and "gold"."price"."band_basis_points" between 1 and "gold"."price"."band_hour_basis_points" and "gold"."price"."band_hour_basis_points" <= 10000);
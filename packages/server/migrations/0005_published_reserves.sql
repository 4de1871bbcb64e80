CREATE TABLE "gold"."published_reserves" (
	"one" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"as_of" timestamp (3) with time zone NOT NULL,
	"body" text NOT NULL,
	CONSTRAINT "published_reserves_one" CHECK ("gold"."published_reserves"."one")
);

CREATE TABLE "gold"."attempt" (
	"bucket" smallint NOT NULL,
	"client_id" integer NOT NULL,
	"sequence" bigint NOT NULL,
	"attempted_at" timestamp (3) with time zone NOT NULL,
	"duration_ms" integer NOT NULL,
	"http_status" smallint,
	"error" text collate "C",
	"answer" text
) PARTITION BY RANGE ("attempted_at");
--> statement-breakpoint
-- The partitions of `attempt` are in a separate schema, because the service creates and drops them while it
-- runs.
CREATE SCHEMA "gold_attempts";
--> statement-breakpoint
CREATE TABLE "gold"."delivery_worker" (
	"id" uuid PRIMARY KEY NOT NULL,
	"seen_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "gold"."endpoint" (
	"bucket" smallint NOT NULL,
	"client_id" integer NOT NULL,
	"passed" bigint DEFAULT 0 NOT NULL,
	"worker" uuid,
	"tenure" integer DEFAULT 0 NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"rests_until" timestamp (3) with time zone,
	"disabled_at" timestamp (3) with time zone,
	CONSTRAINT "endpoint_bucket_client_id_pk" PRIMARY KEY("bucket","client_id"),
	CONSTRAINT "endpoint_bucket" CHECK ("gold"."endpoint"."bucket" = "gold"."endpoint"."client_id" % 64)
);
--> statement-breakpoint
CREATE TABLE "gold"."expiry_notice" (
	"bucket" smallint NOT NULL,
	"client_id" integer NOT NULL,
	"id" uuid NOT NULL,
	"kind" text collate "C" NOT NULL,
	"credential" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"days_ahead" smallint NOT NULL,
	CONSTRAINT "expiry_notice_bucket_client_id_id_pk" PRIMARY KEY("bucket","client_id","id")
);
--> statement-breakpoint
CREATE TABLE "gold"."retry" (
	"bucket" smallint NOT NULL,
	"client_id" integer NOT NULL,
	"sequence" bigint NOT NULL,
	"tries" smallint NOT NULL,
	"is_test" boolean DEFAULT false NOT NULL,
	"due_at" timestamp (3) with time zone,
	"parked_at" timestamp (3) with time zone,
	CONSTRAINT "retry_bucket_client_id_sequence_pk" PRIMARY KEY("bucket","client_id","sequence"),
	CONSTRAINT "retry_state" CHECK ("gold"."retry"."due_at" is null or "gold"."retry"."parked_at" is null)
);
--> statement-breakpoint
ALTER TABLE "gold"."idempotency_key" DROP CONSTRAINT "idempotency_key_kind";--> statement-breakpoint
ALTER TABLE "gold"."deployment" ADD COLUMN "webhook_ports" integer[] DEFAULT '{443,8443}' NOT NULL;--> statement-breakpoint
ALTER TABLE "gold"."deployment" ADD COLUMN "attempts_kept_days" smallint DEFAULT 90 NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "attempt_event" ON "gold"."attempt" USING btree ("bucket","client_id","sequence","attempted_at");--> statement-breakpoint
CREATE UNIQUE INDEX "expiry_notice_once" ON "gold"."expiry_notice" USING btree ("bucket","client_id","kind","credential","expires_at","days_ahead");--> statement-breakpoint
CREATE INDEX "retry_due" ON "gold"."retry" USING btree (("client_id" + 0),"due_at") WHERE "gold"."retry"."due_at" is not null;--> statement-breakpoint
CREATE INDEX "retry_test" ON "gold"."retry" USING btree (("client_id" + 0),"due_at") WHERE "gold"."retry"."is_test" and "gold"."retry"."due_at" is not null;--> statement-breakpoint
ALTER TABLE "gold"."idempotency_key" ADD CONSTRAINT "idempotency_key_kind" CHECK ("gold"."idempotency_key"."result_kind" in ('quote', 'order', 'funding', 'withdrawal', 'event', 'refusal'));--> statement-breakpoint
ALTER TABLE "gold"."deployment" ADD CONSTRAINT "deployment_webhook_ports" CHECK (cardinality("gold"."deployment"."webhook_ports") between 1 and 32 and 1 <= all ("gold"."deployment"."webhook_ports") and 65535 >= all ("gold"."deployment"."webhook_ports"));--> statement-breakpoint
ALTER TABLE "gold"."deployment" ADD CONSTRAINT "deployment_attempts_kept" CHECK ("gold"."deployment"."attempts_kept_days" between 7 and 3650);
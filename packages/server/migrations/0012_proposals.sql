CREATE TABLE "gold"."proposal" (
	"id" uuid PRIMARY KEY NOT NULL,
	"kind" text collate "C" NOT NULL,
	"content" jsonb NOT NULL,
	"proposer" text collate "C" DEFAULT session_user NOT NULL,
	"proposed_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"state" text collate "C" DEFAULT 'pending' NOT NULL,
	"decided_by" text collate "C",
	"decided_at" timestamp (3) with time zone,
	"secrets" "bytea",
	"sealing_key" text collate "C",
	CONSTRAINT "proposal_state" CHECK ("gold"."proposal"."state" in ('pending', 'applying', 'approved', 'rejected')),
	CONSTRAINT "proposal_decided" CHECK (("gold"."proposal"."decided_by" is null) = ("gold"."proposal"."decided_at" is null)),
	CONSTRAINT "proposal_decision" CHECK ("gold"."proposal"."state" = 'applying' or ("gold"."proposal"."state" = 'pending') = ("gold"."proposal"."decided_by" is null)),
	CONSTRAINT "proposal_two" CHECK ("gold"."proposal"."state" = 'rejected' or "gold"."proposal"."decided_by" is distinct from "gold"."proposal"."proposer"),
	CONSTRAINT "proposal_secrets" CHECK (("gold"."proposal"."secrets" is null) or ("gold"."proposal"."sealing_key" is not null))
);
--> statement-breakpoint
ALTER TABLE "gold"."deployment" ADD COLUMN "two_people" boolean DEFAULT false NOT NULL;
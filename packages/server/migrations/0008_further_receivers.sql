DO $$ DECLARE
  wrong text := (
    SELECT string_agg(s.id::text, ', ' ORDER BY s.id) FROM "gold"."webhook_secret" s
    WHERE s.receiver_id <> s.partner_id AND NOT EXISTS (
      SELECT FROM "gold"."receiver" r WHERE r.id = s.receiver_id AND r.partner_id = s.partner_id));
BEGIN
  IF wrong IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'GR409', MESSAGE =
      'The migration changed nothing, because somebody edited gold.webhook_secret. The receiver_id of these secrets is '
      || 'not an endpoint of their partner: ' || wrong || '. Find out who edited them. Set receiver_id to partner_id, or '
      || 'for a further endpoint to its id in gold.receiver; the audit row of the secret says which endpoint it belongs '
      || 'to. Then run `gold db migrate` again';
  END IF;
END $$;--> statement-breakpoint
CREATE UNIQUE INDEX "receiver_of_partner" ON "gold"."receiver" USING btree ("partner_id","id");--> statement-breakpoint
ALTER TABLE "gold"."webhook_secret" ADD COLUMN "further_receiver_id" integer GENERATED ALWAYS AS (nullif(receiver_id, partner_id)) STORED;--> statement-breakpoint
ALTER TABLE "gold"."webhook_secret" ADD CONSTRAINT "webhook_secret_of_receiver" FOREIGN KEY ("partner_id","further_receiver_id") REFERENCES "gold"."receiver"("partner_id","id") ON DELETE no action ON UPDATE no action;

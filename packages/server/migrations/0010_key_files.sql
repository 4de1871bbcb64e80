-- by hand
-- Places of keys are in a local file of each operator (GOLD_KEYS), because `gold` would run a command that it
-- reads here. The columns stay: `gold` of 0.4.0 reads them. The service and the trust sync never did.
UPDATE gold.deployment SET sealing_key_source = NULL, pepper_source = NULL
WHERE sealing_key_source IS NOT NULL OR pepper_source IS NOT NULL;
--> statement-breakpoint
UPDATE gold.authority SET key_source = NULL WHERE key_source IS NOT NULL;

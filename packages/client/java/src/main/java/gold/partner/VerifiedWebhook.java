package gold.partner;

import java.time.Instant;

/**
 * A webhook whose signature is correct.
 *
 * @param id the event's id. If you have it already, acknowledge the delivery and do nothing.
 * @param timestamp when this attempt was signed
 * @param event the event
 */
public record VerifiedWebhook(String id, Instant timestamp, Api.WebhookEvent event) {}

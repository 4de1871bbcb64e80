import type { AccountEvent, EndpointDelivery } from "@gold-partner/client";

/**
 * The delivery of an event to each endpoint that gets its type. Replies from before 0.7.0 have only the delivery to the
 * one endpoint, which has the number 1.
 */
export const deliveriesOf = ({ delivery, deliveries }: AccountEvent): readonly EndpointDelivery[] =>
  deliveries ?? [{ endpoint: 1, ...delivery }];

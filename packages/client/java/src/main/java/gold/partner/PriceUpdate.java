package gold.partner;

import java.util.Optional;

/**
 * An update of {@link GoldClient#streamPrices()}.
 *
 * @param prices the new prices; empty if there is no fresh price now
 * @param market open or closed. Values may be added.
 */
public record PriceUpdate(Optional<Api.Prices> prices, String market) {}

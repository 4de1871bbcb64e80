package gold.partner;

import java.util.Iterator;
import java.util.stream.Stream;

/**
 * A list of the service. Iterate over it for all items, or take its stream. The first page is fetched when the loop
 * begins, and each other page when its items are needed. So the loop may throw a {@link GoldException}.
 *
 * @param <T> the type of the items
 */
public interface Listing<T> extends Iterable<T> {
  /** Returns the items as a stream. */
  Stream<T> stream();

  @Override
  default Iterator<T> iterator() {
    return stream().iterator();
  }
}

package gold.partner;

import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * A list of the service. Iterate over it for all items, or take its stream. The first page is fetched when the loop
 * begins, and each other page when its items are needed. So the loop may throw a {@link GoldException}.
 *
 * @param <T> the type of the items
 */
public final class Listing<T> implements Iterable<T> {
  /** The items of one page, and the cursor of the next page. Null: there is no next page. */
  record Page<T>(List<T> items, String nextCursor) {}

  private final Function<String, Page<T>> fetch;

  Listing(Function<String, Page<T>> fetch) {
    this.fetch = fetch;
  }

  /** Returns the items as a stream. */
  public Stream<T> stream() {
    return Stream.iterate(fetch.apply(null), Objects::nonNull,
        page -> page.nextCursor() == null ? null : fetch.apply(page.nextCursor()))
        .flatMap(page -> page.items().stream());
  }

  @Override
  public Iterator<T> iterator() {
    return stream().iterator();
  }
}

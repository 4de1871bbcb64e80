package gold.partner;

import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.Function;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * A list of the service. Iterate over it for all items, or take its stream. Each page is fetched when it is needed,
 * so {@code hasNext()} may throw a {@link GoldException}.
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

  @Override
  public Iterator<T> iterator() {
    return new Iterator<>() {
      private Page<T> page;
      private Iterator<T> items;

      @Override
      public boolean hasNext() {
        if (page == null) open(null);
        while (!items.hasNext() && page.nextCursor() != null) open(page.nextCursor());
        return items.hasNext();
      }

      @Override
      public T next() {
        if (!hasNext()) throw new NoSuchElementException();
        return items.next();
      }

      private void open(String cursor) {
        page = fetch.apply(cursor);
        items = page.items().iterator();
      }
    };
  }

  /** Returns the items as a stream, which fetches each page when it is needed. */
  public Stream<T> stream() {
    return StreamSupport.stream(spliterator(), false);
  }
}

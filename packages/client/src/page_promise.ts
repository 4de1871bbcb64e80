interface Page {
  readonly items: readonly unknown[];
  readonly next_cursor: string | null;
}

/**
 * The result of a list method. Await it for one page, or iterate over it for the items of this page and of
 * all later pages. A later page is fetched when the loop needs it.
 *
 * ```ts
 * import { GoldClient } from "@gold-partner/client";
 *
 * const client = await GoldClient.fromEnv();
 * const { items, next_cursor } = await client.listOrders({ limit: 20 });
 * console.log(items.length);
 * if (next_cursor !== null) await client.listOrders({ limit: 20, cursor: next_cursor });
 * for await (const order of client.listOrders()) console.log(order.order_id);
 * ```
 */
export interface PagePromise<P extends Page> extends Promise<P>, AsyncIterable<P["items"][number]> {}

/**
 * Makes a list from a function that fetches a page, and fetches the first page at once. `fetchPage` receives
 * the cursor of a later page, or undefined for the first.
 */
export function pagesOf<P extends Page>(fetchPage: (cursor?: string) => Promise<P>): PagePromise<P> {
  const first = fetchPage();
  return Object.assign(first, {
    async *[Symbol.asyncIterator](): AsyncGenerator<P["items"][number], void, undefined> {
      for (let page = await first;;) {
        yield* page.items as Awaited<P["items"][number]>[];
        if (page.next_cursor === null) return;
        page = await fetchPage(page.next_cursor);
      }
    },
  });
}

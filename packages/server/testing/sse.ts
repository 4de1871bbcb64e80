/** One message of a stream of server-sent events. */
export interface SentMessage {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: string;
}

/** Yields the messages of a stream, without its comments. */
export async function* readMessages(body: AsyncIterable<Uint8Array>): AsyncGenerator<SentMessage> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const part of body) {
    const blocks = (text + decoder.decode(part, { stream: true })).split("\n\n");
    text = blocks.pop()!;
    for (const block of blocks) {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1];
      const data = field("data");
      if (data !== undefined) yield { event: field("event") ?? "message", id: field("id"), data };
    }
  }
}

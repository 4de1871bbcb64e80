/** A member of Envoy's configuration; what it may hold is for Envoy's own validation to say. */
type Member = string | number | boolean | readonly Member[] | { readonly [name: string]: Member };
export type Message = { readonly [name: string]: Member };

const TYPE = "type.googleapis.com/";

/** A message of a named type, where Envoy takes one of many. */
export function typed(type: string, message: Message = {}): Message {
  return { "@type": TYPE + type, ...message };
}

/** An extension by name and configuration. */
export function extension(name: string, type: string, message: Message = {}): Message {
  return { name, typed_config: typed(type, message) };
}

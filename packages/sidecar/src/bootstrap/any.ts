import { join } from "node:path";

/** A value in Envoy's configuration. The type is loose, because Envoy itself validates the content. */
type Member = string | number | boolean | readonly Member[] | { readonly [name: string]: Member };
export type Message = { readonly [name: string]: Member };

const TYPE = "type.googleapis.com/";

/** Builds a message with its type name, for a field in which Envoy accepts several message types. */
export function typed(type: string, message: Message = {}): Message {
  return { "@type": TYPE + type, ...message };
}

/** An extension by name and configuration. */
export function extension(name: string, type: string, message: Message = {}): Message {
  return { name, typed_config: typed(type, message) };
}

/** A file whose content Envoy reads again whenever it is replaced. */
export function watchedFile(directory: string, file: string): Message {
  return {
    resource_api_version: "V3",
    path_config_source: { path: join(directory, file), watched_directory: { path: directory } },
  };
}

import type { Json } from "@gold-partner/protocol";

/** The parts of an OpenAPI document that the page shows. */
export interface Described {
  readonly info: { readonly title: string; readonly description: string };
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Named<Named<Operation>>;
  readonly webhooks: Named<{ readonly post: Operation }>;
  readonly components: Named<Named<unknown>>;
}

export type Named<Value> = Readonly<Record<string, Value>>;
interface Reference {
  readonly $ref: string;
}
export type Referable<Value> = Value | Reference;

export interface Operation {
  readonly operationId?: string;
  readonly tags?: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly Named<unknown>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Body & { readonly required: boolean };
  readonly responses: Named<Referable<Reply>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly description: string;
  readonly schema: Schema;
  readonly example?: string;
  /** A header's values in the example requests, by the names of the examples. */
  readonly examples?: Named<{ readonly value: string }>;
}

interface Body {
  readonly content: Named<Content>;
}

export interface Reply extends Partial<Body> {
  readonly description: string;
  readonly "x-problem-codes"?: readonly string[];
}

export interface Content {
  readonly schema: Referable<Schema>;
  readonly example?: Json;
  readonly examples?: Named<Referable<{ readonly value: Json }>>;
}

export interface Schema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly const?: Json;
  readonly enum?: readonly Json[];
  /** The values of an open text that are known. */
  readonly "x-extensible-enum"?: readonly string[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly examples?: readonly Json[];
  readonly properties?: Named<Referable<Schema>>;
  readonly required?: readonly string[];
  readonly items?: Referable<Schema>;
  readonly anyOf?: readonly Referable<Schema>[];
  readonly oneOf?: readonly Referable<Schema>[];
}

/** Returns the value at a place of the document, or the value that its `$ref` names. */
export type Resolve = <Value extends object>(place: Referable<Value>) => Value;

export const resolveIn =
  ({ components }: Described): Resolve => <Value extends object>(place: Referable<Value>) => {
    if (!("$ref" in place)) return place;
    const [kind, name] = place.$ref.split("/").slice(-2);
    return components[kind!]![name!] as Value;
  };

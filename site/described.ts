import type { Json, OperationId } from "@gold-partner/protocol";

/** The parts of the API description that the reference shows. */
export interface Described {
  readonly info: { readonly title: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Named<Named<Operation>>;
  readonly webhooks: Named<{ readonly post: Webhook }>;
  readonly components: { readonly schemas: Named<Schema> };
}

export type Named<Value> = Readonly<Record<string, Value>>;

export interface Operation {
  readonly operationId: OperationId;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly Named<unknown>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Named<Content> };
  readonly responses: Named<{ readonly description: string; readonly content?: Named<Content> }>;
}

interface Webhook {
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody: { readonly content: Named<Content> };
  readonly responses: Named<{ readonly description: string }>;
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

export interface Content {
  readonly schema: Schema;
  readonly example?: Json;
  readonly examples?: Named<{ readonly value: Json }>;
}

export interface Schema {
  readonly $ref?: string;
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
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly default?: Json;
  readonly examples?: readonly Json[];
  readonly properties?: Named<Schema>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

import { z } from "zod";
import type { Json, JsonObject } from "./endpoint.ts";

/** Collects the schemas of the OpenAPI document. Each is written once, under its own id. */
export class Schemas {
  readonly #components = new Map<string, Json>();
  /** A cache of references, because every operation refers to the problems' schema. */
  readonly #references = new Map<z.ZodType, JsonObject>();

  /** Returns a reference to the schema, or the schema itself when it has no id. */
  refer(schema: z.ZodType): JsonObject {
    const known = this.#references.get(schema);
    if (known) return known;
    const { $schema: _dialect, $defs = {}, ...root } = toJson(schema);
    this.#references.set(schema, root);
    for (const [id, component] of Object.entries($defs)) this.#components.set(id, component);
    return root;
  }

  /** The collected schemas, sorted by name. */
  components(): JsonObject {
    return Object.fromEntries([...this.#components].sort(([one], [other]) => one < other ? -1 : 1));
  }
}

/** The members of a query's schema, each as a parameter. */
export function queryParameters(query: z.ZodObject): Json[] {
  const { $ref = "", $defs = {} } = toJson(query);
  const { properties, required = [] } = $defs[$ref.split("/").at(-1)!] as {
    properties: Record<string, JsonObject>;
    required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description = "", ...schema }]) => ({
    name,
    in: "query",
    required: required.includes(name),
    description,
    schema,
  }));
}

type JsonSchema = JsonObject & { readonly $ref?: string; readonly $defs?: JsonObject };

/**
 * Describes the JSON that is sent (`io: "input"`), not the value after parsing. A request's schema refuses
 * unknown members. A reply's schema allows them, because members may be added later.
 */
function toJson(schema: z.ZodType): JsonSchema {
  const json = z.toJSONSchema(schema, {
    io: "input",
    override({ jsonSchema }) {
      // Remove the range of integers that a double holds exactly. zod adds it, but an integer in JSON has no
      // such range.
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      // An object that may have any further member needs no statement, and generators would make a map of it.
      if (Object.keys(jsonSchema.additionalProperties || { closed: true }).length === 0) {
        delete jsonSchema.additionalProperties;
      }
      // oapi-codegen makes a Go float32 of a number, which has only 7 digits. `format: double` would mend Go,
      // but generators for Java and C# would then use double instead of BigDecimal and decimal.
      if ([jsonSchema.type].flat().includes("number")) jsonSchema["x-go-type"] = "float64";
    },
  });
  return JSON.parse(JSON.stringify(json).replaceAll('"#/$defs/', '"#/components/schemas/')) as JsonSchema;
}

// Reads the lines that k6 writes with `--out csv`. Their columns are:
// metric_name,timestamp,metric_value,<tags>,extra_tags,metadata.

export type Tags = ReadonlyMap<string, string>;

export interface Sample {
  readonly metric: string;
  readonly atMs: number;
  readonly value: number;
  /**
   * Samples with the same tags share one object, as long as there are at most TAGS_MAX different sets of
   * tags.
   */
  readonly tags: Tags;
}

/**
 * The maximum number of sets of tags, far more than a run has. It protects the memory from a script that uses
 * unique values as tags.
 */
const TAGS_MAX = 10_000;
const FIRST_TAG = 3;
const FIELD = /"((?:[^"]|"")*)"|([^,]*)/y;

/** Returns a function that reads the lines after this header. */
export function sampleReader(header: string): (line: string) => Sample {
  const columns = header.split(",").slice(FIRST_TAG);
  if (!header.startsWith("metric_name,timestamp,metric_value,") || !columns.includes("extra_tags")) {
    throw new Error(`The header of k6's samples differs from that of k6 1.8: ${header.slice(0, 200)}`);
  }
  const known = new Map<string, Tags>();
  return (line) => {
    const [afterMetric, afterTime] = [line.indexOf(","), line.indexOf(",", line.indexOf(",") + 1)];
    const afterValue = line.indexOf(",", afterTime + 1);
    const text = line.slice(afterValue + 1);
    let tags = known.get(text);
    if (!tags) {
      if (known.size >= TAGS_MAX) known.clear();
      known.set(text, tags = readTags(columns, text));
    }
    return {
      metric: line.slice(0, afterMetric),
      atMs: Number(line.slice(afterMetric + 1, afterTime)),
      value: Number(line.slice(afterTime + 1, afterValue)),
      tags,
    };
  };
}

function readTags(columns: readonly string[], text: string): Tags {
  const tags = new Map<string, string>();
  splitFields(text).forEach((field, index) => {
    const column = columns[index];
    if (column !== "extra_tags") {
      if (column !== undefined && field !== "") tags.set(column, field);
      return;
    }
    for (const pair of field === "" ? [] : field.split("&")) {
      const at = pair.indexOf("=");
      if (at > 0) tags.set(pair.slice(0, at), pair.slice(at + 1));
    }
  });
  return tags;
}

function splitFields(text: string): string[] {
  const fields: string[] = [];
  for (let at = 0; at <= text.length; at = FIELD.lastIndex + 1) {
    FIELD.lastIndex = at;
    const [, quoted, plain = ""] = FIELD.exec(text)!;
    fields.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
  }
  return fields;
}

import { usage } from "./failure.ts";
import { replaceFile } from "./new_file.ts";

/** Readable for everybody, because the node exporter runs as another account. */
const MODE = 0o644;

interface Gauge {
  readonly name: string;
  readonly help: string;
  readonly value: number;
}

/** Writes gauges for the node exporter of Prometheus, to the file of the option --metrics. */
export async function writeMetrics(file: string, gauges: readonly Gauge[]): Promise<void> {
  const text = gauges.map(({ name, help, value }) =>
    `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${name} ${value}\n`
  ).join("");
  await replaceFile(file, text, MODE).catch((error: Error) => {
    throw usage(`--metrics: ${file} cannot be written: ${error.message}.`);
  });
}

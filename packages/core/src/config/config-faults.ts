import { pathText, type SchemaFault } from "../capability/schema-faults.ts";
import { ParaphError } from "../paraph-error.ts";
import { type ConfigSource, findLine } from "./find-line.ts";

/** Throws one error that lists every fault with its file, line and key. */
export function rejectConfigFaults(
  faults: readonly SchemaFault[],
  source: ConfigSource | undefined,
  others: readonly string[] = [],
): void {
  const lines = [...faults.map((fault) => `${formatPlace(fault, source)}${formatFault(fault)}`), ...others];
  if (lines.length === 0) return;
  const count = lines.length === 1 ? "a fault" : `${lines.length} faults`;
  const list = lines.map((line) => `\n  - ${line}`).join("");
  throw new ParaphError("config-invalid", `The configuration has ${count}. Correct it and try again:${list}`);
}

function formatPlace({ path }: SchemaFault, source: ConfigSource | undefined): string {
  if (source === undefined) return "";
  const line = findLine(source.text, path);
  return line === undefined ? `${source.file}: ` : `${source.file}:${line}: `;
}

function formatFault({ path, message }: SchemaFault): string {
  return path.length === 0 ? message.replace(/^: /, "") : `\`${pathText(path)}\`${message}`;
}

import { ParaphError } from "@paraph/core";
import type { OpenapiConfig } from "./config.ts";
import { type Document, unusable } from "./document.ts";
import { isObject, objectIn, resolved, Unusable } from "./node.ts";
import { methods, type Operation, readOperation } from "./operation.ts";
import { isWanted } from "./selection.ts";
import { verbOf } from "./verb.ts";

export interface LeftOut {
  /** Its method and path. */
  readonly what: string;
  readonly why: string;
}

export interface Operations {
  /** Those that can be used, whether they are wanted or not: one may be needed to look at what another changes. */
  readonly usable: readonly Operation[];
  readonly wanted: readonly Operation[];
  /** Those that are wanted and cannot be used: one that is odd does not take the others with it. */
  readonly leftOut: readonly LeftOut[];
}

export function operationsOf(document: Document, config: OpenapiConfig): Operations {
  const usable = new Map<string, Operation>();
  const wanted: Operation[] = [];
  const leftOut: LeftOut[] = [];
  const known = new Set<string>();
  for (const { path, name, raw, item } of everyOperation(document)) {
    const what = `${name.toUpperCase()} ${path}`;
    const id = typeof raw.operationId === "string" ? raw.operationId : undefined;
    const verb = verbOf(name.toUpperCase(), path, id);
    for (const each of [verb, id]) if (each !== undefined) known.add(each);
    const isOne = isWanted(config, [verb, what, ...(id === undefined ? [] : [id])]);
    try {
      if (usable.has(verb))
        throw new Unusable(`another is called \`${verb}\` too: give it an \`operationId\``);
      const operation = readOperation(document, path, item, name, config);
      usable.set(verb, operation);
      if (isOne) wanted.push(operation);
    } catch (error) {
      if (!(error instanceof Unusable)) throw error;
      if (isOne) leftOut.push({ what, why: error.message });
    }
  }
  refuseStray(config, known);
  return { usable: [...usable.values()], wanted, leftOut };
}

function* everyOperation({ root }: Document) {
  if (!isObject(root.paths)) throw unusable("has no `paths`");
  for (const [path, raw] of Object.entries(root.paths)) {
    const item = path.startsWith("/") ? pathItem(root, raw) : {};
    for (const name of methods)
      if (isObject(item[name])) yield { path, item, name, raw: objectIn(item[name]) };
  }
}

function pathItem(root: Document["root"], raw: Parameters<typeof resolved>[1]) {
  try {
    return objectIn(resolved(root, raw));
  } catch {
    throw unusable("has a path that is described in another document: bundle them into one first");
  }
}

/** An override for something that is not there is a slip of the pen, and the operation meant would go without it. */
function refuseStray({ overrides }: OpenapiConfig, known: ReadonlySet<string>): void {
  const stray = Object.keys(overrides).filter((name) => !known.has(name));
  if (stray.length === 0) return;
  throw new ParaphError(
    "adapter-invalid",
    `\`overrides\` names operations that the document does not have: ${stray.map((name) => `\`${name}\``).join(", ")}.`,
  );
}

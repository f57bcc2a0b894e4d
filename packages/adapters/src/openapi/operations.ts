import { isJsonObject, ParaphError } from "@paraph/core";
import type { OpenapiConfig } from "./config.ts";
import { type ApiDocument, documentFault } from "./document.ts";
import { resolveReference, toObject, UnusableOperation } from "./document-node.ts";
import { type ApiOperation, operationMethods, readOperation } from "./operation.ts";
import { isSelected } from "./selection.ts";
import { toVerb } from "./verb.ts";

export interface SkippedOperation {
  /** The method and path. */
  readonly operation: string;
  readonly reason: string;
}

export interface OperationList {
  /**
   * All usable operations, including those that are not selected. An unselected operation may read the resource that a
   * selected one changes.
   */
  readonly usable: readonly ApiOperation[];
  readonly selected: readonly ApiOperation[];
  /** The selected operations that cannot be used. One unusable operation does not affect the others. */
  readonly skipped: readonly SkippedOperation[];
}

export function listApiOperations(document: ApiDocument, config: OpenapiConfig): OperationList {
  const usable = new Map<string, ApiOperation>();
  const wanted: ApiOperation[] = [];
  const leftOut: SkippedOperation[] = [];
  const known = new Set<string>();
  for (const { path, name, raw, item } of walkOperations(document)) {
    const what = `${name.toUpperCase()} ${path}`;
    const id = typeof raw.operationId === "string" ? raw.operationId : undefined;
    const verb = toVerb(name.toUpperCase(), path, id);
    for (const each of [verb, id]) if (each !== undefined) known.add(each);
    const isOne = isSelected(config, [verb, what, ...(id === undefined ? [] : [id])]);
    try {
      if (usable.has(verb))
        throw new UnusableOperation(
          `another operation is also called \`${verb}\`: give this one an \`operationId\``,
        );
      const operation = readOperation(document, path, item, name, config);
      usable.set(verb, operation);
      if (isOne) wanted.push(operation);
    } catch (error) {
      if (!(error instanceof UnusableOperation)) throw error;
      if (isOne) leftOut.push({ operation: what, reason: error.message });
    }
  }
  requireKnownOverrides(config, known);
  return { usable: [...usable.values()], selected: wanted, skipped: leftOut };
}

function* walkOperations({ root }: ApiDocument) {
  if (!isJsonObject(root.paths)) throw documentFault("has no `paths`");
  for (const [path, raw] of Object.entries(root.paths)) {
    const item = path.startsWith("/") ? readPathItem(root, raw) : {};
    for (const name of operationMethods)
      if (isJsonObject(item[name])) yield { path, item, name, raw: toObject(item[name]) };
  }
}

function readPathItem(root: ApiDocument["root"], raw: Parameters<typeof resolveReference>[1]) {
  try {
    return toObject(resolveReference(root, raw));
  } catch {
    throw documentFault(
      "has a path that is described in another document. Bundle the documents into one first",
    );
  }
}

/**
 * Rejects overrides of unknown operations. Their names are probably mistyped, so the intended operations would have no
 * override.
 */
function requireKnownOverrides({ overrides }: OpenapiConfig, known: ReadonlySet<string>): void {
  const stray = Object.keys(overrides).filter((name) => !known.has(name));
  if (stray.length === 0) return;
  throw new ParaphError(
    "adapter-invalid",
    `\`overrides\` names operations that the document does not have: ${stray.map((name) => `\`${name}\``).join(", ")}. Correct or remove these names.`,
  );
}

import type { CallToolResult } from "@modelcontextprotocol/client";
import {
  CapabilityError,
  type Change,
  digest,
  type ExecutionContext,
  type Json,
  type JsonObject,
  type Preview,
  type Probe,
  sameJson,
} from "@paraph/core";
import { formatUnifiedDiff } from "../../unified-diff.ts";
import { readResultText, toReadResult, toToolErrorFault } from "../capabilities/tool-result.ts";
import type { FaultRule, PreviewRecipe, ProbeRecipe, ReadRecipe } from "./profile.ts";
import { fillText, fillValue, type TemplateScope } from "./template.ts";

/** A function that calls a read-only tool. */
export type ReadTool = (
  read: ReadRecipe,
  given: JsonObject,
  context: ExecutionContext,
) => Promise<CallToolResult>;

/** [P3] Builds the preview from the answers of read-only tools. Digests of these answers are the basis. */
export async function runPreviewRecipe(
  recipe: PreviewRecipe,
  input: JsonObject,
  context: ExecutionContext,
  look: ReadTool,
  rules: readonly FaultRule[],
): Promise<Preview> {
  const scope = await runReads(recipe.reads, input, context, look, rules);
  return {
    changes: recipe.changes.map((change) => toRecipeChange(change, scope)),
    basis: toReadsBasis(recipe.reads, scope),
  };
}

/**
 * [P7] Probes for the effect. Returns `present` if the recipe's conditions hold, `absent` if all reads match the basis,
 * and `unsure` otherwise.
 */
export async function runProbeRecipe(
  recipe: ProbeRecipe,
  preview: PreviewRecipe | undefined,
  input: JsonObject,
  context: ExecutionContext,
  look: ReadTool,
  rules: readonly FaultRule[],
): Promise<Probe> {
  const scope = await runReads(recipe.reads, input, context, look, rules);
  const done = recipe.present.every(({ value, is }) => {
    const [left, right] = [fillValue(value, scope), fillValue(is, scope)];
    return left !== undefined && right !== undefined && sameJson(left, right);
  });
  if (done) return { kind: "present", output: toProbeOutput(recipe.output, scope) };
  if (!preview || context.basis === undefined) return { kind: "unsure" };
  const before = await runReads(preview.reads, input, context, look, rules);
  return { kind: sameJson(toReadsBasis(preview.reads, before), context.basis) ? "absent" : "unsure" };
}

function toProbeOutput({ text, structured }: ProbeRecipe["output"], scope: TemplateScope): JsonObject {
  const structuredContent = structured === undefined ? undefined : fillValue(structured, scope);
  return {
    content: [{ type: "text", text: fillText(text, scope) }],
    ...(structuredContent !== undefined && { structuredContent }),
  };
}

async function runReads(
  reads: Readonly<Record<string, ReadRecipe>>,
  input: JsonObject,
  context: ExecutionContext,
  look: ReadTool,
  rules: readonly FaultRule[],
): Promise<TemplateScope> {
  const scope: Record<string, Json> = { input };
  for (const [name, read] of Object.entries(reads)) {
    const { arguments: given, absent, when } = read;
    if (when !== undefined && fillValue(when, scope) === undefined) {
      scope[name] = { exists: false };
      continue;
    }
    const result = await look(read, fillValue(given, scope) as JsonObject, context);
    const missing =
      absent !== undefined && result.isError === true && readResultText(result).includes(absent);
    const fault = missing ? undefined : toToolErrorFault(result, rules);
    // A read failed, so there is no preview, and the call must not continue without one.
    if (fault) throw new CapabilityError(fault.kind, "mcp-preview-failed", fault.message);
    scope[name] = missing ? { exists: false } : toReadResult(result);
  }
  return scope;
}

/** Returns digests of the reads, so that the basis does not record their content. */
function toReadsBasis(reads: Readonly<Record<string, ReadRecipe>>, scope: TemplateScope): JsonObject {
  const facts = Object.entries(reads).flatMap(([name, { basis }]) => {
    const seen = scope[name] as JsonObject;
    if (basis === "nothing") return [];
    return [[name, basis === "existence" ? seen.exists! : digest(seen)] as const];
  });
  return Object.fromEntries(facts);
}

function toRecipeChange(recipe: PreviewRecipe["changes"][number], scope: TemplateScope): Change {
  const target = fillText(recipe.target, scope);
  const before = recipe.before === undefined ? undefined : fillValue(recipe.before, scope);
  const after = recipe.after === undefined ? undefined : fillValue(recipe.after, scope);
  const compared = typeof before === "string" || typeof after === "string";
  const diff =
    recipe.diff !== undefined
      ? fillText(recipe.diff, scope)
      : compared
        ? formatUnifiedDiff(target, toText(before), toText(after))
        : undefined;
  // An update of a target that does not exist is a creation.
  const kind =
    recipe.kind === "update" && recipe.before !== undefined && before === undefined ? "create" : recipe.kind;
  return {
    kind,
    target,
    ...(recipe.summary !== undefined && { summary: fillText(recipe.summary, scope) }),
    ...(diff !== undefined && { diff }),
    ...(recipe.details && { details: fillValue(recipe.details, scope) as JsonObject }),
  };
}

function toText(value: Json | undefined): string | undefined {
  return value === undefined || typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

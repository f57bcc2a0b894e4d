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
import { difference } from "../text-difference.ts";
import { faultOfTool, seenOf, textOf } from "./answer.ts";
import type { FaultRule, PreviewRecipe, ProbeRecipe, Read } from "./profile.ts";
import { asText, filled, type Scope } from "./template.ts";

/** Asks a tool that changes nothing. */
export type Look = (read: Read, given: JsonObject, world: ExecutionContext) => Promise<CallToolResult>;

/** [P3] What would change, found out with tools that change nothing; the basis is what they answered. */
export async function previewed(
  recipe: PreviewRecipe,
  input: JsonObject,
  world: ExecutionContext,
  look: Look,
  rules: readonly FaultRule[],
): Promise<Preview> {
  const scope = await looked(recipe.reads, input, world, look, rules);
  return {
    changes: recipe.changes.map((change) => changeOf(change, scope)),
    basis: basisOf(recipe.reads, scope),
  };
}

/** [P7] Whether it was done. Where everything is as it was before, it was not; anything else leaves it open. */
export async function probed(
  recipe: ProbeRecipe,
  preview: PreviewRecipe | undefined,
  input: JsonObject,
  world: ExecutionContext,
  look: Look,
  rules: readonly FaultRule[],
): Promise<Probe> {
  const scope = await looked(recipe.reads, input, world, look, rules);
  const done = recipe.present.every(({ value, is }) => {
    const [left, right] = [filled(value, scope), filled(is, scope)];
    return left !== undefined && right !== undefined && sameJson(left, right);
  });
  if (done) return { kind: "present", output: outputOf(recipe.output, scope) };
  if (!preview || world.basis === undefined) return { kind: "unsure" };
  const before = await looked(preview.reads, input, world, look, rules);
  return { kind: sameJson(basisOf(preview.reads, before), world.basis) ? "absent" : "unsure" };
}

function outputOf({ text, structured }: ProbeRecipe["output"], scope: Scope): JsonObject {
  const structuredContent = structured === undefined ? undefined : filled(structured, scope);
  return {
    content: [{ type: "text", text: asText(text, scope) }],
    ...(structuredContent !== undefined && { structuredContent }),
  };
}

async function looked(
  reads: Readonly<Record<string, Read>>,
  input: JsonObject,
  world: ExecutionContext,
  look: Look,
  rules: readonly FaultRule[],
): Promise<Scope> {
  const scope: Record<string, Json> = { input };
  for (const [name, read] of Object.entries(reads)) {
    const { arguments: given, absent, when } = read;
    if (when !== undefined && filled(when, scope) === undefined) {
      scope[name] = { exists: false };
      continue;
    }
    const result = await look(read, filled(given, scope) as JsonObject, world);
    const missing = absent !== undefined && result.isError === true && textOf(result).includes(absent);
    const fault = missing ? undefined : faultOfTool(result, rules);
    // What could not be looked at was not shown: nothing has happened, and nothing may on its strength.
    if (fault) throw new CapabilityError(fault.kind, "mcp-preview-failed", fault.message);
    scope[name] = missing ? { exists: false } : seenOf(result);
  }
  return scope;
}

/** Digests: what was read is none of the record's business. */
function basisOf(reads: Readonly<Record<string, Read>>, scope: Scope): JsonObject {
  const facts = Object.entries(reads).flatMap(([name, { basis }]) => {
    const seen = scope[name] as JsonObject;
    if (basis === "nothing") return [];
    return [[name, basis === "existence" ? seen.exists! : digest(seen)] as const];
  });
  return Object.fromEntries(facts);
}

function changeOf(recipe: PreviewRecipe["changes"][number], scope: Scope): Change {
  const target = asText(recipe.target, scope);
  const before = recipe.before === undefined ? undefined : filled(recipe.before, scope);
  const after = recipe.after === undefined ? undefined : filled(recipe.after, scope);
  const compared = typeof before === "string" || typeof after === "string";
  const diff =
    recipe.diff !== undefined
      ? asText(recipe.diff, scope)
      : compared
        ? difference(target, textual(before), textual(after))
        : undefined;
  // What is not there yet is made, not changed.
  const kind =
    recipe.kind === "update" && recipe.before !== undefined && before === undefined ? "create" : recipe.kind;
  return {
    kind,
    target,
    ...(recipe.summary !== undefined && { summary: asText(recipe.summary, scope) }),
    ...(diff !== undefined && { diff }),
    ...(recipe.details && { details: filled(recipe.details, scope) as JsonObject }),
  };
}

function textual(value: Json | undefined): string | undefined {
  return value === undefined || typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

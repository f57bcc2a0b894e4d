import type { z } from "zod";
import { formatIssue } from "../capability/format-issue.ts";
import type { Json } from "../json.ts";
import { ParaphError } from "../paraph-error.ts";
import { type PlanRequest, planDocument } from "./plan-document.ts";
import { toolChain, toPlanDocument } from "./tool-chain.ts";

/**
 * Returns a plan document unchanged, or converts a tool chain into a plan. Rejects other input with an error that lists
 * up to 20 faults and their locations.
 */
export function readPlan(written: Json): PlanRequest {
  const chain = findToolChain(written);
  if (chain !== undefined) return toPlanDocument(parseWithFaults(toolChain, chain, "tool chain"));
  parseWithFaults(planDocument, written, "plan");
  // The result is the document before defaults are applied, because the digest of the request covers the document in
  // this form.
  return written as unknown as PlanRequest;
}

/**
 * Returns the tool chain, or undefined if the input is not one. A bare list of steps is a tool chain. An object is a
 * tool chain if its first step has the member `tool`, which no plan has.
 */
function findToolChain(written: Json): Json | undefined {
  if (Array.isArray(written)) return { steps: written };
  const { steps } = (written ?? {}) as { readonly steps?: Json };
  const [first] = Array.isArray(steps) ? (steps as readonly Json[]) : [];
  return typeof first === "object" && first !== null && "tool" in first ? written : undefined;
}

function parseWithFaults<S extends z.ZodType>(schema: S, written: Json, what: string): z.output<S> {
  const read = schema.safeParse(written);
  if (read.success) return read.data;
  const faults = read.error.issues.slice(0, 20).map((issue) => formatIssue(issue, written));
  throw new ParaphError("input-invalid", `This is not a valid ${what}: ${faults.join("; ")}.`);
}

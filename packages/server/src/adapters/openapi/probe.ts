import { type ExecutionContext, type Json, type JsonObject, type Probe, sameJson } from "@paraph/core";
import type { Answer } from "../../outbound/answer.ts";
import { approvedBasis, basisOf, look } from "./current.ts";
import { isObject } from "./node.ts";
import type { Operation } from "./operation.ts";
import type { Setting } from "./send.ts";

/** [P7] Asks the host whether an attempt that nobody saw the end of has done what it was to do. */
export async function probe(
  setting: Setting,
  operation: Operation,
  reader: Operation,
  input: JsonObject,
  world: ExecutionContext,
): Promise<Probe> {
  const before = approvedBasis(world.basis);
  const current = await look(setting, reader, input, world);
  const now = basisOf(current);
  if (sameJson(before, now)) {
    // A PATCH that is still under way, on a host that cannot refuse it by its basis, could come to be done twice.
    const conditional = before.kind === "etag" || operation.method !== "PATCH";
    return conditional ? { kind: "absent" } : { kind: "unsure" };
  }
  if (operation.method === "DELETE")
    return current.kind === "absent"
      ? { kind: "present", output: gone as unknown as Json }
      : { kind: "unsure" };
  if (current.kind === "present" && holds(current.answer.body, input.body))
    return { kind: "present", output: current.answer as unknown as Json };
  return { kind: "unsure" };
}

/** What the host would have answered: that it is done, and there is nothing more to say. */
const gone: Answer = { status: 204, headers: {}, body: null, encoding: "none", cut: false };

/** Whether everything that was sent is there; hosts add fields of their own. */
function holds(found: Json | undefined, sent: Json | undefined): boolean {
  if (!isObject(sent) || !isObject(found)) return sent !== undefined && sameJson(found, sent);
  return Object.entries(sent).every(([name, value]) =>
    value === null ? (found[name] ?? null) === null : holds(found[name], value),
  );
}

import {
  type ExecutionContext,
  isJsonObject,
  type Json,
  type JsonObject,
  type Probe,
  sameJson,
} from "@paraph/core";
import type { ResponseOutput } from "../egress/response-output.ts";
import { parseStateBasis, readCurrentState, toStateBasis } from "./current-state.ts";
import type { ApiOperation } from "./operation.ts";
import type { OpenApiContext } from "./send-operation.ts";

/** [P7] Probes whether an attempt with an unknown outcome had its effect. */
export async function probeOperation(
  openApiContext: OpenApiContext,
  operation: ApiOperation,
  reader: ApiOperation,
  input: JsonObject,
  context: ExecutionContext,
): Promise<Probe> {
  const before = parseStateBasis(context.basis);
  const current = await readCurrentState(openApiContext, reader, input, context);
  const now = toStateBasis(current);
  if (sameJson(before, now)) {
    // Returns `unsure` for a PATCH whose basis the host cannot check. The PATCH of the earlier attempt may still be
    // running, and the host could apply both that PATCH and a repeated one.
    const conditional = before.kind === "etag" || operation.method !== "PATCH";
    return conditional ? { kind: "absent" } : { kind: "unsure" };
  }
  if (operation.method === "DELETE")
    return current.kind === "absent"
      ? { kind: "present", output: deletedOutput as unknown as Json }
      : { kind: "unsure" };
  if (current.kind === "present" && containsSent(current.answer.body, input.body))
    return { kind: "present", output: current.answer as unknown as Json };
  return { kind: "unsure" };
}

/** The output that a probe returns if it finds that the resource was deleted. */
const deletedOutput: ResponseOutput = { status: 204, headers: {}, body: null, encoding: "none", cut: false };

/**
 * Whether the resource contains everything that was sent. The function ignores other fields, because hosts may add
 * fields.
 */
function containsSent(found: Json | undefined, sent: Json | undefined): boolean {
  if (!isJsonObject(sent) || !isJsonObject(found)) return sent !== undefined && sameJson(found, sent);
  return Object.entries(sent).every(([name, value]) =>
    value === null ? (found[name] ?? null) === null : containsSent(found[name], value),
  );
}

import { CapabilityError } from "@paraph/core";
import { type ProcessResult, toProcessFault } from "../../process/index.ts";
import type { Tool } from "../definition/tool.ts";
import type { Scrubber } from "./scrub.ts";

export function isSuccess(
  { definition: { exit_codes } }: Tool,
  { end, exitCode, signal }: ProcessResult,
): boolean {
  return (
    end === "exited" && signal === undefined && exitCode !== undefined && exit_codes.ok.includes(exitCode)
  );
}

/**
 * [P8] Classifies the failure of a tool by the exit codes that the tool's file lists. For any other exit code, the
 * process runner's classification applies.
 */
export function toToolFault(tool: Tool, ran: ProcessResult, scrub: Scrubber): CapabilityError {
  const { not_performed, ambiguous } = tool.definition.exit_codes;
  const said = Buffer.from(scrub(ran.stderr.toString("utf8")));
  const fault = toProcessFault({ ...ran, stderr: said }, `\`${tool.name}\``);
  if (ran.end !== "exited" || ran.exitCode === undefined) return fault;
  const kind = not_performed.includes(ran.exitCode)
    ? "not-performed"
    : ambiguous.includes(ran.exitCode)
      ? "ambiguous"
      : fault.kind;
  return new CapabilityError(kind, fault.code, fault.message);
}

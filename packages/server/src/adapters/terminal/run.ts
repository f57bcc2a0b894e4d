import { type Capability, type Duration, defineCapability } from "@paraph/core";
import { z } from "zod";
import { content } from "./content.ts";
import { listedChange } from "./listed.ts";
import { request } from "./request.ts";
import { applyRun } from "./run-apply.ts";
import { previewRun } from "./run-preview.ts";
import { lockOf, type Setting } from "./setting.ts";

/** Runs a program in the workspace, shut in. */
export function runPrograms(setting: Setting): Capability {
  return defineCapability({
    name: `${setting.name}.run`,
    version: 1,
    summary: "Run a program in the workspace",
    effect: "write",
    risk: "high",
    idempotency: "none",
    input: request,
    output: runOutput,
    timeout: wholeTimeout(setting),
    locks: () => lockOf(setting),
    preview: (input, world) => previewRun(setting, input, world),
    apply: (input, world) => applyRun(setting, input, world),
    undo: (_input, { snapshot }) =>
      snapshot === undefined ? undefined : { capability: `${setting.name}.restore`, input: { snapshot } },
  });
}

/** Besides the program itself the workspace is looked at and kept before, and looked at again after. */
export function wholeTimeout({ timeoutMs }: Setting): Duration {
  return `${timeoutMs + aroundMs}ms`;
}

export const aroundMs = 60_000;

export type RunOutput = z.input<typeof runOutput>;

/** How a program ended and what it said. */
export const ended = {
  end: z.enum(["exited", "timed-out"]),
  exitCode: z.int().optional().describe("not there where it was stopped; 128 and more: killed by a signal"),
  stdout: content,
  stderr: content,
  durationMs: z.int(),
};

const runOutput = z.object({
  ...ended,
  changes: z.array(listedChange).describe("what is different in the workspace"),
  moreChanges: z.int().describe("how many are not listed"),
  changesUnknown: z.string().optional().describe("why nobody can say what is different"),
  snapshot: z.string().optional().describe("of the workspace as it was, for the way back"),
});

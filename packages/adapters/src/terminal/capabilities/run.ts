import { type Capability, type Duration, defineCapability, shorten } from "@paraph/core";
import { z } from "zod";
import { contentOutput } from "../content.ts";
import { listWorkspaceLocks, type TerminalContext } from "../context.ts";
import { listedChange } from "../workspace/list-changes.ts";
import { applyRun } from "./run-apply.ts";
import { formatArguments, runInput } from "./run-input.ts";
import { previewRun } from "./run-preview.ts";

/** Creates the capability that runs a program in the workspace inside a sandbox. */
export function createRunCapability(terminalContext: TerminalContext): Capability {
  return defineCapability({
    name: `${terminalContext.name}.run`,
    version: 1,
    summary: "Run a program in the workspace",
    effect: "write",
    risk: "high",
    idempotency: "none",
    input: runInput,
    output: runOutput,
    timeout: toWholeTimeout(terminalContext),
    locks: () => listWorkspaceLocks(terminalContext),
    preview: (input, context) => previewRun(terminalContext, input, context),
    apply: (input, context) => applyRun(terminalContext, input, context),
    headline: ({ argv }) => `Run ${shorten(formatArguments(argv), 150)}`,
    undo: (_input, { snapshot }) =>
      snapshot === undefined
        ? undefined
        : { capability: `${terminalContext.name}.restore`, input: { snapshot } },
  });
}

/**
 * Returns the timeout of the whole call. In addition to the run, it covers the time to read and store the workspace
 * before the run and to read it afterwards.
 */
export function toWholeTimeout({ timeoutMs }: TerminalContext): Duration {
  return `${timeoutMs + overheadMs}ms`;
}

export const overheadMs = 60_000;

export type RunOutput = z.input<typeof runOutput>;

/** The output fields for how a program ended and for its standard output and error. */
export const endedOutput = {
  end: z.enum(["exited", "timed-out"]),
  exitCode: z
    .int()
    .optional()
    .describe("missing if the program was stopped; 128 or more if a signal killed it"),
  stdout: contentOutput,
  stderr: contentOutput,
  durationMs: z.int(),
};

const runOutput = z.object({
  ...endedOutput,
  changes: z.array(listedChange).describe("the changes in the workspace"),
  moreChanges: z.int().describe("the number of changes that are not listed"),
  changesUnknown: z.string().optional().describe("why Paraph could not determine the changes"),
  snapshot: z.string().optional().describe("the snapshot of the workspace before the run, to restore it"),
});

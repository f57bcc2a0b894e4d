import { CapabilityError, type ExecutionContext } from "@paraph/core";
import { type ProcessResult, runProcess, toProcessFault } from "../../process/index.ts";
import { throwIfStopped } from "../../throw-if-stopped.ts";
import { toContentOutput } from "../content.ts";
import type { TerminalContext } from "../context.ts";
import { readRunEnvironment } from "../environment.ts";
import { createProgressReporter } from "../progress.ts";
import type { SecretRedactor } from "../secrets.ts";
import type { WorkspaceTree } from "../workspace/entry.ts";
import { type ListedChange, listChanges, maxListedChanges } from "../workspace/list-changes.ts";
import { listPathChanges } from "../workspace/path-changes.ts";
import { readWorkspaceFile } from "../workspace/read-file.ts";
import { readWorkspaceTree } from "../workspace/tree.ts";
import { requireTree } from "../workspace/tree-basis.ts";
import type { RunOutput } from "./run.ts";
import { maxOutputBytes, parseFolder, type RunInput, toProcessCommand } from "./run-input.ts";
import { requireFolder } from "./run-preview.ts";

/** Stores the workspace, runs the program and reports the changes. */
export async function applyRun(
  terminalContext: TerminalContext,
  asked: RunInput,
  context: ExecutionContext,
): Promise<RunOutput> {
  const { snapshots } = terminalContext;
  const environment = await readRunEnvironment(terminalContext.env, context);
  const before = await readWorkspaceTree(terminalContext, snapshots.objects);
  requireTree(context.basis, before.digest);
  requireFolder(before, parseFolder(asked));
  await snapshots.write(context.key, { before });
  await snapshots.prune();
  throwIfStopped(context);

  const ran = await runProgram(terminalContext, asked, context, environment);
  const { changes, ...rest } = await findRunChanges(terminalContext, context.key, before);
  return {
    ...toRunResult(ran, environment.secrets),
    changes: changes.map((each) => hideSecrets(each, environment.secrets)),
    ...rest,
  };
}

/**
 * Runs the program. If it is unknown how the program ended, the snapshot stays, so that a person can restore the
 * workspace after a review.
 */
async function runProgram(
  terminalContext: TerminalContext,
  asked: RunInput,
  context: ExecutionContext,
  { env, secrets }: Awaited<ReturnType<typeof readRunEnvironment>>,
): Promise<ProcessResult> {
  const { workspace, read, network, snapshots } = terminalContext;
  const told = createProgressReporter(context);
  const ran = await runProcess({
    ...toProcessCommand(terminalContext, asked, context),
    env,
    sandbox: { write: [workspace], read, network },
    // A secret may be split across two chunks. If the run has secrets, Paraph therefore forwards no output while the
    // program runs.
    ...(!secrets.hasSecrets && { onOutput: told.tell }),
  });
  told.end();
  if (ran.end === "not-started") await snapshots.drop(context.key);
  if (!hasEnded(ran)) throw toProcessFault(ran, "The program");
  return ran;
}

/** Whether the program has exited or Paraph has stopped it at its timeout. In both cases it makes no more changes. */
export function hasEnded({ end, exitCode }: ProcessResult): boolean {
  return end === "timed-out" || (end === "exited" && exitCode !== undefined);
}

function hideSecrets(change: ListedChange, secrets: SecretRedactor): ListedChange {
  return change.diff === undefined ? change : { ...change, diff: secrets.redact(change.diff) };
}

export function toRunResult(ran: ProcessResult, secrets?: SecretRedactor) {
  const { end, exitCode, stdout, stderr, truncated, durationMs } = ran;
  const said = (bytes: Buffer) => {
    const cut = truncated && bytes.length >= maxOutputBytes;
    return toContentOutput(secrets?.redactBytes(bytes, cut) ?? bytes, cut);
  };
  return {
    end: end === "timed-out" ? end : ("exited" as const),
    ...(exitCode !== undefined && { exitCode }),
    stdout: said(stdout),
    stderr: said(stderr),
    durationMs,
  };
}

type RunChanges = Pick<RunOutput, "changes" | "moreChanges" | "changesUnknown" | "snapshot">;

async function findRunChanges(
  terminalContext: TerminalContext,
  snapshot: string,
  before: WorkspaceTree,
): Promise<RunChanges> {
  const { workspace, snapshots } = terminalContext;
  try {
    const after = await readWorkspaceTree(terminalContext);
    const changes = listPathChanges(before, after);
    if (changes.length === 0) {
      await snapshots.drop(snapshot);
      return { changes: [], moreChanges: 0 };
    }
    await snapshots.write(snapshot, { before, after: after.digest });
    const sides = {
      before: ({ sha256 }: { sha256: string }) => snapshots.objects.read(sha256),
      after: (file: Parameters<typeof readWorkspaceFile>[1]) => readWorkspaceFile(workspace, file),
    };
    const list = await listChanges(changes, sides);
    return { changes: list, moreChanges: Math.max(0, changes.length - maxListedChanges), snapshot };
  } catch (error) {
    // The program has run. If its changes cannot be listed, the output still contains the other results.
    const changesUnknown =
      error instanceof CapabilityError ? error.message : "Paraph could not read the workspace after the run.";
    return { changes: [], moreChanges: 0, changesUnknown, snapshot };
  }
}

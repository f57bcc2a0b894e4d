import {
  type Capability,
  CapabilityError,
  type Change,
  defineCapability,
  type ExecutionContext,
  type Preview,
} from "@paraph/core";
import { z } from "zod";
import { throwIfStopped } from "../../throw-if-stopped.ts";
import { listWorkspaceLocks, type TerminalContext } from "../context.ts";
import { requireRestorable, restoreTree } from "../snapshots/restore-tree.ts";
import type { Snapshot } from "../snapshots/snapshots.ts";
import type { WorkspaceTree } from "../workspace/entry.ts";
import {
  listChanges,
  listChangesWithCut,
  listedChange,
  maxListedChanges,
  toPreviewChange,
} from "../workspace/list-changes.ts";
import { listPathChanges } from "../workspace/path-changes.ts";
import { readWorkspaceFile } from "../workspace/read-file.ts";
import { readWorkspaceTree } from "../workspace/tree.ts";
import { requireTree } from "../workspace/tree-basis.ts";
import { overheadMs } from "./run.ts";

/**
 * Creates the capability that restores the workspace to its state before a run. It rejects a workspace that has changed
 * since that run.
 */
export function createRestoreCapability(terminalContext: TerminalContext): Capability {
  const name = `${terminalContext.name}.restore`;
  return defineCapability({
    name,
    version: 1,
    summary: "Restore the workspace to its state before a run",
    effect: "write",
    risk: "high",
    idempotency: "probe",
    input: restoreInput,
    output: restoreOutput,
    timeout: `${overheadMs}ms`,
    locks: () => listWorkspaceLocks(terminalContext),
    preview: (input, context) => previewRestore(terminalContext, input, context),
    apply: (input, context) => applyRestore(terminalContext, input, context),
    probe: async ({ snapshot }, context) => {
      const { digest } = await readWorkspaceTree(terminalContext);
      if (digest === readTreeDigest(context)) return { kind: "absent" };
      const wanted = await terminalContext.snapshots.load(snapshot);
      if (digest !== wanted.before.digest) return { kind: "unsure" };
      const own = await terminalContext.snapshots.load(context.key);
      return { kind: "present", output: await toRestoreOutput(terminalContext, own, wanted, context.key) };
    },
    undo: (_input, output) => ({ capability: name, input: { snapshot: output.snapshot } }),
  });
}

const restoreInput = z.strictObject({
  snapshot: z.string().max(128).describe("the id of the snapshot, from the run's output"),
});
const restoreOutput = z.object({
  changes: z.array(listedChange),
  moreChanges: z.int(),
  snapshot: z.string().describe("the snapshot of the workspace before this restore, to undo it"),
});
type RestoreInput = z.output<typeof restoreInput>;
type RestoreOutput = z.output<typeof restoreOutput>;

/** [P3] Previews a restore without changing anything. */
async function previewRestore(
  terminalContext: TerminalContext,
  { snapshot }: RestoreInput,
  context: ExecutionContext,
): Promise<Preview> {
  throwIfStopped(context);
  const wanted = await terminalContext.snapshots.load(snapshot);
  const now = await readWorkspaceTree(terminalContext);
  requireUnchanged(wanted, now);
  const changes = listPathChanges(now, wanted.before);
  requireRestorable(listPathChanges(wanted.before, now));
  const sides = {
    before: (file: Parameters<typeof readWorkspaceFile>[1]) =>
      readWorkspaceFile(terminalContext.workspace, file),
    after: ({ sha256 }: { sha256: string }) => terminalContext.snapshots.objects.read(sha256),
  };
  const { list, isCut } = await listChangesWithCut(changes, sides);
  const more = changes.length - list.length;
  const rest: Change = {
    kind: "other",
    target: "the workspace",
    summary: more > 0 ? `and ${more} more` : "The contents of some files are too long to show",
    incomplete: true,
  };
  return {
    changes: [...list.map(toPreviewChange), ...(isCut ? [rest] : [])],
    basis: { tree: now.digest },
  };
}

async function applyRestore(
  terminalContext: TerminalContext,
  { snapshot }: RestoreInput,
  context: ExecutionContext,
): Promise<RestoreOutput> {
  const { snapshots, workspace } = terminalContext;
  const wanted = await snapshots.load(snapshot);
  const now = await readWorkspaceTree(terminalContext, snapshots.objects);
  requireTree(context.basis, now.digest);
  const back = listPathChanges(wanted.before, now);
  requireRestorable(back);
  const own: Snapshot = { before: now, after: wanted.before.digest };
  await snapshots.write(context.key, own);
  throwIfStopped(context);
  try {
    await restoreTree(workspace, back, snapshots.objects);
  } catch {
    throw new CapabilityError(
      "ambiguous",
      "restore-broken",
      "Paraph restored only a part of the workspace. Check whether other programs write to it, and whether its files are writable.",
    );
  }
  return toRestoreOutput(terminalContext, own, wanted, context.key);
}

async function toRestoreOutput(
  terminalContext: TerminalContext,
  own: Snapshot,
  wanted: Snapshot,
  snapshot: string,
): Promise<RestoreOutput> {
  const changes = listPathChanges(own.before, wanted.before);
  const read = ({ sha256 }: { sha256: string }) => terminalContext.snapshots.objects.read(sha256);
  const list = await listChanges(changes, { before: read, after: read });
  return { changes: list, moreChanges: Math.max(0, changes.length - maxListedChanges), snapshot };
}

/** Rejects a workspace that changed after the run, because the restore would remove those later changes too. */
function requireUnchanged({ after }: Snapshot, now: WorkspaceTree): void {
  if (after === undefined || after === now.digest) return;
  throw new CapabilityError(
    "permanent",
    "workspace-changed",
    "The workspace changed after the run, and a restore would remove those later changes too. To undo only the changes of the run, edit the files yourself, or start another run that reverts them.",
  );
}

function readTreeDigest({ basis }: ExecutionContext): unknown {
  return typeof basis === "object" && basis !== null && "tree" in basis ? basis.tree : undefined;
}

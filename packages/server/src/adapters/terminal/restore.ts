import {
  type Capability,
  CapabilityError,
  type Change,
  defineCapability,
  type ExecutionContext,
  type Preview,
} from "@paraph/core";
import { z } from "zod";
import { demandTree } from "./basis.ts";
import { changesBetween } from "./changes.ts";
import type { Tree } from "./entry.ts";
import { fileNow } from "./file-now.ts";
import { asChange, listed, listedChange, listing, mostListed } from "./listed.ts";
import { demandRestorable, putBack } from "./put-back.ts";
import { aroundMs } from "./run.ts";
import { lockOf, notStopped, type Setting } from "./setting.ts";
import type { Snapshot } from "./snapshots.ts";
import { treeOf } from "./tree.ts";

/** Makes the workspace again what it was before a run, where it still is what that run left. */
export function restoreSnapshots(setting: Setting): Capability {
  const name = `${setting.name}.restore`;
  return defineCapability({
    name,
    version: 1,
    summary: "Put the workspace back to what it was before a run",
    effect: "write",
    risk: "high",
    idempotency: "probe",
    input: restoreInput,
    output: restoreOutput,
    timeout: `${aroundMs}ms`,
    locks: () => lockOf(setting),
    preview: (input, world) => preview(setting, input, world),
    apply: (input, world) => apply(setting, input, world),
    probe: async ({ snapshot }, world) => {
      const { digest } = await treeOf(setting);
      if (digest === treeIn(world)) return { kind: "absent" };
      const wanted = await setting.snapshots.load(snapshot);
      if (digest !== wanted.before.digest) return { kind: "unsure" };
      const own = await setting.snapshots.load(world.key);
      return { kind: "present", output: await outputOf(setting, own, wanted, world.key) };
    },
    undo: (_input, output) => ({ capability: name, input: { snapshot: output.snapshot } }),
  });
}

const restoreInput = z.strictObject({
  snapshot: z.string().max(128).describe("as the run's output names it"),
});
const restoreOutput = z.object({
  changes: z.array(listedChange),
  moreChanges: z.int(),
  snapshot: z.string().describe("of the workspace as the run had left it, for the way back"),
});
type RestoreInput = z.output<typeof restoreInput>;
type RestoreOutput = z.output<typeof restoreOutput>;

/** [P3] Only looks. */
async function preview(
  setting: Setting,
  { snapshot }: RestoreInput,
  world: ExecutionContext,
): Promise<Preview> {
  notStopped(world);
  const wanted = await setting.snapshots.load(snapshot);
  const now = await treeOf(setting);
  demandLeft(wanted, now);
  const changes = changesBetween(now, wanted.before);
  demandRestorable(changesBetween(wanted.before, now));
  const sides = {
    before: (file: Parameters<typeof fileNow>[1]) => fileNow(setting.workspace, file),
    after: ({ sha256 }: { sha256: string }) => setting.snapshots.objects.read(sha256),
  };
  const { list, isCut } = await listing(changes, sides);
  const more = changes.length - list.length;
  const rest: Change = {
    kind: "other",
    target: "the workspace",
    summary: more > 0 ? `and ${more} more` : "The contents of some files are too long to show",
    incomplete: true,
  };
  return {
    changes: [...list.map(asChange), ...(isCut ? [rest] : [])],
    basis: { tree: now.digest },
  };
}

async function apply(
  setting: Setting,
  { snapshot }: RestoreInput,
  world: ExecutionContext,
): Promise<RestoreOutput> {
  const { snapshots, workspace } = setting;
  const wanted = await snapshots.load(snapshot);
  const now = await treeOf(setting, snapshots.objects);
  demandTree(world.basis, now.digest);
  const back = changesBetween(wanted.before, now);
  demandRestorable(back);
  const own: Snapshot = { before: now, after: wanted.before.digest };
  await snapshots.write(world.key, own);
  notStopped(world);
  try {
    await putBack(workspace, back, snapshots.objects);
  } catch {
    throw new CapabilityError(
      "ambiguous",
      "restore-broken",
      "The workspace was put back in part only: see who else writes to it, and what may not be written to.",
    );
  }
  return outputOf(setting, own, wanted, world.key);
}

async function outputOf(
  setting: Setting,
  own: Snapshot,
  wanted: Snapshot,
  snapshot: string,
): Promise<RestoreOutput> {
  const changes = changesBetween(own.before, wanted.before);
  const read = ({ sha256 }: { sha256: string }) => setting.snapshots.objects.read(sha256);
  const list = await listed(changes, { before: read, after: read });
  return { changes: list, moreChanges: Math.max(0, changes.length - mostListed), snapshot };
}

/** What came after the run was never part of it: it is not taken away with it. */
function demandLeft({ after }: Snapshot, now: Tree): void {
  if (after === undefined || after === now.digest) return;
  throw new CapabilityError(
    "permanent",
    "workspace-changed",
    "The workspace is no longer what the run left: put it right by hand, or with another run.",
  );
}

function treeIn({ basis }: ExecutionContext): unknown {
  return typeof basis === "object" && basis !== null && "tree" in basis ? basis.tree : undefined;
}

import { CapabilityError, type ExecutionContext } from "@paraph/core";
import { faultOfRun, type Ran, run } from "../process/index.ts";
import { demandTree } from "./basis.ts";
import { changesBetween } from "./changes.ts";
import { contentOf } from "./content.ts";
import type { Tree } from "./entry.ts";
import { environmentOf } from "./environment.ts";
import { fileNow } from "./file-now.ts";
import { type ListedChange, listed, mostListed } from "./listed.ts";
import { commandOf, folderOf, maxOutputBytes, type Request } from "./request.ts";
import type { RunOutput } from "./run.ts";
import { demandFolder } from "./run-preview.ts";
import type { Secrets } from "./secrets.ts";
import { notStopped, type Setting } from "./setting.ts";
import { telling } from "./told.ts";
import { treeOf } from "./tree.ts";

/** Keeps the workspace as it is, runs the program, and says what is different. */
export async function applyRun(
  setting: Setting,
  asked: Request,
  world: ExecutionContext,
): Promise<RunOutput> {
  const { snapshots } = setting;
  const environment = await environmentOf(setting.env, world);
  const before = await treeOf(setting, snapshots.objects);
  demandTree(world.basis, before.digest);
  demandFolder(before, folderOf(asked));
  await snapshots.write(world.key, { before });
  await snapshots.prune();
  notStopped(world);

  const ran = await perform(setting, asked, world, environment);
  const { changes, ...rest } = await difference(setting, world.key, before);
  return {
    ...endingOf(ran, environment.secrets),
    changes: changes.map((each) => withoutSecrets(each, environment.secrets)),
    ...rest,
  };
}

/** Where nobody knows how far it came, the snapshot stays: a person who finds out can go back to it. */
async function perform(
  setting: Setting,
  asked: Request,
  world: ExecutionContext,
  { env, secrets }: Awaited<ReturnType<typeof environmentOf>>,
): Promise<Ran> {
  const { workspace, read, network, snapshots } = setting;
  const told = telling(world);
  const ran = await run({
    ...commandOf(setting, asked, world),
    env,
    sandbox: { write: [workspace], read, network },
    // A secret may come in two halves: where there is one, nothing is passed on before all of it is there.
    ...(!secrets.any && { onOutput: told.tell }),
  });
  told.end();
  if (ran.end === "not-started") await snapshots.drop(world.key);
  if (!sawItsEnd(ran)) throw faultOfRun(ran, "The program");
  return ran;
}

/** It ended by itself, or we ended it: then what it left is all there will be. */
export function sawItsEnd({ end, exitCode }: Ran): boolean {
  return end === "timed-out" || (end === "exited" && exitCode !== undefined);
}

function withoutSecrets(change: ListedChange, secrets: Secrets): ListedChange {
  return change.diff === undefined ? change : { ...change, diff: secrets.hide(change.diff) };
}

export function endingOf(ran: Ran, secrets?: Secrets) {
  const { end, exitCode, stdout, stderr, truncated, durationMs } = ran;
  const said = (bytes: Buffer) => {
    const cut = truncated && bytes.length >= maxOutputBytes;
    return contentOf(secrets?.hideIn(bytes, cut) ?? bytes, cut);
  };
  return {
    end: end === "timed-out" ? end : ("exited" as const),
    ...(exitCode !== undefined && { exitCode }),
    stdout: said(stdout),
    stderr: said(stderr),
    durationMs,
  };
}

type Difference = Pick<RunOutput, "changes" | "moreChanges" | "changesUnknown" | "snapshot">;

async function difference(setting: Setting, snapshot: string, before: Tree): Promise<Difference> {
  const { workspace, snapshots } = setting;
  try {
    const after = await treeOf(setting);
    const changes = changesBetween(before, after);
    if (changes.length === 0) {
      await snapshots.drop(snapshot);
      return { changes: [], moreChanges: 0 };
    }
    await snapshots.write(snapshot, { before, after: after.digest });
    const sides = {
      before: ({ sha256 }: { sha256: string }) => snapshots.objects.read(sha256),
      after: (file: Parameters<typeof fileNow>[1]) => fileNow(workspace, file),
    };
    const list = await listed(changes, sides);
    return { changes: list, moreChanges: Math.max(0, changes.length - mostListed), snapshot };
  } catch (error) {
    // The program did what it did: that it cannot be told in full is no reason to lose what is known.
    const changesUnknown =
      error instanceof CapabilityError ? error.message : "The workspace could not be read.";
    return { changes: [], moreChanges: 0, changesUnknown, snapshot };
  }
}

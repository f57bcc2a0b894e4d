import type { ExecutionContext } from "@paraph/core";
import { refChangedFault } from "../approved-basis.ts";
import { toIdentEnvironment } from "../commits/ident.ts";
import { toGitFault } from "../repository/git-fault.ts";
import { requireNoLinks } from "../repository/layout.ts";
import type { Repository } from "../repository/repository.ts";
import { requireUnlocked } from "./ref-lock.ts";
import { readRef } from "./revision.ts";

export interface RefMove {
  readonly ref: string;
  /** The value that the ref must have now, or null if it must not exist. */
  readonly from: string | null;
  /** The new value, or null to delete the ref. */
  readonly to: string | null;
  /** The reason for git's reflog. */
  readonly reason: string;
}

/** Moves, creates or deletes the ref with one git command. The command fails if the ref's value has changed. */
export async function moveRef(
  repository: Repository,
  { ref, from, to, reason }: RefMove,
  context: ExecutionContext,
): Promise<void> {
  const { author, root } = repository.context;
  await requireNoLinks(root, ref);
  const step = to === null ? ["-d", ref, from!] : [ref, to, from ?? ""];
  const ran = await repository.git(
    ["update-ref", "--no-deref", "-m", `paraph: ${reason} (${context.call})`, ...step],
    {
      what: "Updating a ref",
      env: toIdentEnvironment(author, author),
      allow: [1, 128],
      effect: true,
    },
  );
  if (ran.exitCode === 0) return;
  if ((await readRef(repository, ref)) !== from) throw refChangedFault(ref);
  await requireUnlocked(repository, ref);
  await requireUnlocked(repository, "packed-refs");
  throw toGitFault(ran, "Updating a ref", true);
}

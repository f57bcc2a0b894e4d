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
  /** What it must hold now; null where it must not be there. */
  readonly from: string | null;
  /** What it will hold; null to take it away. */
  readonly to: string | null;
  /** For git's own log of the ref. */
  readonly reason: string;
}

/** The effect: one step of git's, which fails unless the ref holds what it did. */
export async function moveRef(
  repository: Repository,
  { ref, from, to, reason: why }: RefMove,
  world: ExecutionContext,
): Promise<void> {
  const { author, root } = repository.context;
  await requireNoLinks(root, ref);
  const step = to === null ? ["-d", ref, from!] : [ref, to, from ?? ""];
  const ran = await repository.git(
    ["update-ref", "--no-deref", "-m", `paraph: ${why} (${world.call})`, ...step],
    {
      what: "Moving a ref",
      env: toIdentEnvironment(author, author),
      allow: [1, 128],
      effect: true,
    },
  );
  if (ran.exitCode === 0) return;
  if ((await readRef(repository, ref)) !== from) throw refChangedFault(ref);
  await requireUnlocked(repository, ref);
  await requireUnlocked(repository, "packed-refs");
  throw toGitFault(ran, "Moving a ref", true);
}

import type { ExecutionContext } from "@paraph/core";
import { basisMoved } from "./basis.ts";
import { gitFault } from "./git-fault.ts";
import { identEnvironment } from "./ident.ts";
import { demandNoLinks } from "./layout.ts";
import { demandUnlocked } from "./ref-lock.ts";
import type { Repository } from "./repository.ts";
import { oidOf } from "./revision.ts";

export interface Move {
  readonly ref: string;
  /** What it must hold now; null where it must not be there. */
  readonly from: string | null;
  /** What it will hold; null to take it away. */
  readonly to: string | null;
  /** For git's own log of the ref. */
  readonly why: string;
}

/** The effect: one step of git's, which fails unless the ref holds what it did. */
export async function moveRef(
  repository: Repository,
  { ref, from, to, why }: Move,
  world: ExecutionContext,
): Promise<void> {
  const { author, root } = repository.setting;
  await demandNoLinks(root, ref);
  const step = to === null ? ["-d", ref, from!] : [ref, to, from ?? ""];
  const ran = await repository.git(
    ["update-ref", "--no-deref", "-m", `paraph: ${why} (${world.call})`, ...step],
    {
      what: "Moving a ref",
      env: identEnvironment(author, author),
      allow: [1, 128],
      effect: true,
    },
  );
  if (ran.exitCode === 0) return;
  if ((await oidOf(repository, ref)) !== from) throw basisMoved(ref);
  await demandUnlocked(repository, ref);
  await demandUnlocked(repository, "packed-refs");
  throw gitFault(ran, "Moving a ref", true);
}

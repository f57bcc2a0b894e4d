import { CapabilityError } from "@paraph/core";
import { z } from "zod";
import { demandName } from "./ref-name.ts";
import type { Repository } from "./repository.ts";
import { oidOf } from "./revision.ts";

/** The facts a new commit rests on: the branch, what it follows on, and what it will hold. */
export const landingBasis = z.object({
  ref: z.string(),
  parents: z.array(z.string()),
  tree: z.string(),
});

export type LandingBasis = z.output<typeof landingBasis>;

/** A branch that is there, by its name; the one that is checked out unless said. */
export async function tipOf(
  repository: Repository,
  branch: string | undefined,
): Promise<{ readonly branch: string; readonly ref: string; readonly commit: string }> {
  const name = branch === undefined ? currentOf(repository) : demandName(branch, "branch");
  const ref = `refs/heads/${name}`;
  const commit = await oidOf(repository, ref);
  if (commit !== null) return { branch: name, ref, commit };
  throw new CapabilityError("permanent", "branch-unknown", `There is no branch \`${name}\`.`);
}

export function currentOf({ head }: Repository): string {
  if (head.kind === "branch") return demandName(head.branch, "branch");
  throw new CapabilityError(
    "permanent",
    "detached",
    "No branch is checked out in the repository: name the branch, or check one out.",
  );
}

import { CapabilityError } from "@paraph/core";
import { formatName } from "../../format-text.ts";
import type { Repository } from "../repository/repository.ts";

/**
 * Rejects a ref name that is taken. A name is also taken if an existing ref is one of its parent folders. The same
 * applies if the name is a parent folder of an existing ref.
 */
export async function requireFreeRef(repository: Repository, ref: string): Promise<void> {
  const parts = ref.split("/");
  const above = parts.map((_, at) => parts.slice(0, at + 1).join("/")).slice(2);
  const { stdout } = await repository.git(["for-each-ref", "--count=1000", "--format=%(refname)", ...above]);
  const names = stdout.toString("utf8").split("\n").filter(Boolean);
  const taken = names.find((name) => above.includes(name) || name.startsWith(`${ref}/`));
  if (taken === undefined) return;
  throw new CapabilityError(
    "permanent",
    "name-taken",
    taken === ref
      ? `${formatName(ref)} already exists.`
      : `${formatName(ref)} conflicts with ${formatName(taken)}, because one name is a parent folder of the other. Choose another name.`,
  );
}

import { CapabilityError, type ExecutionContext, type Probe } from "@paraph/core";
import { asidesOf, doom, putBack, remove } from "./aside.ts";
import type { DeleteInput } from "./delete.ts";
import { isDoomed } from "./draft-name.ts";
import { type Entry, entryAt } from "./entry.ts";
import { approvedFact, type Fact, isFact } from "./fact.ts";
import { removeLeft } from "./folders.ts";
import { type Place, placeOf } from "./path.ts";
import { probing } from "./probing.ts";
import { inFolder, type Reached, sync } from "./rooted.ts";
import type { Setting } from "./setting.ts";

/** [P7] An attempt ended unseen: did it delete? What it had set aside is removed or put back first. */
export async function probeDelete(
  setting: Setting,
  input: DeleteInput,
  world: ExecutionContext,
): Promise<Probe> {
  return probing(input.path, async () => {
    const place = placeOf(input.path);
    const basis = approvedFact(world.basis);
    if (basis.kind === "absent") return { kind: "unsure" };
    const found = await inFolder(setting.root, place.folders, (reached) =>
      settle(setting, reached, place, basis, world),
    );
    if (found !== "present") return { kind: found };
    await removeLeft(setting, place, input.emptyFolders).catch(() => {});
    // What the file held is gone from sight: without it no way back is offered.
    return { kind: "present", output: { kind: basis.kind } };
  });
}

async function settle(
  setting: Setting,
  reached: Reached,
  place: Place,
  basis: Fact,
  world: ExecutionContext,
): Promise<Probe["kind"]> {
  const { folder, missing } = reached;
  const asides = missing.length > 0 ? [] : await asidesOf(folder, world.call);
  let taken = false;
  for (const aside of asides) {
    if (isDoomed(aside) || (await isApproved(setting, reached, place, basis, aside))) {
      await remove(folder, isDoomed(aside) ? aside : await doom(folder, aside));
      taken = true;
    } else if (!(await putBack(folder, aside, place))) {
      throw new CapabilityError(
        "permanent",
        "set-aside",
        `\`${place.path}\`: beside its place as \`${aside}\`.`,
      );
    }
  }
  // Seen in the aside: it was done, whatever came to its place since.
  const now: Entry = taken ? { kind: "absent" } : await entryAt(reached, place, setting.maxBytes);
  if (now.kind === "absent") {
    if (missing.length === 0) await sync(folder);
    return "present";
  }
  // Put back, it is where it was, though not what was approved: the next attempt will say so.
  return isFact(basis, now) || asides.length > 0 ? "absent" : "unsure";
}

async function isApproved(
  setting: Setting,
  reached: Reached,
  place: Place,
  basis: Fact,
  aside: string,
): Promise<boolean> {
  return entryAt(reached, place, setting.maxBytes, aside).then(
    (entry) => isFact(basis, entry),
    () => false,
  );
}

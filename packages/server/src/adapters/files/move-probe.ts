import type { ExecutionContext, Probe } from "@paraph/core";
import { entryAt } from "./entry.ts";
import { approvedSource, type Fact, isFact } from "./fact.ts";
import { madeUnseen, removeLeft } from "./folders.ts";
import type { MoveInput } from "./move.ts";
import { dropNewName, dropOldName } from "./move-apply.ts";
import { inBoth, type Places, placesOf } from "./move-preview.ts";
import { probing } from "./probing.ts";
import { type Reached, sync, within } from "./rooted.ts";
import { sameFile } from "./same-file.ts";
import type { Setting } from "./setting.ts";

/** [P7] An attempt ended unseen: did it move? A file it left under both names gets the one it should have. */
export async function probeMove(setting: Setting, input: MoveInput, world: ExecutionContext): Promise<Probe> {
  return probing(input.from, async () => {
    const places = placesOf(input);
    const basis = approvedSource(world.basis);
    if (basis.kind === "absent") return { kind: "unsure" };
    const found = await inBoth(setting, places, (source, target) =>
      settle(setting, places, source, target, basis),
    );
    if (found !== "present") return { kind: found };
    await removeLeft(setting, places.from, input.emptyFolders).catch(() => {});
    return { kind: "present", output: { kind: basis.kind, ...madeUnseen(input.createFolders) } };
  });
}

async function settle(
  setting: Setting,
  places: Places,
  source: Reached,
  target: Reached,
  basis: Fact,
): Promise<Probe["kind"]> {
  if (await underBothNames(places, source, target)) {
    // The destination was free before, so the second name is this call's doing.
    const approved = isFact(basis, await entryAt(target, places.to, setting.maxBytes));
    if (!approved) {
      await dropNewName(places, source, target);
      return "absent";
    }
    await dropOldName(places, source, target);
  }
  const from = await entryAt(source, places.from, setting.maxBytes);
  const to = await entryAt(target, places.to, setting.maxBytes);
  if (from.kind === "absent" && isFact(basis, to)) {
    await sync(target.folder);
    if (source.missing.length === 0) await sync(source.folder);
    return "present";
  }
  return isFact(basis, from) && to.kind === "absent" ? "absent" : "unsure";
}

async function underBothNames({ from, to }: Places, source: Reached, target: Reached): Promise<boolean> {
  if (source.missing.length > 0 || target.missing.length > 0) return false;
  return sameFile(await within(source.folder, from.name), await within(target.folder, to.name));
}

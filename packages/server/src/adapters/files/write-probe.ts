import type { ExecutionContext, Probe } from "@paraph/core";
import { approvedBasis, basisOf } from "./basis.ts";
import { bytesOf, sha256Of } from "./content.ts";
import { sweepDrafts } from "./draft.ts";
import { madeUnseen } from "./folders.ts";
import { absent, look } from "./look.ts";
import { placeOf } from "./path.ts";
import { probing } from "./probing.ts";
import { inFolder, sync } from "./rooted.ts";
import type { Setting } from "./setting.ts";
import type { WriteInput } from "./write.ts";

/** [P7] An attempt ended unseen: did it write? */
export async function probeWrite(
  setting: Setting,
  input: WriteInput,
  world: ExecutionContext,
): Promise<Probe> {
  return probing(input.path, () => compare(setting, input, world));
}

async function compare(setting: Setting, input: WriteInput, world: ExecutionContext): Promise<Probe> {
  const place = placeOf(input.path);
  const content = bytesOf(input, setting.maxBytes);
  const basis = approvedBasis(world.basis);
  const sha256 = sha256Of(content);
  return inFolder(setting.root, place.folders, async ({ folder, missing }) => {
    const there = missing.length === 0;
    // First, so that an attempt which is frozen and not dead cannot put its draft in place after we said it did not.
    if (there) await sweepDrafts(folder, world.call);
    const found = there ? await look(folder, place.name, place.path, setting.maxBytes) : absent;
    if (found.kind === "file" && found.sha256 === sha256) {
      await sync(folder);
      // What the file held before is gone from sight: without it no way back is offered.
      return {
        kind: "present",
        output: {
          bytes: content.length,
          sha256,
          created: basis.kind === "absent",
          ...madeUnseen(input.createFolders),
        },
      };
    }
    return { kind: basisOf(found).sha256 === basis.sha256 ? "absent" : "unsure" };
  });
}

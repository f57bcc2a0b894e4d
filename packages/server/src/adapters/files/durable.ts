import { CapabilityError } from "@paraph/core";
import { type Folder, sync } from "./rooted.ts";

/** After the effect: a disk that does not confirm leaves open whether it lasts. */
export async function durable(path: string, done: string, ...folders: readonly Folder[]): Promise<void> {
  try {
    for (const folder of folders) await sync(folder);
  } catch {
    throw new CapabilityError(
      "ambiguous",
      "not-durable",
      `\`${path}\` was ${done}, but the disk did not confirm it.`,
    );
  }
}

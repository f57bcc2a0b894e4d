import { CapabilityError } from "@paraph/core";
import { type OpenFolder, syncFolder } from "../paths/open-folder.ts";

/** Throws an ambiguous fault if the disk does not confirm the effect, because the effect may then be lost. */
export async function requireDurable(
  path: string,
  done: string,
  ...folders: readonly OpenFolder[]
): Promise<void> {
  try {
    for (const folder of folders) await syncFolder(folder);
  } catch {
    throw new CapabilityError(
      "ambiguous",
      "not-durable",
      `\`${path}\` was ${done}, but the disk did not confirm it, so the change may be lost. Check the disk and the path.`,
    );
  }
}

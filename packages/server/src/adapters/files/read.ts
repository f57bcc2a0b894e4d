import { type Capability, defineCapability } from "@paraph/core";
import { z } from "zod";
import { contentOf, encodings } from "./content.ts";
import { guarded, notFound } from "./file-fault.ts";
import { look } from "./look.ts";
import { placeOf } from "./path.ts";
import { inFolder } from "./rooted.ts";
import { notStopped, pathInput, type Setting } from "./setting.ts";

export function readFiles(setting: Setting): Capability {
  return defineCapability({
    name: `${setting.name}.read`,
    version: 1,
    summary: "Read a file",
    effect: "read",
    idempotency: "natural",
    input: z.strictObject({ path: pathInput }),
    output: z.object({
      content: z.string(),
      encoding: z.enum(encodings).describe("base64 where the file is not text"),
      bytes: z.int(),
      sha256: z.string(),
    }),
    apply: (input, world) =>
      guarded(input.path, async () => {
        notStopped(world);
        return readFile(setting, input.path);
      }),
  });
}

async function readFile(setting: Setting, path: string) {
  const place = placeOf(path);
  const found = await inFolder(setting.root, place.folders, ({ folder, missing }) => {
    if (missing.length > 0) throw notFound(place.path);
    return look(folder, place.name, place.path, setting.maxBytes);
  });
  if (found.kind === "absent") throw notFound(place.path);
  return { ...contentOf(found.content), bytes: found.content.length, sha256: found.sha256 };
}

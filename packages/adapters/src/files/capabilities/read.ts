import { type Capability, defineCapability } from "@paraph/core";
import { z } from "zod";
import { throwIfStopped } from "../../throw-if-stopped.ts";
import { type FilesContext, filePathInput } from "../context.ts";
import { encodeContent, encodings } from "../entries/content.ts";
import { readFileAtPath } from "../entries/read-file.ts";
import { notFoundFault, withFileFaults } from "../file-fault.ts";
import { withOpenFolder } from "../paths/open-folder.ts";
import { parseFilePath } from "../paths/path.ts";

export function createReadFileCapability(filesContext: FilesContext): Capability {
  return defineCapability({
    name: `${filesContext.name}.read`,
    version: 1,
    summary: "Read a file",
    effect: "read",
    idempotency: "natural",
    input: z.strictObject({ path: filePathInput }),
    output: z.object({
      content: z.string(),
      encoding: z.enum(encodings).describe("`base64` if the file is not text"),
      bytes: z.int(),
      sha256: z.string(),
    }),
    apply: (input, context) =>
      withFileFaults(input.path, async () => {
        throwIfStopped(context);
        return readFile(filesContext, input.path);
      }),
  });
}

async function readFile(filesContext: FilesContext, path: string) {
  const place = parseFilePath(path);
  const found = await withOpenFolder(filesContext.root, place.folders, ({ folder, missing }) => {
    if (missing.length > 0) throw notFoundFault(place.path);
    return readFileAtPath(folder, place.name, place.path, filesContext.maxBytes);
  });
  if (found.kind === "absent") throw notFoundFault(place.path);
  return { ...encodeContent(found.content), bytes: found.content.length, sha256: found.sha256 };
}

import type { ExecutionContext, Probe } from "@paraph/core";
import type { FilesContext } from "../context.ts";
import { sweepDrafts } from "../drafts/draft.ts";
import { decodeContent, hashBytes } from "../entries/content.ts";
import { absentFile, readFileAtPath } from "../entries/read-file.ts";
import { parseWriteBasis, toWriteBasis } from "../entries/write-basis.ts";
import { syncFolder, withOpenFolder } from "../paths/open-folder.ts";
import { assumeFoldersMade } from "../paths/parent-folders.ts";
import { parseFilePath } from "../paths/path.ts";
import { runFileProbe } from "../run-probe.ts";
import type { WriteInput } from "./write.ts";

/** [P7] Probes whether an attempt with an unknown outcome wrote the file. */
export async function probeWrite(
  filesContext: FilesContext,
  input: WriteInput,
  context: ExecutionContext,
): Promise<Probe> {
  return runFileProbe(input.path, () => probeContent(filesContext, input, context));
}

async function probeContent(
  filesContext: FilesContext,
  input: WriteInput,
  context: ExecutionContext,
): Promise<Probe> {
  const place = parseFilePath(input.path);
  const content = decodeContent(input, filesContext.maxBytes);
  const basis = parseWriteBasis(context.basis);
  const sha256 = hashBytes(content);
  return withOpenFolder(filesContext.root, place.folders, async ({ folder, missing }) => {
    const there = missing.length === 0;
    // The sweep comes first, so that an attempt that hangs cannot place its draft after the probe has reported
    // `absent`.
    if (there) await sweepDrafts(folder, context.call);
    const found = there
      ? await readFileAtPath(folder, place.name, place.path, filesContext.maxBytes)
      : absentFile;
    if (found.kind === "file" && found.sha256 === sha256) {
      await syncFolder(folder);
      // The previous content of the file is no longer known, so Paraph offers no undo.
      return {
        kind: "present",
        output: {
          bytes: content.length,
          sha256,
          created: basis.kind === "absent",
          ...assumeFoldersMade(input.createFolders),
        },
      };
    }
    return { kind: toWriteBasis(found).sha256 === basis.sha256 ? "absent" : "unsure" };
  });
}

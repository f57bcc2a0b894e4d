import type { JsonObject } from "@paraph/core";
import { formatCount } from "../../format-text.ts";
import { formatSize } from "../format.ts";
import type { FolderEntry } from "./entry.ts";

/**
 * Describes a folder's content for a preview, as a summary and as a list of all names. Paraph rejects a folder with
 * more entries than it can list.
 */
export function describeFolder({ contents }: FolderEntry): { words: string; details: JsonObject } {
  const count = (kind: string) => contents.filter((each) => each.kind === kind).length;
  const [files, folders, links] = [count("file"), count("folder"), count("link")];
  const bytes = contents.reduce((sum, each) => sum + each.bytes, 0);
  const parts = [
    formatCount(files, "file"),
    ...(folders > 0 ? [formatCount(folders, "folder")] : []),
    ...(links > 0 ? [formatCount(links, "link")] : []),
  ];
  return {
    words: contents.length === 0 ? "empty" : `holding ${parts.join(", ")}, ${formatSize(bytes)}`,
    details: {
      count: contents.length,
      bytes,
      holds: contents.map((each) => ({
        path: each.path,
        kind: each.kind,
        ...(each.kind === "file" && { bytes: each.bytes }),
      })),
    },
  };
}

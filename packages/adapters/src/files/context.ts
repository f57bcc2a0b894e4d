import { z } from "zod";
import { normalizeOrKeep } from "../normalize-text.ts";
import { parsePathNames } from "./paths/path.ts";
import type { Root } from "./paths/root.ts";

/** The settings that the capabilities of one adapter share. */
export interface FilesContext {
  readonly name: string;
  readonly root: Root;
  readonly maxBytes: number;
}

export const filePathInput = z
  .string()
  .max(4096)
  .overwrite(normalizeOrKeep((path) => parsePathNames(path).join("/")))
  .describe("path relative to the root, with `/` between names");

export const createFolders = z.boolean().default(false).describe("create missing folders of the path");

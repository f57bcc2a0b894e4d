import { isAbsolute, resolve } from "node:path";
import { findProgram } from "../../process/search-path.ts";
import type { Tool } from "../definition/tool.ts";

/** The search path for programs. */
export interface BinarySearch {
  /** The folder of the configuration. Paths are relative to it. */
  readonly folder: string;
  /** Absolute folders, in order. */
  readonly path: readonly string[];
}

export type BinaryResult =
  | { readonly kind: "found"; readonly path: string }
  | { readonly kind: "missing"; readonly message: string };

/**
 * Finds the program for this platform. The definition names a program or a path. A name is searched for in the search
 * path, and a path is relative to the configuration's folder.
 */
export async function findBinary(tool: Tool, { folder, path }: BinarySearch): Promise<BinaryResult> {
  const named = getPlatformBinary(tool);
  if (named === undefined)
    return toMissing(
      `\`${tool.name}\` has no binary for ${process.platform}. Add one to \`binary\` in its definition.`,
    );
  const isPath = isAbsolute(named) || /[\\/]/.test(named);
  const found = await findProgram(isPath ? resolve(folder, named) : named, path);
  if (found !== undefined) return { kind: "found", path: found };
  return toMissing(`\`${named}\` was not found. Install it, or correct \`binary\` of \`${tool.name}\`.`);
}

export function getPlatformBinary({ definition: { binary } }: Tool): string | undefined {
  return typeof binary === "string" ? binary : binary[process.platform as keyof typeof binary];
}

function toMissing(message: string): BinaryResult {
  return { kind: "missing", message };
}

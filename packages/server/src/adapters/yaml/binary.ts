import { isAbsolute, resolve } from "node:path";
import { programOf } from "../process/search-path.ts";
import type { Tool } from "./tool.ts";

/** Where programs are looked for. */
export interface Binaries {
  /** The configuration's folder, which paths are relative to. */
  readonly folder: string;
  /** Absolute folders, in order. */
  readonly path: readonly string[];
}

export type Binary =
  | { readonly kind: "found"; readonly path: string }
  | { readonly kind: "missing"; readonly message: string };

/** The program of this platform. A name is looked up, a path is taken as it is. */
export async function binaryOf(tool: Tool, { folder, path }: Binaries): Promise<Binary> {
  const named = binaryHere(tool);
  if (named === undefined)
    return missing(`\`${tool.name}\` names no binary for ${process.platform}: add one.`);
  const isPath = isAbsolute(named) || /[\\/]/.test(named);
  const found = await programOf(isPath ? resolve(folder, named) : named, path);
  if (found !== undefined) return { kind: "found", path: found };
  return missing(`\`${named}\` is not there: install it, or correct \`binary\` of \`${tool.name}\`.`);
}

export function binaryHere({ definition: { binary } }: Tool): string | undefined {
  return typeof binary === "string" ? binary : binary[process.platform as keyof typeof binary];
}

function missing(message: string): Binary {
  return { kind: "missing", message };
}

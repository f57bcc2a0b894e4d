import type { Json } from "@paraph/core";
import { parseDocument } from "yaml";
import { usageError } from "../cli-error.ts";
import { type InputSources, systemSources } from "./call-input.ts";

/**
 * Reads a plan from a file, or from standard input with `-`. It accepts YAML, which includes JSON. The server validates
 * the plan.
 */
export async function readPlanFile(path: string, sources: InputSources = systemSources): Promise<Json> {
  const text = await (path === "-" ? sources.standardInput() : sources.file(path)).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    throw usageError(
      code === "ENOENT"
        ? `There is no file \`${path}\`.`
        : `\`${path}\` could not be read (${code ?? "unknown error"}).`,
    );
  });
  const document = parseDocument(text);
  const [fault] = document.errors;
  if (fault) {
    const { line, col } = fault.linePos?.[0] ?? { line: 1, col: 1 };
    throw usageError(`${path}:${line}:${col}: This is neither YAML nor JSON (${fault.code}).`);
  }
  try {
    return document.toJS({ maxAliasCount: 100 }) as Json;
  } catch {
    throw usageError(`\`${path}\` expands to more than a plan can hold. Use fewer aliases.`);
  }
}

import { toFault } from "@paraph/core";
import { isCode } from "./value-shapes.ts";

/** [P10] What an error is called; its message and stack may hold anything and are never read. */
export function toErrorCode(error: unknown): string {
  try {
    return readSqlstate(error) ?? toShortCode(error);
  } catch {
    // An error whose very fields throw.
    return "error";
  }
}

/** PostgreSQL names its errors by five characters, which only mean something to those who know what they are. */
function readSqlstate(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const { code, severity } = error as { code?: unknown; severity?: unknown };
  if (typeof severity !== "string" || typeof code !== "string") return undefined;
  return /^(?=.*\d)[0-9A-Z]{5}$/.test(code) ? `sqlstate-${code.toLowerCase()}` : undefined;
}

function toShortCode(error: unknown): string {
  const { code } = toFault(error);
  if (/^http-/.test(code)) return /^http-[1-5]\d\d$/.test(code) ? code : "error";
  return isCode(code) ? code : "error";
}

import { toFault } from "@paraph/core";
import { isCode } from "./value-shapes.ts";

/** [P10] Returns the code of an error. It never reads the message and the stack, because they may contain any data. */
export function toErrorCode(error: unknown): string {
  try {
    return readSqlstate(error) ?? toShortCode(error);
  } catch {
    // Returns a fixed code if reading a field of the error throws.
    return "error";
  }
}

/** Returns PostgreSQL's five-character code with a prefix, because the code alone has no recognizable meaning. */
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

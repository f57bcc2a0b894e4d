import { formatCount } from "../format-text.ts";

export function formatSize(bytes: number): string {
  return formatCount(bytes, "byte");
}

import { CapabilityError } from "@paraph/core";
import { z } from "zod";
import { formatName } from "../../format-text.ts";

/** Rejects a branch or tag name that git would reject, and one that is an option, a revision or a full ref. */
export function requireRefName(name: string, what: "branch" | "tag"): string {
  const fault = findNameFault(name);
  if (fault === undefined) return name;
  throw new CapabilityError(
    "permanent",
    "ref-invalid",
    `${formatName(name)} is not a valid name for a ${what}: ${fault}.`,
  );
}

export function isRefName(name: string): boolean {
  return findNameFault(name) === undefined;
}

export const refNameInput = z.string().min(1).max(244);

/**
 * Applies the rules of `git check-ref-format --branch` and three more: no `refs/`, no object id, no control characters.
 */
function findNameFault(name: string): string | undefined {
  if (name === "" || name.length > 244) return "it is empty or too long";
  if (!name.isWellFormed() || /\p{C}/u.test(name)) return "it has control characters in it";
  if (/[ ~^:?*[\\]/.test(name)) return "it has a space or one of ~ ^ : ? * [ \\ in it";
  if (name.startsWith("-")) return "it begins with a dash";
  if (name.includes("..") || name.includes("@{")) return "it has `..` or `@{` in it";
  if (name.endsWith(".")) return "it ends with a dot";
  const parts = name.split("/");
  if (parts.some((part) => part === "")) return "it begins or ends with a slash, or has two in a row";
  if (parts.some((part) => part.startsWith("."))) return "a part of it begins with a dot";
  if (parts.some((part) => /\.lock$/i.test(part))) return "a part of it ends with `.lock`";
  if (parts[0] === "refs") return "name it without `refs/`";
  if (name === "@" || /^[A-Z_]*HEAD$/.test(name)) return "git reserves this name";
  if (isObjectId(name)) return "it looks like an object's id";
  return undefined;
}

/** Whether the text is a full SHA-1 or SHA-256 id. */
export function isObjectId(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i.test(text);
}

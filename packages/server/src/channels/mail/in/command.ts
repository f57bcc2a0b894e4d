import type { NewText } from "./new-text.ts";

/** The command in a reply. `approve-wanted` is a wish, and nothing has been checked yet. */
export type Command =
  | { readonly kind: "approve-wanted" }
  | { readonly kind: "deny"; readonly reason?: string }
  | { readonly kind: "return"; readonly instructions: string }
  | { readonly kind: "comment" | "ask"; readonly text: string }
  | { readonly kind: "acknowledge" }
  | { readonly kind: "help"; readonly reason: HelpReason };

/** Why a reply gets help instead of an effect. */
export type HelpReason = "empty" | "below-quote" | "unclear" | "several-commands" | "not-alone" | "html-only";

const maxTextLength = 10_000;

/**
 * [TRUST 3] Reads the command of a reply from the first line that the sender wrote. An approval must be the only line, so
 * that no condition is overlooked. Anything that could mean two things is answered with help.
 */
export function readCommand({ lines, hasTextBelowQuote }: NewText): Command {
  const [first, ...rest] = lines;
  if (first === undefined) return { kind: "help", reason: hasTextBelowQuote ? "below-quote" : "empty" };
  const command = readLine(first, rest);
  if (rest.some((line) => isOtherCommand(line, command))) return { kind: "help", reason: "several-commands" };
  if (command.kind === "approve-wanted" && rest.length > 0) return { kind: "help", reason: "not-alone" };
  return command;
}

function readLine(first: string, rest: readonly string[]): Command {
  const word = readWord(first);
  if (word !== undefined) return { kind: word };
  const [, name = "", after = ""] =
    // "Return" also begins sentences, such as "Return the goods first", so its colon is required.
    /^(deny|denied|reject|comment|ask|question|return(?=\s*:))\b[\s:,.–-]*(.*)$/iu.exec(first) ?? [];
  const text = [after, ...rest].join("\n").trim().slice(0, maxTextLength).toWellFormed();
  switch (name.toLowerCase()) {
    case "deny":
    case "denied":
    case "reject":
      // "deny?" asks for an opinion.
      return after.endsWith("?") || first.endsWith("?")
        ? { kind: "help", reason: "unclear" }
        : { kind: "deny", ...(text !== "" && { reason: text }) };
    case "return":
      if (after.endsWith("?")) return { kind: "help", reason: "unclear" };
      return text === "" ? { kind: "help", reason: "empty" } : { kind: "return", instructions: text };
    case "comment":
      return text === "" ? { kind: "help", reason: "empty" } : { kind: "comment", text };
    case "ask":
    case "question":
      return text === "" ? { kind: "help", reason: "empty" } : { kind: "ask", text };
  }
  if (first.endsWith("?")) {
    const question = [first, ...rest].join("\n").slice(0, maxTextLength).toWellFormed();
    return { kind: "ask", text: question };
  }
  return { kind: "help", reason: "unclear" };
}

/** Reads a line that consists of a command only. */
function readWord(line: string): "approve-wanted" | "acknowledge" | "deny" | undefined {
  const word = line
    .replace(/[.!]+$/, "")
    .replaceAll("’", "'")
    .toLowerCase();
  if (/^(approve|approved)$/.test(word)) return "approve-wanted";
  if (/^(ack|acknowledge|acknowledged|on it|i'm on it|looking at it|i'm looking at it)$/.test(word))
    return "acknowledge";
  return undefined;
}

function isOtherCommand(line: string, command: Command): boolean {
  const word = /^(deny|denied|reject)[.!]*$/iu.test(line) ? "deny" : readWord(line);
  return word !== undefined && word !== command.kind;
}

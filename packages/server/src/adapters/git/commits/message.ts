import { CapabilityError, type ExecutionContext } from "@paraph/core";
import { z } from "zod";
import { normalizeOrKeep } from "../../normalize-text.ts";

export const messageInput = z
  .string()
  .min(1)
  .max(20_000)
  .overwrite(normalizeOrKeep((text) => normalizeMessage(text).trimEnd()))
  .describe("the first line says what it does; an empty line, then why");

/** A message as it stands in the object: line ends as git has them, no space at the end, one line end. */
export function normalizeMessage(text: string): string {
  const lines = text.replaceAll(/\r\n?/g, "\n").trim();
  if (lines === "" || lines.includes("\0") || !lines.isWellFormed()) {
    throw new CapabilityError(
      "permanent",
      "message-invalid",
      "The message is empty, or has a NUL or half a character in it: send another.",
    );
  }
  return `${lines}\n`;
}

/** With the call's id at its end, where the configuration wants it: from a commit its receipt is found. */
export function withTrailer(
  message: string,
  world: Pick<ExecutionContext, "call">,
  trailer: boolean,
): string {
  if (!trailer) return message;
  const body = message.trimEnd();
  const last = body.split("\n\n").at(-1)!;
  const isTrailers = body.includes("\n\n") && last.split("\n").every((line) => /^[A-Za-z-]+: \S/.test(line));
  return `${body}${isTrailers ? "\n" : "\n\n"}Paraph-Call: ${world.call}\n`;
}

export function readSubject(message: string): string {
  return message.split("\n", 1)[0]!;
}

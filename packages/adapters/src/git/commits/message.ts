import { CapabilityError, type ExecutionContext } from "@paraph/core";
import { z } from "zod";
import { normalizeOrKeep } from "../../normalize-text.ts";

export const messageInput = z
  .string()
  .min(1)
  .max(20_000)
  .overwrite(normalizeOrKeep((text) => normalizeMessage(text).trimEnd()))
  .describe("a summary line, then an empty line and the reasons");

/** Returns a message as git stores it: with LF line ends, no whitespace at either end, and one final line end. */
export function normalizeMessage(text: string): string {
  const lines = text.replaceAll(/\r\n?/g, "\n").trim();
  if (lines === "" || lines.includes("\0") || !lines.isWellFormed()) {
    throw new CapabilityError(
      "permanent",
      "message-invalid",
      "The message is empty, or contains a NUL or an incomplete Unicode character. Send a message without these characters.",
    );
  }
  return `${lines}\n`;
}

/** Appends the call's id if the configuration requires it, so that people can find the receipt of a commit. */
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

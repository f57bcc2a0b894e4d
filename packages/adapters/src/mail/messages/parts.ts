import { escapeInvisible } from "@paraph/core/escape-invisible";
import type { MessageStructureObject } from "imapflow";

/** The part of a message that holds its text. */
export interface TextPart {
  readonly part: string;
  readonly format: "plain" | "html";
}

/** An attachment of a received message. The sender chose its name and its type. */
export interface ReceivedAttachment {
  readonly name: string;
  readonly type: string;
  readonly bytes: number;
}

const maxParts = 200;

/** Returns the part with the text, plain text before HTML, and the attachments. */
export function listParts(structure: MessageStructureObject | undefined): {
  readonly text: TextPart | undefined;
  readonly attachments: ReceivedAttachment[];
} {
  const leaves = structure ? listLeaves(structure).slice(0, maxParts) : [];
  const texts = leaves.filter(isText);
  const text = texts.find(({ type }) => type === "text/plain") ?? texts[0];
  return {
    text: text && { part: text.part ?? "1", format: text.type === "text/plain" ? "plain" : "html" },
    attachments: leaves.filter((leaf) => !isText(leaf)).map(describePart),
  };
}

function listLeaves(node: MessageStructureObject): MessageStructureObject[] {
  // The parts of an attached message belong to that message.
  const isContainer = node.type.startsWith("multipart/");
  return isContainer ? (node.childNodes ?? []).flatMap(listLeaves) : [node];
}

function isText({ type, disposition }: MessageStructureObject): boolean {
  return ["text/plain", "text/html"].includes(type) && disposition !== "attachment";
}

function describePart({ type, size = 0, parameters, dispositionParameters }: MessageStructureObject) {
  const name = dispositionParameters?.filename ?? parameters?.name ?? "";
  return {
    name: escapeInvisible(name.toWellFormed()).slice(0, 200).toWellFormed(),
    type: escapeInvisible(type.toWellFormed()).slice(0, 150).toWellFormed(),
    bytes: size,
  };
}

import type { JsonObject } from "@paraph/core";
import { escapeInvisible } from "@paraph/core/escape-invisible";
import type { FetchMessageObject, FetchQueryObject, MessageAddressObject } from "imapflow";
import { z } from "zod";
import { formatReference, type MessageReference } from "./message-id.ts";

const maxNameLength = 200;
const maxSubjectLength = 500;
const maxAddresses = 100;

/** The fields that a summary needs. None of them marks the message as read. */
export const summaryQuery = {
  envelope: true,
  flags: true,
  size: true,
  internalDate: true,
} as const satisfies FetchQueryObject;

const senderOutput = z.object({ name: z.string().optional(), address: z.string() });

/** The schema of a summary. Everything in it except `message` was written by other people. */
export const summaryOutput = z.object({
  message: z.string().describe("reference for other calls"),
  messageId: z.string().optional(),
  from: z.array(senderOutput),
  to: z.array(senderOutput),
  cc: z.array(senderOutput),
  subject: z.string(),
  date: z.string().optional().describe("when the server received the message"),
  bytes: z.int(),
  labels: z.array(z.string()),
});

export type MessageSummary = z.output<typeof summaryOutput>;

/** Summarises a message. Hidden characters of foreign text become visible, and long texts are cut. */
export function summarizeMessage(
  { uidValidity, folder }: Pick<MessageReference, "uidValidity" | "folder">,
  { uid, envelope = {}, flags = new Set(), size = 0, internalDate }: FetchMessageObject,
): MessageSummary {
  const at = internalDate === undefined ? Number.NaN : new Date(internalDate).getTime();
  return {
    message: formatReference({ uid, uidValidity, folder }),
    ...(envelope.messageId && { messageId: toLine(envelope.messageId, maxSubjectLength) }),
    from: toSenders(envelope.from),
    to: toSenders(envelope.to),
    cc: toSenders(envelope.cc),
    subject: toLine(envelope.subject ?? "", maxSubjectLength),
    ...(Number.isFinite(at) && { date: new Date(at).toISOString() }),
    bytes: size,
    labels: toLabels(flags),
  };
}

/** Describes a message of the mailbox in a preview. */
export function describeFoundMessage({ message, from, subject, date }: MessageSummary): JsonObject {
  return { message, from: from.map(({ address }) => address), subject, ...(date !== undefined && { date }) };
}

export function toSenders(addresses: readonly MessageAddressObject[] = []): MessageSummary["from"] {
  return addresses.slice(0, maxAddresses).map(({ name, address = "" }) => ({
    ...(name && { name: toLine(name, maxNameLength) }),
    address: toLine(address, 320),
  }));
}

function toLine(text: string, maxLength: number): string {
  return escapeInvisible(text.toWellFormed()).slice(0, maxLength).toWellFormed();
}

const systemLabels: Readonly<Record<string, string>> = {
  "\\Seen": "seen",
  "\\Flagged": "flagged",
  "\\Answered": "answered",
  "\\Draft": "draft",
  "\\Deleted": "deleted",
};

/** The labels that calls may change, besides the keywords of the mailbox. */
export const changeableSystemLabels = ["seen", "flagged", "answered"] as const;

/** Returns the labels of a message: the keywords, and the system flags under their plain names. */
export function toLabels(flags: ReadonlySet<string>): string[] {
  const labels = [...flags].flatMap((flag) => (flag.startsWith("\\") ? (systemLabels[flag] ?? []) : flag));
  return labels.map((label) => toLine(label, 100)).sort();
}

export function toFlag(label: string): string {
  const flag = Object.entries(systemLabels).find(([, name]) => name === label);
  return flag?.[0] ?? label;
}

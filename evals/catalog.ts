import { type Capability, defineCapability } from "@paraph/core";
import { z } from "zod";

const path = z.string().describe("path relative to the root");

/** The capabilities that policy could allow the requester of the evaluation. */
export const allowedCapabilities: readonly Capability[] = [
  defineSample("files.read", "Read a file", { path }),
  defineSample("files.write", "Write a file", { path, content: z.string() }),
  defineSample("files.delete", "Delete a file or a folder", { path, recursive: z.boolean().optional() }),
  defineSample("files.move", "Move or rename a file or a folder", { from: path, to: path }),
  defineSample("files.copy", "Copy a file", { from: path, to: path }),
  defineSample("billing.refund", "Refund a payment", {
    payment: z.string(),
    cents: z.int().positive(),
    currency: z.enum(["EUR", "USD", "CAD"]).optional(),
    reason: z.string().optional(),
  }),
  defineSample("mail.send", "Send a mail", { to: z.array(z.email()), subject: z.string(), body: z.string() }),
  defineSample("calendar.schedule", "Schedule a meeting", {
    title: z.string(),
    start: z.iso.datetime(),
    minutes: z.int().optional(),
  }),
  defineSample("hr.leave", "Request leave", { day: z.iso.date() }),
  defineSample("crm.delete", "Delete a contact", { contact: z.string() }),
  defineSample("crm.note", "Add a note to a contact", { contact: z.string(), note: z.string() }),
  defineSample("group.change", "Add members to a group or remove them", {
    group: z.string(),
    add: z.array(z.string()).optional(),
    remove: z.array(z.string()).optional(),
  }),
  defineSample("ops.restart", "Restart a service", { service: z.string() }),
];

/** Defines a capability that does nothing. */
export function defineSample(name: string, summary: string, fields: z.ZodRawShape): Capability {
  return defineCapability({
    name,
    version: 1,
    summary,
    effect: "write",
    idempotency: "natural",
    input: z.strictObject(fields),
    output: z.null(),
    apply: async () => null,
  });
}

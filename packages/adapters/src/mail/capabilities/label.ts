import { type Capability, defineCapability } from "@paraph/core";
import { z } from "zod";
import { throwIfStopped } from "../../throw-if-stopped.ts";
import type { ImapSession } from "../connection/imap-session.ts";
import { mailFault } from "../connection/mail-fault.ts";
import { runProbe } from "../connection/run-probe.ts";
import { withImap } from "../connection/with-imap.ts";
import type { MailContext } from "../context.ts";
import { changeableSystemLabels, describeFoundMessage, toFlag, toLabels } from "../messages/describe.ts";
import { findMessage, identifyMessage } from "../messages/find-message.ts";
import { type MessageReference, messageInput, parseReference } from "../messages/message-id.ts";
import { requireSameBasis } from "./same-basis.ts";

const labelList = z
  .array(
    z
      .string()
      .regex(/^[A-Za-z0-9$_][A-Za-z0-9$_.-]{0,63}$/, "must be a label of letters, digits and `$_.-`")
      .refine((label) => !["draft", "deleted"].includes(label), "this label belongs to the mail server"),
  )
  .max(20)
  .overwrite((labels) => [...new Set(labels)].sort())
  .default([]);

interface LabelChange {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

export function createLabelCapability(mail: MailContext): Capability {
  const name = `${mail.name}.label`;
  return defineCapability({
    name,
    version: 1,
    summary: "Change the labels of a message",
    effect: "write",
    risk: "low",
    idempotency: "probe",
    timeout: mail.config.timeout,
    input: z
      .strictObject({
        message: messageInput,
        add: labelList.describe(
          `labels to add: IMAP keywords, or ${changeableSystemLabels.map((label) => `\`${label}\``).join(", ")}`,
        ),
        remove: labelList.describe("labels to remove"),
      })
      .refine(({ add, remove }) => !add.some((label) => remove.includes(label)), "a label is in both lists"),
    output: z.object({ added: z.array(z.string()), removed: z.array(z.string()) }),
    headline: ({ add, remove }, preview) => {
      const { subject } = (preview?.changes[0]?.details ?? {}) as { readonly subject?: string };
      return `Label ${subject === undefined ? "a message" : `“${subject}”`}: ${formatChange({ add, remove })}`;
    },
    preview: ({ message, add, remove }, context) =>
      withImap(mail, context, async (session) => {
        const { summary, basis } = await readLabelBasis(session, parseReference(message), { add, remove });
        const change = findEffectiveChange(basis.labels, { add, remove });
        return {
          changes: [
            {
              kind: "update",
              target: summary.message,
              summary: `Label “${summary.subject}”: ${formatChange(change)}`,
              details: { ...describeFoundMessage(summary), add: [...change.add], remove: [...change.remove] },
            },
          ],
          basis,
        };
      }),
    apply: ({ message, add, remove }, context) =>
      withImap(mail, context, async (session) => {
        const reference = parseReference(message);
        const { basis } = await readLabelBasis(session, reference, { add, remove });
        requireSameBasis(context, basis);
        const change = findEffectiveChange(basis.labels, { add, remove });
        await session.openFor(reference, "write");
        throwIfStopped(context);
        await session.addFlags(reference.uid, change.add.map(toFlag));
        await session.removeFlags(reference.uid, change.remove.map(toFlag));
        if (!(await hasLabels(session, reference, change)))
          throw mailFault("ambiguous", "labels-changed", "The labels are not as requested after the change.");
        return { added: [...change.add], removed: [...change.remove] };
      }),
    probe: ({ message, add, remove }, context) =>
      runProbe(mail, context, async (session) => {
        const reference = parseReference(message);
        const approved = z.object({ labels: z.array(z.string()) }).safeParse(context.basis);
        if (!approved.success) return { kind: "unsure" };
        const change = findEffectiveChange(approved.data.labels, { add, remove });
        await session.openFor(reference);
        if (!(await hasLabels(session, reference, { add, remove }))) return { kind: "absent" };
        return { kind: "present", output: { added: [...change.add], removed: [...change.remove] } };
      }),
    undo: ({ message }, { added, removed }) =>
      added.length + removed.length === 0
        ? undefined
        : { capability: name, input: { message, add: removed, remove: added } },
  });
}

/**
 * Reads the labels that the change depends on. Reading a message in a mail client sets `seen`, which matters only if the
 * call changes it.
 */
async function readLabelBasis(
  session: ImapSession,
  reference: MessageReference,
  { add, remove }: LabelChange,
) {
  const { summary } = await findMessage(session, reference);
  const touched = [...add, ...remove];
  const labels = summary.labels.filter((label) => label !== "seen" || touched.includes("seen"));
  return { summary, basis: { ...identifyMessage(summary), labels } };
}

/** Returns the part of a change that the message does not have yet. */
function findEffectiveChange(labels: readonly string[], { add, remove }: LabelChange): LabelChange {
  return {
    add: add.filter((label) => !labels.includes(label)),
    remove: remove.filter((label) => labels.includes(label)),
  };
}

async function hasLabels(
  session: ImapSession,
  { uid }: MessageReference,
  { add, remove }: LabelChange,
): Promise<boolean> {
  const found = await session.fetch(uid, { flags: true });
  const labels = toLabels(found?.flags ?? new Set());
  return (
    found !== undefined &&
    add.every((label) => labels.includes(label)) &&
    !remove.some((label) => labels.includes(label))
  );
}

function formatChange({ add, remove }: LabelChange): string {
  const parts = [
    ...(add.length > 0 ? [`add ${add.join(", ")}`] : []),
    ...(remove.length > 0 ? [`remove ${remove.join(", ")}`] : []),
  ];
  return parts.length === 0 ? "no change" : parts.join("; ");
}

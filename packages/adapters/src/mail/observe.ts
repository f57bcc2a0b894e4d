import { CapabilityError, type Observation, type ObservationPage, type ObserveContext } from "@paraph/core";
import { withImap } from "./connection/with-imap.ts";
import type { MailContext } from "./context.ts";
import { type MessageSummary, summarizeMessage, summaryQuery } from "./messages/describe.ts";

const pageSize = 50;

/**
 * Returns a function that reports the messages that arrived in a folder since the cursor. The cursor is the UIDVALIDITY
 * of the folder and the last UID. The first poll reports no message, because a mailbox can have many years of them. If
 * the folder was created again, the poll reports that and continues with its new messages.
 */
export function createMailObserver(
  mail: MailContext,
): (cursor: string | undefined, context: ObserveContext) => Promise<ObservationPage> {
  const folder = mail.config.watch;
  return (cursor, context) =>
    withImap(mail, context, async (session) => {
      const { uidValidity, uidNext } = await session.open(folder);
      const current = String(uidValidity);
      const known = cursor === undefined ? undefined : parseCursor(cursor);
      if (known?.uidValidity !== current) {
        const id = `${current}.0.${folder}`;
        const reset: Observation = { id, kind: "folder.replaced", subject: folder, data: {} };
        return { observations: known ? [reset] : [], cursor: `${current}.${uidNext - 1}` };
      }
      // `n:*` also returns the last message if its UID is below n.
      const found = await session.search({ uid: `${known.lastUid + 1}:*` });
      const fresh = found.filter((uid) => uid > known.lastUid);
      const page = fresh.slice(0, pageSize);
      const messages = await session.fetchAll(page, summaryQuery);
      return {
        observations: messages
          .toSorted((a, b) => a.uid - b.uid)
          .map((message) => toObservation(summarizeMessage({ uidValidity: current, folder }, message))),
        cursor: `${current}.${page.at(-1) ?? known.lastUid}`,
        more: fresh.length > pageSize,
      };
    });
}

function toObservation(summary: MessageSummary): Observation {
  const { message, date, subject } = summary;
  return {
    id: message,
    kind: "message.received",
    subject,
    ...(date !== undefined && { at: Date.parse(date) }),
    data: JSON.parse(JSON.stringify(summary)),
  };
}

function parseCursor(cursor: string): { readonly uidValidity: string; readonly lastUid: number } {
  const [, uidValidity, lastUid] = /^(\d{1,10})\.(\d{1,10})$/.exec(cursor) ?? [];
  if (uidValidity !== undefined) return { uidValidity, lastUid: Number(lastUid) };
  throw new CapabilityError(
    "permanent",
    "cursor-invalid",
    "The cursor was written by another version of this adapter.",
  );
}

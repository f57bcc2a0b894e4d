import type { ImapSession } from "../connection/imap-session.ts";

/** The maximum number of sent messages that are compared for one recipient. */
const maxCompared = 50;

/**
 * Returns the recipients to whom no message in the folder was sent. The server matches parts of addresses, such as
 * `ana@example.org` in `mariana@example.org`, so the addresses are compared in full. A recipient whose messages are not
 * among the newest matches counts as new, because a needless warning does no harm.
 */
export async function findNewRecipients(
  session: ImapSession,
  sentFolder: string,
  recipients: readonly string[],
): Promise<readonly string[]> {
  await session.open(sentFolder);
  const fresh: string[] = [];
  for (const recipient of recipients) {
    const fields = ["to", "cc", "bcc"] as const;
    const found = await session.search({ or: fields.map((field) => ({ [field]: recipient })) });
    const messages = await session.fetchAll(found.slice(-maxCompared), { envelope: true });
    const known = messages
      .flatMap(({ envelope }) => fields.flatMap((field) => envelope?.[field] ?? []))
      .some(({ address }) => address?.toLowerCase() === recipient.toLowerCase());
    if (!known) fresh.push(recipient);
  }
  return fresh;
}

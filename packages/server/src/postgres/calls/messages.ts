import { canonical } from "@paraph/core";
import type { Pool } from "pg";
import type { RowChange } from "../identity/people.ts";

export type StoredMessageKind = "comment" | "question" | "answer";

export interface NewStoredMessage {
  readonly id: string;
  readonly call: string;
  readonly by: string;
  readonly kind: StoredMessageKind;
  readonly text: string;
  readonly salt: string;
}

/** A message about a call, numbered in the order of arrival. It has no `text` after an erasure. */
export interface StoredMessage {
  readonly id: string;
  readonly seq: number;
  readonly by: string;
  readonly kind: StoredMessageKind;
  readonly at: number;
  readonly text?: string;
}

/** The messages that people and the agent exchange about a call. */
export interface MessageStore {
  /**
   * Appends a message. A repetition with the same id appends nothing. While the call waits for approvers, an event also
   * records the message. Returns `unknown` if the call does not exist, and `taken` if another message has the id.
   */
  append(
    tenant: string,
    message: NewStoredMessage,
  ): Promise<{ readonly changed: RowChange; readonly message?: StoredMessage }>;
  /** Lists messages in their order. If `after` is given, it lists only the messages with a greater number. */
  list(
    tenant: string,
    call: string,
    page: { readonly after?: number; readonly limit: number },
  ): Promise<readonly StoredMessage[]>;
}

/** Creates the message store on PostgreSQL. */
export function createMessageStore(app: Pool): MessageStore {
  const one = async (text: string, values: unknown[]) => (await app.query(text, values)).rows[0].it;
  return {
    async append(tenant, { text, ...given }) {
      const document = JSON.stringify({ ...given, body: canonical(text) });
      const { changed, message } = await one("select paraph.append_message($1, $2) as it", [
        tenant,
        document,
      ]);
      return { changed, ...(message && { message: toStoredMessage(message) }) };
    },
    async list(tenant, call, { after, limit }) {
      const values = [tenant, call, after ?? 0, limit];
      const rows: MessageRow[] = await one("select paraph.list_messages($1, $2, $3, $4) as it", values);
      return rows.map(toStoredMessage);
    },
  };
}

interface MessageRow extends Omit<StoredMessage, "text"> {
  /**
   * The text as canonical JSON, like payloads. PostgreSQL's own JSON type would reject some characters that a text may
   * hold.
   */
  readonly body: string | null;
}

function toStoredMessage({ body, ...row }: MessageRow): StoredMessage {
  return { ...row, ...(body !== null && { text: JSON.parse(body) }) };
}

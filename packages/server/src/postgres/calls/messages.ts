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

/** What was said, in the order it was said in. Without `text`: it was erased. */
export interface StoredMessage {
  readonly id: string;
  readonly seq: number;
  readonly by: string;
  readonly kind: StoredMessageKind;
  readonly at: number;
  readonly text?: string;
}

/** What people and the agent say to each other about a call. */
export interface MessageStore {
  /** Sent twice, it is said once, and is on record of a call that people are asked about. `unknown`: no such call; `taken`: the id is another message's. */
  append(
    tenant: string,
    message: NewStoredMessage,
  ): Promise<{ readonly changed: RowChange; readonly message?: StoredMessage }>;
  /** `after`: only what was said after that. */
  list(
    tenant: string,
    call: string,
    page: { readonly after?: number; readonly limit: number },
  ): Promise<readonly StoredMessage[]>;
}

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
  /** As payloads are kept: canonical JSON, because a text may hold what the database's own would refuse. */
  readonly body: string | null;
}

function toStoredMessage({ body, ...row }: MessageRow): StoredMessage {
  return { ...row, ...(body !== null && { text: JSON.parse(body) }) };
}

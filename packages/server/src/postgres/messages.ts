import { canonical } from "@paraph/core";
import type { Pool } from "pg";
import type { Changed } from "./people.ts";

export type MessageKind = "comment" | "question" | "answer";

export interface NewMessage {
  readonly id: string;
  readonly call: string;
  readonly by: string;
  readonly kind: MessageKind;
  readonly text: string;
  readonly salt: string;
}

/** What was said, in the order it was said in. Without `text`: it was erased. */
export interface Message {
  readonly id: string;
  readonly seq: number;
  readonly by: string;
  readonly kind: MessageKind;
  readonly at: number;
  readonly text?: string;
}

/** What people and the agent say to each other about a call. */
export interface Thread {
  /** Sent twice, it is said once, and is on record of a call that people are asked about. `unknown`: no such call; `taken`: the id is another message's. */
  append(
    tenant: string,
    message: NewMessage,
  ): Promise<{ readonly changed: Changed; readonly message?: Message }>;
  /** `after`: only what was said after that. */
  list(
    tenant: string,
    call: string,
    page: { readonly after?: number; readonly limit: number },
  ): Promise<readonly Message[]>;
}

export function threadIn(app: Pool): Thread {
  const one = async (text: string, values: unknown[]) => (await app.query(text, values)).rows[0].it;
  return {
    async append(tenant, { text, ...given }) {
      const document = JSON.stringify({ ...given, body: canonical(text) });
      const { changed, message } = await one("select paraph.append_message($1, $2) as it", [
        tenant,
        document,
      ]);
      return { changed, ...(message && { message: messageFrom(message) }) };
    },
    async list(tenant, call, { after, limit }) {
      const values = [tenant, call, after ?? 0, limit];
      const rows: Row[] = await one("select paraph.list_messages($1, $2, $3, $4) as it", values);
      return rows.map(messageFrom);
    },
  };
}

interface Row extends Omit<Message, "text"> {
  /** As payloads are kept: canonical JSON, because a text may hold what the database's own would refuse. */
  readonly body: string | null;
}

function messageFrom({ body, ...row }: Row): Message {
  return { ...row, ...(body !== null && { text: JSON.parse(body) }) };
}

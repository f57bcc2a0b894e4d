import type { Pool } from "pg";
import type { Database } from "../database.ts";

/** The record of replies: tokens, replies, their answers, and how far each mailbox was read. */
export interface ReplyStore {
  createToken(token: Omit<ReplyToken, "request">): Promise<void>;
  findToken(digest: string): Promise<ReplyToken | RequestToken | undefined>;
  /**
   * Takes a reply before its effect, so that a crash can neither lose nor repeat it. `done`: handled earlier. `again`: a
   * process took it and may have died. `used`: another reply approved or confirmed with the same token.
   */
  take(
    token: Pick<ReplyToken, "tenant" | "digest">,
    id: string,
    wish: string,
  ): Promise<"new" | "again" | "done" | "used">;
  /** Records how a reply ended. With a code it had no effect, and Paraph answers. */
  end(tenant: string, id: string, code: string | undefined): Promise<void>;
  listDueAnswers(limit: number): Promise<readonly { readonly tenant: string; readonly id: string }[]>;
  /** Begins an attempt to send an answer. Returns undefined if there is none to send. */
  beginAnswer(tenant: string, id: string): Promise<DueAnswer | undefined>;
  markAnswered(tenant: string, id: string): Promise<void>;
  findPlace(mailbox: string): Promise<MailPlace | undefined>;
  setPlace(mailbox: string, place: MailPlace): Promise<void>;
}

/** The token in the reply address of a mail about an approval. */
export interface ReplyToken {
  readonly tenant: string;
  /** The SHA-256 of the token. */
  readonly digest: string;
  readonly notice: string;
  /** The person who got the mail. */
  readonly recipient: string;
  readonly request: null;
  readonly call: string;
  readonly approval: string;
  /** The digest of the round that the mail showed. */
  readonly roundDigest: string;
  /** Whether the mail showed every change in full. */
  readonly complete: boolean;
  readonly expiresAt: number;
}

/** The token in the reply address of a mail that answers a request by mail. `roundDigest` is the digest of the plan. */
export interface RequestToken extends Omit<ReplyToken, "request" | "call" | "approval"> {
  readonly request: string;
}

/** An answer to a reply that had no effect. It is about an approval, or about a request by mail. */
export interface DueAnswer {
  readonly code: string;
  readonly notice: string;
  readonly recipient: string;
  readonly approval: string | null;
  readonly request: string | null;
}

/** The position up to which a mailbox was read. If its validity changes, the server has numbered the messages again. */
export interface MailPlace {
  readonly uidValidity: bigint;
  readonly lastUid: number;
}

const answerWaitMs = 5_000;

/** Creates the record of replies on PostgreSQL. */
export function createReplyStore({ app, sweeper }: Pick<Database, "app" | "sweeper">): ReplyStore {
  return {
    async createToken(token) {
      const { tenant, digest, notice, recipient, call, approval, roundDigest, complete, expiresAt } = token;
      await queryOne(app, "select paraph.reply_token_create($1, $2, $3, $4, $5, $6, $7, $8, $9) as it", [
        ...[tenant, digest, notice, recipient, call, approval, roundDigest, complete, new Date(expiresAt)],
      ]);
    },
    async findToken(digest) {
      const text = "select tenant from paraph.reply_token where digest = $1";
      const [row] = (await sweeper.query<{ tenant: string }>(text, [digest])).rows;
      if (!row) return undefined;
      const found = "select paraph.reply_token_find($1, $2) as it";
      return (
        (await queryOne<ReplyToken | RequestToken | null>(app, found, [row.tenant, digest])) ?? undefined
      );
    },
    take: ({ tenant, digest }, id, wish) =>
      queryOne(app, "select paraph.reply_take($1, $2, $3, $4) as it", [tenant, id, digest, wish]),
    end: (tenant, id, code) =>
      queryOne(app, "select paraph.reply_end($1, $2, $3) as it", [tenant, id, code ?? null]),
    async listDueAnswers(limit) {
      const text =
        "select tenant, id from paraph.reply where answer_at <= paraph.now() order by answer_at limit $1";
      return (await sweeper.query(text, [limit])).rows;
    },
    beginAnswer: async (tenant, id) =>
      (await queryOne<DueAnswer | null>(app, "select paraph.reply_answer($1, $2, $3) as it", [
        ...[tenant, id, answerWaitMs],
      ])) ?? undefined,
    markAnswered: (tenant, id) => queryOne(app, "select paraph.reply_answered($1, $2) as it", [tenant, id]),
    async findPlace(mailbox) {
      const text = "select uid_validity, last_uid from paraph.mail_place where mailbox = $1";
      const [row] = (await app.query<{ uid_validity: string; last_uid: string }>(text, [mailbox])).rows;
      return row && { uidValidity: BigInt(row.uid_validity), lastUid: Number(row.last_uid) };
    },
    setPlace: (mailbox, { uidValidity, lastUid }) =>
      queryOne(app, "select paraph.mail_place_set($1, $2, $3) as it", [mailbox, `${uidValidity}`, lastUid]),
  };
}

async function queryOne<T>(app: Pool, text: string, values: unknown[]): Promise<T> {
  return (await app.query(text, values)).rows[0].it;
}

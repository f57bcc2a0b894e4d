import type { Envelope, Json } from "@paraph/core";
import { findEnvelope } from "../calls/call-queries.ts";
import type { Database } from "../database.ts";

/** The record of requests by mail. Each method is one transaction and may be repeated. */
export interface MailRequestStore {
  /** Returns the person whose registered mail address this is, if exactly one person has it. */
  findPerson(tenant: string, address: string): Promise<string | undefined>;
  /**
   * Records a request that arrived by mail. `received`: Paraph has to understand its words. `limited`: the person sent
   * too many mails within an hour. `done`: the mail was handled earlier, or its fault is recorded and gets an answer.
   */
  open(request: NewMailRequest): Promise<"received" | "limited" | "done">;
  find(tenant: string, id: string): Promise<MailRequest | undefined>;
  /** Records the meaning of the words of a round. The answer mail is then due. */
  recordMeaning(request: Pick<MailRequest, "tenant" | "id" | "round">, meaning: MailMeaning): Promise<void>;
  /** Begins the next round with a reply to questions. Returns false if another reply was faster. */
  beginRound(
    request: Pick<MailRequest, "tenant" | "id" | "round" | "words" | "answers">,
    reply: string,
  ): Promise<boolean>;
  /** Records the call of a confirmed plan, and deletes the content of the request. */
  recordCall(request: Pick<MailRequest, "tenant" | "id">, call: string): Promise<void>;
  /** Records that a reply requested the undo of a request. It has an outcome, as a request has. */
  openUndo(
    undo: Pick<NewMailRequest, "tenant" | "id" | "person" | "messageId" | "subject"> & {
      readonly call: string;
    },
  ): Promise<void>;
  /** Closes a request without a mail, and deletes its content. */
  close(request: Pick<MailRequest, "tenant" | "id">, code: string): Promise<void>;
  /** Returns requests with a mail to send or an expiry, of all tenants. */
  listDue(limit: number): Promise<readonly Pick<MailRequest, "tenant" | "id">[]>;
  /** Begins an attempt to send the mail that is due. Returns undefined if none is. Closes an expired request. */
  beginAttempt(request: Pick<MailRequest, "tenant" | "id">): Promise<MailRequest | undefined>;
  createToken(token: MailRequestToken): Promise<void>;
  /** Returns the signed receipt of a call. */
  findReceipt(tenant: string, call: string): Promise<Envelope | undefined>;
  /** Records that the mail of this state and round was sent. */
  markSent(request: Pick<MailRequest, "tenant" | "id" | "round" | "state">): Promise<void>;
}

/** A request that arrived by mail. */
export interface NewMailRequest {
  readonly tenant: string;
  readonly id: string;
  readonly person: string;
  /** The Message-ID and the subject of the mail, for the thread. */
  readonly messageId: string | undefined;
  readonly subject: string;
  readonly words: string;
  /** Why Paraph cannot read the words. */
  readonly code: string | undefined;
  readonly maxPerHour: number;
}

/** A request by mail. Its content is null once the request is closed. */
export interface MailRequest {
  readonly tenant: string;
  readonly id: string;
  readonly person: string;
  readonly state: "received" | "question" | "plan" | "submitted" | "closed";
  readonly round: number;
  /** The reply that began the round. */
  readonly reply: string | null;
  readonly code: string | null;
  readonly call: string | null;
  readonly messageId: string | null;
  readonly subject: string | null;
  readonly words: string | null;
  readonly answers: readonly { readonly step: number; readonly field: string; readonly value: string }[];
  readonly result: Json | null;
  readonly expiresAt: number;
}

/** The meaning of the words. A code says why there is neither a question nor a plan. */
export type MailMeaning =
  | { readonly state: "question" | "plan"; readonly result: Json }
  | { readonly state: "closed"; readonly code: string };

/** The token in the reply address of an answer mail. */
export interface MailRequestToken {
  readonly tenant: string;
  /** The SHA-256 of the token. */
  readonly digest: string;
  /** The id of the answer mail. */
  readonly notice: string;
  readonly recipient: string;
  readonly request: string;
  /** The digest of the plan that the mail showed. Empty if it showed none. */
  readonly planDigest: string;
  /** Whether the mail showed the whole plan, so that a reply may confirm it. */
  readonly complete: boolean;
  readonly expiresAt: number;
}

const attemptWaitMs = 5_000;
/** The time that a person has for the replies to one request. */
export const requestLastingMs = 24 * 3_600_000;

/** Creates the record of requests by mail on PostgreSQL. */
export function createMailRequestStore({
  app,
  sweeper,
}: Pick<Database, "app" | "sweeper">): MailRequestStore {
  const queryOne = async <T>(text: string, values: readonly unknown[]): Promise<T> =>
    (await app.query(`select ${text} as it`, [...values])).rows[0].it;
  return {
    findPerson: async (tenant, address) =>
      (await queryOne<string | null>("paraph.mail_person($1, $2)", [tenant, address])) ?? undefined,
    open: ({ tenant, id, person, messageId, subject, words, code, maxPerHour }) =>
      queryOne("paraph.mail_request_open($1, $2, $3, $4, $5, $6, $7, $8, $9)", [
        ...[
          tenant,
          id,
          person,
          messageId ?? null,
          subject,
          words,
          code ?? null,
          maxPerHour,
          requestLastingMs,
        ],
      ]),
    find: async (tenant, id) =>
      (await queryOne<MailRequest | null>("paraph.mail_request_find($1, $2)", [tenant, id])) ?? undefined,
    recordMeaning: ({ tenant, id, round }, meaning) =>
      queryOne("paraph.mail_request_understood($1, $2, $3, $4, $5, $6)", [
        ...[tenant, id, round, meaning.state],
        ...(meaning.state === "closed" ? [meaning.code, null] : [null, JSON.stringify(meaning.result)]),
      ]),
    beginRound: ({ tenant, id, round, words, answers }, reply) =>
      queryOne("paraph.mail_request_continue($1, $2, $3, $4, $5, $6)", [
        ...[tenant, id, round, reply, words, JSON.stringify(answers)],
      ]),
    recordCall: ({ tenant, id }, call) =>
      queryOne("paraph.mail_request_submitted($1, $2, $3)", [tenant, id, call]),
    openUndo: ({ tenant, id, person, messageId, subject, call }) =>
      queryOne("paraph.mail_request_undo($1, $2, $3, $4, $5, $6, $7)", [
        ...[tenant, id, person, messageId ?? null, subject, call, requestLastingMs],
      ]),
    close: ({ tenant, id }, code) => queryOne("paraph.mail_request_close($1, $2, $3)", [tenant, id, code]),
    async listDue(limit) {
      const text = `select r.tenant, r.id from paraph.mail_request r
        where r.due_at <= paraph.now() and (r.state <> 'submitted'
          or exists (select from paraph.call c where c.tenant = r.tenant and c.id = r.call and c.state = 'closed'))
        order by r.due_at limit $1`;
      return (await sweeper.query(text, [limit])).rows;
    },
    beginAttempt: async ({ tenant, id }) =>
      (await queryOne<MailRequest | null>("paraph.mail_request_attempt($1, $2, $3)", [
        ...[tenant, id, attemptWaitMs],
      ])) ?? undefined,
    createToken: ({ tenant, digest, notice, recipient, request, planDigest, complete, expiresAt }) =>
      queryOne("paraph.mail_request_token($1, $2, $3, $4, $5, $6, $7, $8)", [
        ...[tenant, digest, notice, recipient, request, planDigest, complete, new Date(expiresAt)],
      ]),
    findReceipt: (tenant, call) => findEnvelope(app, tenant, call),
    markSent: ({ tenant, id, round, state }) =>
      queryOne("paraph.mail_request_sent($1, $2, $3, $4)", [tenant, id, round, state]),
  };
}

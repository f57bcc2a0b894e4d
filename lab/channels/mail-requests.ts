import { digestMail } from "../../packages/server/src/channels/mail/in/assess-reply.ts";
import { replyAddress } from "../../packages/server/src/channels/mail/in/testing/draft.ts";
import type { LabHistory } from "../history/history.ts";
import { filterPerformed } from "../history/history-index.ts";
import { isPlan } from "../history/plans.ts";
import type { LabCluster } from "../lab-cluster.ts";
import type { Inbox } from "./inbox.ts";
import type { MailReceiver } from "./mail-receiver.ts";

interface Course {
  readonly text: (name: string) => string;
  /** The replies to each answer mail with a question or a plan. */
  readonly replies: readonly (readonly string[])[];
  /** The endings of the ids of the answer mails. */
  readonly answers: readonly string[];
  /** The recorded code of each confirmation. A confirmation that counted has none. */
  readonly confirmations: readonly (string | null)[];
  /** The code with which the request closes, if its plan is not requested. */
  readonly code: string | null;
}

const askWhole = (name: string) => `free.keyed name "${name}"`;

/** The courses of a request by mail. */
export const requestCourses = {
  /** The person confirms the plan twice, and only the first reply counts. */
  confirmed: {
    text: askWhole,
    replies: [["confirm", "confirm"]],
    answers: ["1", "outcome"],
    confirmations: [null, "request-used"],
    code: null,
  },
  /** The person answers a question and then confirms the plan. */
  completed: {
    text: () => "free.keyed",
    replies: [["NAME"], ["confirm"]],
    answers: ["1", "2", "outcome"],
    confirmations: [null],
    code: null,
  },
  cancelled: {
    text: askWhole,
    replies: [["cancel"]],
    answers: ["1"],
    confirmations: [],
    code: "cancelled",
  },
  /** The person never confirms the plan. */
  ignored: { text: askWhole, replies: [], answers: ["1"], confirmations: [], code: "expired" },
  /** The mail has no words. */
  empty: { text: () => "", replies: [], answers: ["1"], confirmations: [], code: "empty" },
} as const satisfies Record<string, Course>;

/** A request that a person sent by mail. */
export interface SentMailRequest {
  readonly id: string;
  readonly by: string;
  readonly course: keyof typeof requestCourses;
  /** The name at the oracle, which only this request uses. */
  readonly name: string;
  /** The prefix of the run of the script. */
  readonly prefix: string;
}

const by = "approver";

/** Sends one request of every course. */
export async function sendMailRequests(inbox: Inbox, prefix: string): Promise<readonly SentMailRequest[]> {
  const sent: SentMailRequest[] = [];
  for (const course of Object.keys(requestCourses) as (keyof typeof requestCourses)[]) {
    const name = `${course}-${prefix}`;
    const messageId = `<${name}@lab.test>`;
    const text = requestCourses[course].text(name);
    const raw = await inbox.send(by, { to: replyAddress, subject: name, messageId, text });
    sent.push({ id: `request_${digestMail(raw, ["acme", by, messageId])}`, by, course, name, prefix });
  }
  return sent;
}

/** Replies to the answer mails of a round. */
export async function replyToAnswers(
  inbox: Inbox,
  mails: MailReceiver,
  requests: readonly SentMailRequest[],
  round: number,
): Promise<void> {
  for (const { id, course, name } of requests) {
    const { replies }: Course = requestCourses[course];
    const token = mails.accepted.findLast((mail) => mail.notice === `${id}_${round}` && mail.token)?.token;
    // The judge reports a request without an answer mail.
    if (token === undefined) continue;
    for (const text of replies[round - 1] ?? [])
      await inbox.send(by, { token, text: text.replace("NAME", name) });
  }
}

/** The number of rounds of the longest course. */
export const maxRounds = Math.max(...Object.values(requestCourses).map(({ replies }) => replies.length));

/** A request that a person sent by mail, and its traces. */
export interface MailRequestHistory extends SentMailRequest {
  readonly state: string | undefined;
  readonly code: string | null;
  readonly call: string | null;
  /** The codes of the recorded confirmations. */
  readonly confirmations: readonly (string | null)[];
  /** The numbers of plans and of effects with the name of the request, under any idempotency key. */
  readonly plans: number;
  readonly effects: number;
  /** Whether a process or PostgreSQL died while the request was open. */
  readonly hasCrash: boolean;
}

/** Reads what became of the requests. */
export async function readMailRequests(
  cluster: LabCluster,
  { ledger, oracle }: Pick<LabHistory, "ledger" | "oracle">,
  sent: readonly SentMailRequest[],
  crashed: ReadonlySet<string>,
): Promise<readonly MailRequestHistory[]> {
  const rows = await cluster.query<Pick<MailRequestHistory, "id" | "code" | "call"> & { state: string }>(
    "select id, state, code, call from paraph.mail_request",
  );
  const replies = await cluster.query<{ request: string; code: string | null }>(
    "select request, code from paraph.reply where wish = 'confirm' and state = 'done' order by at",
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  const named = ledger.map((call) => ({ call, input: JSON.stringify(call.payloads.input?.value) ?? "" }));
  return sent.map((request): MailRequestHistory => {
    const { state, code = null, call = null } = byId.get(request.id) ?? {};
    const own = named.filter(({ input }) => input.includes(`"${request.name}"`)).map(({ call }) => call);
    const steps = new Set(own.map((one) => one.call));
    return {
      ...request,
      state,
      code,
      call,
      confirmations: replies.filter((reply) => reply.request === request.id).map((reply) => reply.code),
      plans: own.filter(isPlan).length,
      effects: filterPerformed(oracle).filter((effect) => steps.has(effect.call)).length,
      hasCrash: crashed.has(request.prefix),
    };
  });
}

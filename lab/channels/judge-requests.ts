import { createViolation, type Violation } from "../history/history-index.ts";
import type { AcceptedMail } from "./mail-receiver.ts";
import { type MailRequestHistory, requestCourses } from "./mail-requests.ts";
import { toAddress } from "./notices.ts";

interface RequestsHistory {
  readonly requests: readonly MailRequestHistory[];
  readonly mails: readonly AcceptedMail[];
}

const rules = [
  mailRequestsEnd,
  confirmedPlansHappenOnce,
  confirmationsCountOnce,
  answersArrive,
  answersRepeatOnlyAfterCrash,
  answersBelongToRequests,
];

/** The names of the rules, for the description of a run. */
export const mailRequestRules: readonly string[] = rules.map(({ name }) => name);

/** Compares the requests by mail with the answers that arrived, the plans in the ledger and the effects at the oracle. */
export function judgeMailRequests(history: RequestsHistory): Violation[] {
  return rules.flatMap((rule) =>
    rule(history).map(({ name, call, what }) => createViolation(rule.name, call ?? "", `${name} ${what}`)),
  );
}

type Finding = Pick<MailRequestHistory, "name" | "call"> & { readonly what: string };

const toFinding = ({ name, call }: MailRequestHistory, what: string): Finding => ({ name, call, what });
const isConfirmed = ({ course }: MailRequestHistory): boolean =>
  requestCourses[course].confirmations.length > 0;

function mailRequestsEnd({ requests }: RequestsHistory): Finding[] {
  return requests
    .filter((one) => {
      const isRequested = one.call !== null;
      const { code } = requestCourses[one.course];
      return one.state !== "closed" || one.code !== code || isRequested !== isConfirmed(one);
    })
    .map((one) => toFinding(one, `ended as ${one.state} with ${one.code} and the call ${one.call}`));
}

/** A confirmed request has one plan and one effect. Any other request has none. */
function confirmedPlansHappenOnce({ requests }: RequestsHistory): Finding[] {
  return requests
    .filter((one) => {
      const expected = isConfirmed(one) ? 1 : 0;
      return one.plans !== expected || one.effects !== expected;
    })
    .map((one) => toFinding(one, `led to ${one.plans} plans and ${one.effects} effects`));
}

/** The first confirmation counts. A later one has a code, and the person is told why it had no effect. */
function confirmationsCountOnce({ requests, mails }: RequestsHistory): Finding[] {
  const told = new Set(
    mails.filter(({ notice }) => notice.startsWith("reply_")).map(({ to, thread }) => `${thread} ${to}`),
  );
  return requests.flatMap((one): Finding[] => {
    const expected: readonly (string | null)[] = requestCourses[one.course].confirmations;
    if (expected.join() !== one.confirmations.join())
      return [toFinding(one, `recorded the confirmations ${JSON.stringify(one.confirmations)}`)];
    const isTold = told.has(`${one.id}_1 ${toAddress(one.by)}`);
    return expected.length > 1 && !isTold
      ? [toFinding(one, "refused a confirmation and did not tell the person")]
      : [];
  });
}

const listAnswers = ({ id, course }: MailRequestHistory): readonly string[] =>
  requestCourses[course].answers.map((ending) => `${id}_${ending}`);

function answersArrive({ requests, mails }: RequestsHistory): Finding[] {
  const arrived = new Set(mails.map(({ notice }) => notice));
  return requests.flatMap((one) =>
    listAnswers(one)
      .filter((answer) => !arrived.has(answer))
      .map((answer) => toFinding(one, `did not get the answer ${answer}`)),
  );
}

/** Only a crash between an answer and its record repeats the answer, under the same id. */
function answersRepeatOnlyAfterCrash({ requests, mails }: RequestsHistory): Finding[] {
  const copies = Map.groupBy(mails, ({ notice }) => notice);
  return requests.flatMap((one) =>
    listAnswers(one)
      .filter((answer) => (copies.get(answer)?.length ?? 0) > (one.hasCrash ? 2 : 1))
      .map((answer) => toFinding(one, `got the answer ${answer} ${copies.get(answer)!.length} times`)),
  );
}

/** Each answer has the id of an answer that its request has, and goes to the requester. */
function answersBelongToRequests({ requests, mails }: RequestsHistory): Finding[] {
  const expected = new Set(
    requests.flatMap((one) => listAnswers(one).map((answer) => `${answer} ${toAddress(one.by)}`)),
  );
  return mails
    .filter(({ notice, to }) => notice.startsWith("request_") && !expected.has(`${notice} ${to}`))
    .map(({ notice, to }) => ({ name: notice, call: null, what: `arrived at ${to} and answers no request` }));
}

import { type Mutation, type NamedTest, sqlFunctionPath } from "../mutation.ts";

const channelsPath = (path: string) => `packages/server/src/channels/${path}`;
const channelsTest = (title: string): NamedTest => ({ file: channelsPath("channels.test.ts"), title });
const repliesTest = (title: string): NamedTest => ({
  file: channelsPath("mail/in/replies.test.ts"),
  title,
});

const mailRequestsTest = (title: string): NamedTest => ({
  file: "packages/server/src/postgres/notices/mail-request-store.test.ts",
  title,
});

/** Mutations of how people are told about requests, and of how their replies count. */
export const noticeMutations: readonly Mutation[] = [
  {
    name: "announce a request that was decided",
    file: channelsPath("send-notices.ts"),
    find: 'if (!round || round.id !== notice.approval || round.status !== "open" || call.state !== "asking")',
    replace: "if (!round || round.id !== notice.approval)",
    caughtBy: channelsTest(
      "arrives after an outage, unless the request was decided meanwhile; its outcome is then not told",
    ),
  },
  {
    name: "check the right to decide only when a notice is planned",
    file: channelsPath("send-notices.ts"),
    find: 'return eligible.length > 0 ? undefined : "not-eligible";',
    replace: 'return eligible.length >= 0 ? undefined : "not-eligible";',
    caughtBy: channelsTest(
      "[TRUST 33] is dropped if the recipient lost the right to decide before it was sent",
    ),
  },
  {
    name: "forget the requests that earlier batches announced",
    file: sqlFunctionPath("webhook.sql"),
    find: "    v_times := v_group.noticed;",
    replace: "    v_times := array[]::timestamptz[];",
    caughtBy: channelsTest(
      "[TRUST 19] of one requester and capability count together, whenever Paraph plans them",
    ),
  },
  {
    name: "let one call stop the planning of others",
    file: channelsPath("channel-loop.ts"),
    find: "if (calls.length > 1) {",
    replace: "if (calls.length > 1_000) {",
    caughtBy: channelsTest("is planned although another call cannot be planned"),
  },
  {
    name: "vote again for a reply that was read again",
    file: channelsPath("mail/in/perform-reply.ts"),
    find: "if (await hasVoted(token, by.id, act.kind, ports)) return;",
    replace: "if (act.kind !== act.kind && (await hasVoted(token, by.id, act.kind, ports))) return;",
    caughtBy: repliesTest(
      "[TRUST 4] is read again after a crash between the effect and its record, and the vote counts once",
    ),
  },
  {
    name: "skip a reply that the mail server did not return",
    file: channelsPath("mail/in/imap.ts"),
    find: "if (Array.isArray(left) && !left.includes(uid)) return undefined;",
    replace: "if (Array.isArray(left)) return undefined;",
    caughtBy: repliesTest("does not skip a message whose transfer was lost"),
  },
  {
    name: "read a reply by a content type that is not signed",
    file: channelsPath("mail/in/verify-sender.ts"),
    find: "if (!isFormatSigned(raw, message, proof.signedHeaders)) return",
    replace: "if (!isFormatSigned(raw, message, ['content-type'])) return",
    caughtBy: {
      file: channelsPath("mail/in/reply-corpus.test.ts"),
      title:
        "[TRUST 3] approves only if the approver wrote it for this request: 0 approvals by any other mail",
    },
  },
  {
    name: "take a request by mail from an address of two people",
    file: sqlFunctionPath("mail_request.sql"),
    find: "having count(*) = 1",
    replace: "having count(*) >= 1",
    caughtBy: mailRequestsTest("[TRUST 3] finds the person of an address only if exactly one person has it"),
  },
  {
    name: "request a confirmed plan again after a crash",
    file: channelsPath("mail/requests/perform-request.ts"),
    find: "key: `mail:",
    replace: "key: Date.now() + `mail:",
    caughtBy: {
      file: channelsPath("mail/requests/requests.test.ts"),
      title: "[TRUST 4] is one call if the process dies around a write: confirmation, recordCall",
    },
  },
  {
    name: "record the questions of an earlier round as the answer to a later one",
    file: sqlFunctionPath("mail_request.sql"),
    find: "and round = p_round and state = p_state and state in ('question', 'plan')",
    replace: "and state = p_state and state in ('question', 'plan')",
    caughtBy: mailRequestsTest("does not record a mail of an earlier round as the mail of the next one"),
  },
];

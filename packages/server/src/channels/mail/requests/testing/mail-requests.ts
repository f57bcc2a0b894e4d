import type { Capability, Principal } from "@paraph/core";
import type { Config } from "@paraph/server";
import { eventually } from "../../../../../../../test/support/eventually.ts";
import { MailServer } from "../../../../../../../test/support/mail-server.ts";
import { TestParaph } from "../../../../../../../test/support/servers/test-paraph.ts";
import type { ReceiveContext } from "../../../channel.ts";
import { createHandleDeps } from "../../in/handle-deps.ts";
import { handleMail } from "../../in/handle-mail.ts";
import { type Draft, resolveDns, writeMail } from "../../in/testing/draft.ts";
import { mail } from "../../mail.ts";

const tenant = "acme";
const requestAddress = "agent@paraph.example";
const person = (id: string): Principal => ({ tenant, id, kind: "person", groups: ["support"] });

/** A write before or after which the process dies. */
export interface Death {
  readonly method: string;
  readonly when: "before" | "after";
}

/**
 * Starts Paraph with a mail server, and with a reader of mails that dies where a test says. Ana, Bo and Cy are people with
 * mail addresses. Ana and Bo may send requests.
 */
export async function startMailRequests(
  capabilities: readonly Capability[],
  rules: NonNullable<Config["rules"]>,
) {
  const smtp = await new MailServer().start();
  const options = {
    from: "paraph@paraph.example",
    smtp: { url: smtp.url },
    replies: {
      address: "approvals@paraph.example",
      imap: { url: "imap://127.0.0.1:1", user: "approvals", secret: "imap" },
    },
    requests: {
      tenant,
      address: requestAddress,
      allow: ["ana@example.com", "eve@example.com", "@example.org"],
      maxPerHour: 100,
      maxBytes: 20_000,
    },
  };
  /** The parts of Paraph that the reader of the mailbox uses. */
  const started = Promise.withResolvers<ReceiveContext>();
  const paraph = await TestParaph.start(
    {
      policy: "permissive",
      capabilities: [...capabilities],
      rules,
      channels: [{ ...mail(options), receive: async (context) => started.resolve(context) }],
    },
    [person("ana"), person("bo"), person("cy")],
    { "deployment/imap": "secret" },
  );
  for (const [id, address] of [
    ["ana", "ana@example.com"],
    ["bo", "bo@example.org"],
    ["cy", "cy@example.com"],
  ])
    await paraph.database.query("select paraph.contact_set($1, $2, 'mail', $3, 'administration')", [
      ...[tenant, id, address],
    ]);

  let death: Death | undefined;
  /** Returns the store, which fails at the write that `death` names, as a process that dies there. */
  const dieAt = <Store extends object>(store: Store): Store =>
    new Proxy(store, {
      get(target, method) {
        const member: unknown = Reflect.get(target, method, target);
        if (typeof member !== "function") return member;
        return async (...args: unknown[]) => {
          const dies = death?.method === method ? death.when : undefined;
          if (dies !== undefined) death = undefined;
          if (dies === "before") throw new Error("died");
          const result = await member.apply(target, args);
          if (dies === "after") throw new Error("died");
          return result;
        };
      },
    });
  const context = await started.promise;
  const handleDeps = createHandleDeps(
    options,
    { ...context, mailRequests: dieAt(context.mailRequests), replies: dieAt(context.replies) },
    resolveDns,
  );

  let sent = 0;
  const createMessageId = () => `<request${++sent}@example.com>`;
  /**
   * Handles a mail to the address for requests, or to the address with a token. A process that dies reads the mail again,
   * as the reader of the mailbox does.
   */
  const deliver = async (text: string, more: Partial<Draft> = {}): Promise<void> => {
    const address =
      more.token === undefined ? requestAddress : requestAddress.replace("@", `+${more.token}@`);
    const raw = await writeMail({ text, to: `Agent <${address}>`, messageId: createMessageId(), ...more });
    await handleMail(raw, handleDeps).catch((error: Error) => {
      if (error.message !== "died") throw error;
      return handleMail(raw, handleDeps);
    });
  };
  /** Returns the mails in the thread of a mail, once there are this many. */
  const waitForThread = async (messageId: string, count: number) => {
    const list = () => smtp.received.filter(({ references }) => references.includes(messageId));
    return eventually(() => {
      if (list().length < count) throw new Error(`${list().length} of ${count} mails`);
      return list();
    });
  };
  const readToken = ({ raw }: { readonly raw: string }) =>
    /agent\+([a-z2-7]{32})@paraph\.example/.exec(raw)?.[1] ?? "";
  const listPlans = (): Promise<readonly { id: string; input: string }[]> =>
    paraph.database.query(
      `select c.id, p.body as input from paraph.call c join paraph.payload p on p.call = c.id and p.name = 'input'
       where c.capability = 'plan.apply' order by c.created_at, c.id`,
    ) as never;

  return {
    paraph,
    smtp,
    createMessageId,
    deliver,
    waitForThread,
    readToken,
    listPlans,
    /** Lets the process die at this write, once. */
    dieNext: (next: Death) => {
      death = next;
    },
    willDie: () => death !== undefined,
    /** Sends a request, and returns its thread with the first answer and the token in it. */
    async ask(text: string, more: Partial<Draft> = {}) {
      const thread = createMessageId();
      await deliver(text, { messageId: thread, subject: `Request ${sent}`, ...more });
      const [answer] = await waitForThread(thread, 1);
      return { thread, answer: answer!, token: readToken(answer!) };
    },
    count: async (table: string) =>
      (await paraph.database.query(`select count(*)::int as count from paraph.${table}`))[0]!.count as number,
    listReplies: () =>
      paraph.database.query("select wish, code from paraph.reply where request is not null order by at"),
    async approve(call: string): Promise<void> {
      const { body } = await paraph.request("bo", "GET", `/v1/calls/${call}`);
      const { id, digest } = body.waiting.approval;
      await paraph.request("bo", "POST", `/v1/approvals/${id}/decision`, { decision: "approve", digest });
    },
    async stop() {
      await paraph.stop();
      await smtp.stop();
    },
  };
}

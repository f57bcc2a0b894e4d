import { createNoticeLinks } from "./notice-content.ts";
import type { SendDeps } from "./send-notices.ts";

const batchSize = 20;

/**
 * Answers the replies that had no effect. The answer goes to the registered address of the person who got the notice, and
 * never to the sender of the reply, who may be someone else.
 */
export async function sendAnswers(deps: SendDeps): Promise<void> {
  const { config, channel, notices, replies, rate, ports, signal, url } = deps;
  for (const { tenant, id } of await replies.listDueAnswers(batchSize)) {
    if (signal.aborted || !rate.take(ports.clock.now())) return;
    const answer = await replies.beginAnswer(tenant, id);
    if (!answer) continue;
    const [person] = await notices.listPeople(tenant, config.name, { ids: [answer.recipient], limit: 1 });
    const about = answer.approval === null ? "request" : "approval";
    const page = answer.approval === null ? "/console" : `/approvals/${answer.approval}`;
    const links = createNoticeLinks(url(), page);
    const message = person && {
      id,
      tenant,
      address: person.address,
      content: { kind: "answer", about, code: answer.code, links } as const,
      thread: { id: answer.notice },
    };
    const delivery = message && (await channel.tell(message, signal));
    if (!delivery || delivery.kind === "sent" || delivery.permanent) await replies.markAnswered(tenant, id);
  }
}

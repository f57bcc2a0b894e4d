import { createHash } from "node:crypto";
import {
  acknowledge,
  type Call,
  decide,
  eventsOfKind,
  ParaphError,
  type Ports,
  type Wake,
} from "@paraph/core";
import type { MessageStore } from "../../../postgres/index.ts";
import type { AnswerCode, Assessment } from "./assess-reply.ts";

/** The dependencies of `performReply`. */
export interface PerformDeps {
  readonly ports: Ports;
  readonly messageStore: Pick<MessageStore, "append">;
  /** Notifies the waiters of the call and sends its wakes. */
  readonly announceChange: (call: Call, wakes: readonly Wake[]) => Promise<void>;
}

/**
 * Performs what a reply asks for, with the functions that the page and the API use. They check again whether the person
 * may do it. Returns why it had no effect. Repeating a reply after a crash has no second effect.
 */
export async function performReply(
  reply: Extract<Assessment, { kind: "act" }>,
  deps: PerformDeps,
): Promise<AnswerCode | undefined> {
  try {
    await perform(reply, deps);
    return undefined;
  } catch (error) {
    if (error instanceof ParaphError) return answerCodes[error.code] ?? "page-needed";
    throw error;
  }
}

const answerCodes: Readonly<Partial<Record<ParaphError["code"], AnswerCode>>> = {
  "approval-unknown": "already-decided",
  "approval-closed": "already-decided",
  "approval-changed": "already-decided",
  "approver-not-allowed": "not-allowed",
};

async function perform(
  { token, person, act }: Extract<Assessment, { kind: "act" }>,
  { ports, messageStore, announceChange }: PerformDeps,
): Promise<void> {
  const { principal: by } = person;
  const { tenant, approval, roundDigest: digest } = token;
  switch (act.kind) {
    case "approve":
    case "deny":
    case "return": {
      if (await hasVoted(token, by.id, act.kind, ports)) return;
      const reason = act.kind === "deny" ? act.reason : act.kind === "return" ? act.instructions : undefined;
      const decided = await decide(
        {
          approval,
          voter: by,
          decision: act.kind,
          digest,
          ...(reason !== undefined && { reason }),
          via: "mail",
        },
        ports,
      );
      return announceChange(decided.call, decided.wakes);
    }
    case "acknowledge": {
      const noted = await acknowledge({ approval, digest, by }, ports);
      return announceChange(noted.call, noted.wakes);
    }
    case "comment":
    case "ask": {
      const { text } = act;
      const kind = act.kind === "ask" ? "question" : "comment";
      // The same text of the same mail is one message, also if a server delivers the mail twice under other ids.
      const hash = createHash("sha256")
        .update(JSON.stringify([token.digest, kind, text]))
        .digest("hex");
      const message = {
        id: `message_${hash.slice(0, 32)}`,
        call: token.call,
        by: by.id,
        kind,
        text,
        salt: ports.random.salt(),
      } as const;
      const { changed } = await messageStore.append(tenant, message);
      const call = changed === "done" && (await ports.store.load({ tenant, call: token.call }));
      if (call) await announceChange(call, []);
    }
  }
}

/** Returns whether this vote was recorded before, by a process that died before it recorded that. */
async function hasVoted(
  { tenant, call, roundDigest }: { tenant: string; call: string; roundDigest: string },
  by: string,
  decision: "approve" | "deny" | "return",
  { store }: Ports,
): Promise<boolean> {
  const loaded = await store.load({ tenant, call });
  return eventsOfKind(loaded?.events ?? [], "voted").some(
    ({ data }) =>
      data.by === by && data.decision === decision && data.digest === roundDigest && data.via === "mail",
  );
}

import type { LabCluster } from "../lab-cluster.ts";
import type { SentReply } from "./inbox.ts";

/** A reply that a person sent, and its traces in the database. */
export interface ReplyHistory extends SentReply {
  /** The records of this reply that are done, with the code of a reply that had no effect. */
  readonly records: readonly { readonly code: string | null }[];
  /** The number of effects that the reply had on the call. */
  readonly effects: number;
}

const wishes = {
  comment: "comment",
  acknowledge: "acknowledge",
  deny: "deny",
  approve: "approve",
  none: "none",
};

/** Reads what became of the replies. */
export function readReplyEffects(
  cluster: LabCluster,
  sent: readonly SentReply[],
): Promise<readonly ReplyHistory[]> {
  return Promise.all(
    sent.map(async (reply) => {
      const { call, by, token, effect } = reply;
      const records = await cluster.query<{ code: string | null }>(
        "select code from paraph.reply where call = $1 and token = $2 and wish = $3 and state = 'done'",
        [call, token, wishes[effect]],
      );
      const [row] = await cluster.query<{ effects: number }>(effectQueries[effect], [call, by]);
      return { ...reply, records, effects: row?.effects ?? 0 };
    }),
  );
}

const voteQuery = (decision: string) =>
  `select count(*)::int as effects from paraph.event
   where call = $1 and kind = 'voted' and data->>'by' = $2 and data->>'via' = 'mail' and data->>'decision' ${decision}`;

const effectQueries: Readonly<Record<SentReply["effect"], string>> = {
  comment:
    "select count(*)::int as effects from paraph.message where call = $1 and by = $2 and kind = 'comment'",
  acknowledge:
    "select count(*)::int as effects from paraph.event where call = $1 and kind = 'acknowledged' and data->>'by' = $2",
  deny: voteQuery("<> 'approve'"),
  approve: voteQuery("= 'approve'"),
  none: voteQuery("is not null"),
};

import { type FreezeKind, freezeKinds } from "@paraph/core";
import type { FreezeRecord } from "../history/history.ts";
import type { LabClient } from "../lab-client.ts";
import { botIds, type LabCluster } from "../lab-cluster.ts";

type OpenFreeze = Omit<FreezeRecord, "thawAskedAt" | "thawXid">;

/** The kill switch as an administrator uses it, over HTTP. Each request is repeated if a process dies. */
export class KillSwitch {
  readonly #client: LabClient;
  readonly #cluster: LabCluster;
  #number = 0;
  #freezes = 0;

  constructor(client: LabClient, cluster: LabCluster) {
    this.#client = client;
    this.#cluster = cluster;
  }

  async freeze(chance: () => number): Promise<OpenFreeze> {
    const kind = freezeKinds[this.#freezes++ % freezeKinds.length]!;
    const subject = drawSubject(kind, chance);
    const askedAt = Date.now();
    const output = await this.#administer("admin.freeze", { kind, subject });
    const answeredAt = Date.now();
    const { freeze, inFlight } = output as { freeze: string; inFlight: { call: string }[] };
    const [order] = await this.#cluster.query<{ xid: number; next: number }>(
      `select xmin::text::float8 as xid, pg_snapshot_xmax(pg_current_snapshot())::text::float8 as next
       from paraph.freeze where id = $1`,
      [freeze],
    );
    return {
      id: freeze,
      kind,
      subject,
      askedAt,
      answeredAt,
      xid: order!.xid,
      nextXid: order!.next,
      inFlight: inFlight.map(({ call }) => call),
    };
  }

  async thaw(laid: OpenFreeze): Promise<FreezeRecord> {
    const thawAskedAt = Date.now();
    await this.#administer("admin.thaw", { freeze: laid.id });
    const [order] = await this.#cluster.query<{ xid: number }>(
      "select xmin::text::float8 as xid from paraph.freeze where id = $1 and thawed_at is not null",
      [laid.id],
    );
    return { ...laid, thawAskedAt, thawXid: order!.xid };
  }

  /** Runs an administrative call to its end. An approver approves the call if policy requires an approval. */
  async #administer(capability: string, input: object): Promise<unknown> {
    const key = `${capability}-${++this.#number}`;
    let view = await this.#client.call(key, capability, input, {
      as: "owner",
    });
    while (view.state !== "closed") {
      const asked = view.waiting?.approval;
      if (asked) await this.#client.decide(asked.id, "approve", asked.digest);
      view = await this.#client.getCall(key, capability, view.call ?? "", 5);
    }
    if (view.outcome?.kind !== "succeeded")
      throw new Error(`${capability} ended ${view.outcome?.kind} (${view.outcome?.code})`);
    return view.output;
  }
}

/** Draws a subject of this kind that the load uses. */
function drawSubject(kind: FreezeKind, chance: () => number): string {
  const subjects: Record<FreezeKind, readonly string[]> = {
    principal: ["agent", ...botIds],
    capability: ["free.keyed", "asked.keyed"],
    adapter: ["free", "asked"],
    tenant: ["acme"],
  };
  const choice = subjects[kind];
  return choice[Math.floor(chance() * choice.length)]!;
}

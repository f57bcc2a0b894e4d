import type { Clock } from "@paraph/core";
import type { ModelStore } from "@paraph/core/testing";
import type { CallActionDeps, CallMessage, DelegationRecord } from "../../services/call-actions.ts";

/** Creates a message store in memory that also records each message in the model store. */
export function createTestMessages(
  store: ModelStore,
  clock: Pick<Clock, "now">,
): CallActionDeps["messageStore"] {
  const threads = new Map<string, CallMessage[]>();
  const threadOf = (tenant: string, call: string) => {
    const key = `${tenant}/${call}`;
    return threads.get(key) ?? threads.set(key, []).get(key)!;
  };
  const record = async (tenant: string, call: string, { id, by, kind, at }: CallMessage) => {
    const row = await store.load({ tenant, call });
    if (row?.state !== "asking") return;
    const event = { kind: "commented", at, data: { message: id, by, as: kind } } as const;
    const { epoch, nextAt } = row;
    await store.commit({ tenant, call, epoch, state: "asking", nextAt, events: [event] });
  };
  return {
    async append(tenant, { id, call, by, kind, text }) {
      const thread = threadOf(tenant, call);
      const known = thread.find((message) => message.id === id);
      if (known) return { changed: "already", message: known };
      const message = { id, seq: thread.length + 1, by, kind, at: clock.now(), text };
      thread.push(message);
      await record(tenant, call, message);
      return { changed: "done", message };
    },
    list: async (tenant, call, { after = 0, limit }) =>
      threadOf(tenant, call)
        .filter(({ seq }) => seq > after)
        .slice(0, limit),
  };
}

/** Creates a delegation store in memory that also adds each delegation to the model store. */
export function createTestDelegations(
  store: ModelStore,
  clock: Pick<Clock, "now">,
): CallActionDeps["delegations"] {
  const made: (DelegationRecord & { readonly tenant: string })[] = [];
  return {
    async create(tenant, delegation, by) {
      const people = [delegation.person, delegation.delegate].map((id) => store.people.find(tenant, id));
      if (people.some((person) => person?.kind !== "person")) return "unknown";
      made.push({ ...delegation, tenant, by, at: clock.now() });
      store.people.delegate(tenant, delegation);
      return "done";
    },
    async revoke(tenant, id) {
      const index = made.findIndex((one) => one.tenant === tenant && one.id === id);
      if (index < 0) return "unknown";
      made.splice(index, 1);
      store.people.revokeDelegation(tenant, id);
      return "done";
    },
    list: async (tenant) =>
      made.filter((one) => one.tenant === tenant).map(({ tenant: _own, ...rest }) => rest),
  };
}

import {
  type Call,
  type CallRequest,
  edit,
  handOver,
  ParaphError,
  type Ports,
  type Preview,
  probeAgain,
  resolve,
  said,
  type Wake,
  withdraw,
} from "@paraph/core";
import type { Delegation, Handling, Message, NewDelegation } from "./http/handling.ts";
import type { Service } from "./http/service.ts";

/** Where threads, stand-ins and older previews are kept. */
export interface HandlingParts {
  readonly ports: Ports;
  readonly thread: {
    append(
      tenant: string,
      message: {
        readonly id: string;
        readonly call: string;
        readonly by: string;
        readonly kind: Message["kind"];
        readonly text: string;
        readonly salt: string;
      },
    ): Promise<{ readonly changed: string; readonly message?: Message }>;
    list(
      tenant: string,
      call: string,
      page: { readonly after?: number; readonly limit: number },
    ): Promise<readonly Message[]>;
  };
  readonly delegations: {
    create(tenant: string, delegation: NewDelegation & { readonly id: string }, by: string): Promise<string>;
    revoke(tenant: string, id: string, by: string): Promise<string>;
    list(tenant: string): Promise<readonly Delegation[]>;
  };
  readonly earlierPreview: (call: Call) => Promise<Preview | undefined>;
  /** Those who wait for the call are told, and what it leaves to send is sent. */
  readonly moved: (call: Call, wakes: readonly Wake[]) => Promise<void>;
  readonly call: Service["call"];
}

/** What people and agents do about a call besides deciding, over core and the rows beside calls. */
export function handlingOver({
  ports,
  thread,
  delegations,
  earlierPreview,
  moved,
  call: place,
}: HandlingParts): Handling {
  return {
    earlierPreview,
    async edit(given) {
      const done = await edit(given, ports);
      await moved(done.superseded, []);
      await moved(done.call, done.wakes);
      return done;
    },
    async handOver(given) {
      const { call, wakes } = await handOver(given, ports);
      await moved(call, wakes);
      return call;
    },
    async withdraw(given) {
      const { call, wakes } = await withdraw(given, ports);
      await moved(call, wakes);
      return call;
    },
    async resolve(given) {
      const { call, wakes } = await resolve(given, ports);
      await moved(call, wakes);
      return call;
    },
    async probe(given) {
      const found = await probeAgain(given, ports);
      await moved(found.call, found.wakes);
      return found;
    },
    retry: (call) => place(sameRequest(call)),
    messages: ({ tenant, call }, page) => thread.list(tenant, call, page),
    async say(call, { id = ports.random.id("message"), by, kind, text }) {
      const { tenant, call: about } = call;
      const salt = ports.random.salt();
      const given = { id, call: about, by: by.id, kind, text, salt };
      const { changed, message } = await thread.append(tenant, given);
      const isNew = changed === "done" && message !== undefined;
      const noted = isNew && (await said({ call, by: by.id, message: message.id, kind }, ports));
      if (noted) await moved(noted, []);
      return message;
    },
    delegations: ({ tenant }) => delegations.list(tenant),
    async delegate(given, { tenant, id: by }) {
      const id = ports.random.id("delegation");
      const changed = await delegations.create(tenant, { ...given, id }, by);
      return changed === "unknown" ? undefined : { ...given, id, by, at: ports.clock.now() };
    },
    endDelegation: async (id, by) => (await delegations.revoke(by.tenant, id, by.id)) !== "unknown",
  };
}

/** [P7] What may have happened is not asked for again: first somebody finds out that it has not. */
function sameRequest(call: Call): CallRequest {
  if (call.outcome?.kind !== "unknown" || call.resolution?.finding !== "not-happened")
    throw new ParaphError(
      "not-unknown",
      "Only what certainly did not happen is tried again: say first that it did not (`paraph resolve CALL not-happened`).",
    );
  const { input, purpose } = call.payloads;
  if (!input) throw new ParaphError("input-invalid", "Its input was erased: it cannot be asked for again.");
  return {
    principal: call.principal,
    capability: call.capability,
    input: input.value,
    key: `retry:${call.call}`,
    session: call.session,
    ...(typeof purpose?.value === "string" && { purpose: purpose.value }),
  };
}

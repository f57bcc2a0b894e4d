import {
  adapterName,
  adminAdapter,
  type Contract,
  type Freeze,
  type Freezes,
  type Principal,
} from "@paraph/core";

type ActiveFreeze = Pick<Freeze, "id" | "kind" | "subject"> & { readonly tenant: string };

/**
 * Polls the freezes in force, by default twice a second. The store itself enforces freezes when it accepts a call or writes an
 * intent. The polled list also stops frozen reads and previews before they reach an external system.
 */
export async function watchActiveFreezes(
  fetch: () => Promise<readonly ActiveFreeze[]>,
  problem: (code: string) => void,
  pollMs = 500,
): Promise<Freezes & { stop(): void }> {
  let known = new Map<string, ActiveFreeze>();
  const look = async () => {
    known = new Map(
      (await fetch()).map((freeze) => [toFreezeKey(freeze.tenant, freeze.kind, freeze.subject), freeze]),
    );
  };
  const lookAgain = shareRepetitions(look);
  await look();
  const timer = setInterval(() => void look().catch(() => problem("freezes-unread")), pollMs);
  timer.unref();
  return {
    async inForce(principal, contract) {
      const freeze = find(principal, contract);
      if (freeze === undefined) return undefined;
      // A freeze that was lifted since the last poll must not refuse a call.
      await lookAgain().catch(() => problem("freezes-unread"));
      return find(principal, contract);
    },
    stop: () => clearInterval(timer),
  };

  function find(principal: Principal, contract: Contract): Pick<Freeze, "id" | "kind"> | undefined {
    if (known.size === 0) return undefined;
    const { tenant, id, onBehalfOf } = principal;
    const adapter = adapterName(contract);
    const principals: [Freeze["kind"], string][] = [
      ["principal", id],
      ...(onBehalfOf === undefined ? [] : [["principal", onBehalfOf] as ["principal", string]]),
    ];
    const subjects: [Freeze["kind"], string][] =
      adapter === adminAdapter
        ? principals
        : [["tenant", tenant], ...principals, ["capability", contract.name], ["adapter", adapter]];
    for (const [kind, subject] of subjects) {
      const freeze = known.get(toFreezeKey(tenant, kind, subject));
      if (freeze) return { id: freeze.id, kind };
    }
    return undefined;
  }
}

/**
 * Lets callers share one repetition of `act` that begins after they asked. At most one repetition runs at a time, and
 * those who ask meanwhile share the next one.
 */
function shareRepetitions(act: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  return () => {
    next ??= (async () => {
      await running?.catch(() => {});
      running = next;
      next = undefined;
      await act();
    })();
    return next;
  };
}

const toFreezeKey = (tenant: string, kind: string, subject: string): string =>
  JSON.stringify([tenant, kind, subject]);

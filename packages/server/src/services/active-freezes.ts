import { adapterName, adminAdapter, type Freeze, type Freezes } from "@paraph/core";

type ActiveFreeze = Pick<Freeze, "id" | "kind" | "subject"> & { readonly tenant: string };

/**
 * Polls the freezes in force twice a second. The store itself enforces freezes when it accepts a call or writes an
 * intent. The polled list also stops frozen reads and previews before they reach an external system.
 */
export async function watchActiveFreezes(
  fetch: () => Promise<readonly ActiveFreeze[]>,
  problem: (code: string) => void,
): Promise<Freezes & { stop(): void }> {
  let known = new Map<string, ActiveFreeze>();
  const look = async () => {
    known = new Map(
      (await fetch()).map((freeze) => [toFreezeKey(freeze.tenant, freeze.kind, freeze.subject), freeze]),
    );
  };
  await look();
  const timer = setInterval(() => void look().catch(() => problem("freezes-unread")), 500);
  timer.unref();
  return {
    inForce(principal, contract) {
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
    },
    stop: () => clearInterval(timer),
  };
}

const toFreezeKey = (tenant: string, kind: string, subject: string): string =>
  JSON.stringify([tenant, kind, subject]);

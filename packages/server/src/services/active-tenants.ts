import type { Adapter, IsOpenTo } from "@paraph/core";

/** The current tenants and the adapters that they may use. */
export interface ActiveTenants {
  /** [TRUST 10] Whether a tenant may use an adapter. */
  readonly isOpenTo: IsOpenTo;
  /** Returns the tenants that may use an adapter now. */
  listTenants(adapter: string): readonly string[];
  /** Returns whether this tenant may use the deployment's secrets. It may do so only while it is the only tenant. */
  sharesDeploymentSecrets(tenant: string): boolean;
  stop(): void;
}

/**
 * Polls the list of tenants twice a second. If there is only one tenant, an adapter without `tenants` belongs to it. If
 * there are several tenants, such an adapter belongs to none of them. A tenant that is not in the list yet may use only
 * adapters that name it.
 */
export async function watchActiveTenants(
  adapters: Readonly<Record<string, Pick<Adapter, "tenants">>>,
  read: () => Promise<readonly string[]>,
  problem: (code: string, adapter?: string) => void,
): Promise<ActiveTenants> {
  let known: ReadonlySet<string> = new Set();
  const isSole = (tenant: string) => known.size === 1 && known.has(tenant);
  const look = async () => {
    const before = known.size;
    known = new Set(await read());
    if (known.size < 2 || before >= 2) return;
    for (const [name, { tenants }] of Object.entries(adapters))
      if (tenants === undefined) problem("adapter-without-tenants", name);
  };
  await look();
  const timer = setInterval(() => void look().catch(() => problem("tenants-unread")), 500);
  timer.unref();
  const isOpenTo: IsOpenTo = (tenant, name) => {
    const adapter = Object.hasOwn(adapters, name) ? adapters[name] : undefined;
    // Every tenant may use built-in capabilities and the configuration's own capabilities, which have no adapter entry.
    // These capabilities receive the tenant and keep tenants apart themselves.
    if (!adapter) return true;
    return adapter.tenants?.includes(tenant) ?? isSole(tenant);
  };
  return {
    isOpenTo,
    listTenants: (adapter) => [...known].filter((tenant) => isOpenTo(tenant, adapter)),
    sharesDeploymentSecrets: isSole,
    stop: () => clearInterval(timer),
  };
}

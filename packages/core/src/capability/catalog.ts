import { ParaphError } from "../paraph-error.ts";
import type { Capability } from "./capability.ts";
import { adapterName } from "./contract.ts";

/** Returns whether a tenant may use an adapter. */
export type IsOpenTo = (tenant: string, adapter: string) => boolean;

/**
 * All capabilities that this process can perform, by name. A tenant finds only those of adapters that are open to it.
 */
export class Catalog {
  readonly #byName = new Map<string, Capability>();
  readonly #isOpenTo: IsOpenTo;
  /**
   * The capabilities, sorted by name. The list is cached until a capability changes, because sorting a thousand
   * capabilities for every reader is slow.
   */
  #sorted: readonly Capability[] | undefined;
  #adapters: ReadonlySet<string> | undefined;
  /** The capabilities of each tenant. A tenant's list is valid while the same adapters are open to the tenant. */
  readonly #ofTenant = new Map<string, TenantView>();

  constructor(capabilities: Iterable<Capability> = [], isOpenTo: IsOpenTo = () => true) {
    this.#isOpenTo = isOpenTo;
    for (const capability of capabilities) this.add(capability);
  }

  add(capability: Capability): void {
    const { name } = capability.contract;
    if (this.#byName.has(name)) {
      throw new ParaphError(
        "capability-twice",
        `Two capabilities have the name \`${name}\`. Rename one of their adapters in the configuration.`,
      );
    }
    this.#byName.set(name, capability);
    this.#sorted = undefined;
    this.#adapters = undefined;
  }

  /**
   * Replaces all capabilities of an adapter. If one of the new capabilities is rejected, the catalog stays unchanged.
   */
  replace(adapter: string, capabilities: readonly Capability[]): void {
    const others = this.everything().filter(({ contract }) => adapterName(contract) !== adapter);
    const whole = new Catalog([...others, ...capabilities]);
    this.#byName.clear();
    for (const capability of whole.everything()) this.#byName.set(capability.contract.name, capability);
    this.#sorted = undefined;
    this.#adapters = undefined;
  }

  /**
   * [TRUST 10] Returns a capability by name. A tenant does not find the capabilities of adapters that are not open to
   * it.
   */
  find(tenant: string, name: string): Capability | undefined {
    const found = this.#byName.get(name);
    return found && this.#isOpenTo(tenant, adapterName(found.contract)) ? found : undefined;
  }

  /**
   * Returns the capabilities that this tenant may use, sorted by name. It returns the same list until one of them
   * changes.
   */
  all(tenant: string): readonly Capability[] {
    const everything = this.everything();
    this.#adapters ??= new Set(everything.map(({ contract }) => adapterName(contract)));
    const adapters = this.#adapters;
    const open = new Set([...adapters].filter((adapter) => this.#isOpenTo(tenant, adapter)));
    const key = [...open].join();
    const known = this.#ofTenant.get(tenant);
    if (known?.of === everything && known.key === key) return known.list;
    const list =
      open.size === adapters.size
        ? everything
        : everything.filter(({ contract }) => open.has(adapterName(contract)));
    this.#ofTenant.set(tenant, { of: everything, key, list });
    return list;
  }

  /**
   * Returns the capabilities of all tenants, for uses that concern the whole deployment, such as the policies in its
   * configuration.
   */
  everything(): readonly Capability[] {
    this.#sorted ??= [...this.#byName.values()].sort((a, b) => (a.contract.name < b.contract.name ? -1 : 1));
    return this.#sorted;
  }
}

interface TenantView {
  readonly of: readonly Capability[];
  readonly key: string;
  readonly list: readonly Capability[];
}

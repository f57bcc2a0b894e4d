import type { Capability } from "./capability.ts";
import { adapterOf } from "./contract.ts";
import { ParaphError } from "./paraph-error.ts";

/** Every capability this process can carry out, by name. */
export class Catalog {
  readonly #byName = new Map<string, Capability>();
  /** By name, until there is another: with a thousand of them, order is not made anew for every reader. */
  #sorted: readonly Capability[] | undefined;

  constructor(capabilities: Iterable<Capability> = []) {
    for (const capability of capabilities) this.add(capability);
  }

  add(capability: Capability): void {
    const { name } = capability.contract;
    if (this.#byName.has(name)) {
      throw new ParaphError(
        "capability-twice",
        `Two capabilities are called \`${name}\`: rename one adapter in the configuration.`,
      );
    }
    this.#byName.set(name, capability);
    this.#sorted = undefined;
  }

  /** What an adapter offers from now on, instead of what it offered. All or nothing. */
  replace(adapter: string, capabilities: readonly Capability[]): void {
    const others = this.all().filter(({ contract }) => adapterOf(contract) !== adapter);
    const whole = new Catalog([...others, ...capabilities]);
    this.#byName.clear();
    for (const capability of whole.all()) this.#byName.set(capability.contract.name, capability);
    this.#sorted = undefined;
  }

  find(name: string): Capability | undefined {
    return this.#byName.get(name);
  }

  all(): readonly Capability[] {
    this.#sorted ??= [...this.#byName.values()].sort((a, b) => (a.contract.name < b.contract.name ? -1 : 1));
    return this.#sorted;
  }
}

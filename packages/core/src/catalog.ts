import type { Capability } from "./capability.ts";
import { ParaphError } from "./paraph-error.ts";

/** Every capability this process can carry out, by name. */
export class Catalog {
  readonly #byName = new Map<string, Capability>();

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
  }

  find(name: string): Capability | undefined {
    return this.#byName.get(name);
  }

  all(): readonly Capability[] {
    return [...this.#byName.values()].sort((a, b) => (a.contract.name < b.contract.name ? -1 : 1));
  }
}

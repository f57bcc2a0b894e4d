import { ParaphError } from "@paraph/core";
import { findLookalike, normalizeHost } from "./hostname.ts";

/**
 * A list of hosts. An entry is a name (`example.com`), every name below it (`*.example.com`), or a name with a port
 * (`example.com:8443`).
 */
export class HostList {
  readonly #exact = new Set<string>();
  readonly #below: string[] = [];
  readonly #names: string[] = [];

  constructor(entries: readonly string[], setting: string) {
    for (const entry of entries) this.#add(entry, setting);
  }

  get isEmpty(): boolean {
    return this.#names.length === 0;
  }

  /**
   * Whether the list allows a host. `port` is the port as written in a URL. It is empty for the default port of the
   * scheme.
   */
  allows(host: string, port = ""): boolean {
    if (this.#exact.has(port === "" ? host : `${host}:${port}`)) return true;
    return port === "" && this.#below.some((name) => host.endsWith(`.${name}`));
  }

  findLookalike(host: string): string | undefined {
    return findLookalike(host, this.#names);
  }

  #add(entry: string, setting: string): void {
    const [, wild, name = "", port] = /^(\*\.)?([^\s:@/]+|\[[^\]]+\])(:\d{1,5})?$/.exec(entry.trim()) ?? [];
    const host = normalizeHost(name);
    if (host === undefined || (wild && port))
      throw new ParaphError(
        "capability-invalid",
        `\`${setting}\`: \`${entry}\` is not a host. Write \`example.com\`, \`*.example.com\` or \`example.com:8443\`.`,
      );
    this.#names.push(host);
    if (wild) this.#below.push(host);
    else this.#exact.add(`${host}${port ?? ""}`);
  }
}

import type { AdapterContext } from "@paraph/core";
import { fillSecrets } from "../../egress/secrets.ts";

/**
 * [TRUST 8] The secrets of the deployment that this adapter has used. A requester's own secrets never reach a server.
 */
export class KnownSecrets {
  readonly #setting: Pick<AdapterContext, "credential">;
  readonly #secrets = new Set<string>();

  constructor(setting: Pick<AdapterContext, "credential">) {
    this.#setting = setting;
  }

  get secrets(): readonly string[] {
    return [...this.#secrets];
  }

  add(secret: string): void {
    this.#secrets.add(secret);
  }

  async fill(texts: Readonly<Record<string, string>>): Promise<Record<string, string>> {
    const entries = Object.entries(texts).map(async ([name, written]) => {
      const { text, secrets } = await fillSecrets(written, (secret) => this.#setting.credential(secret));
      for (const secret of secrets) this.#secrets.add(secret);
      return [name, text] as const;
    });
    return Object.fromEntries(await Promise.all(entries));
  }
}

import { CapabilityError } from "@paraph/core";

/**
 * [TRUST 7] The definitions that were approved at the last listing, and whether the server may have changed since then.
 * After a change, Paraph sends no request until the next listing. Otherwise the server could replace a tool and keep
 * the old tool's name and approval.
 */
export class ApprovalState {
  #changes = 0;
  #seen = -1;
  #approved: ReadonlySet<string> = new Set();
  #waiting: (() => void)[] = [];

  /** Records that the server announced a change or was restarted. */
  markChanged(): void {
    this.#changes += 1;
  }

  /** Starts a listing. Call the returned function with the approved digests when the listing is complete. */
  beginListing(): (approved: ReadonlySet<string>) => void {
    const changes = this.#changes;
    return (approved) => {
      if (changes < this.#seen) return;
      this.#seen = changes;
      this.#approved = approved;
      for (const wake of this.#waiting.splice(0)) wake();
    };
  }

  /** Waits until the definitions are listed. Rejects if the given digest is no longer approved. */
  async requireApproved(digest: string | undefined, signal: AbortSignal): Promise<void> {
    if (this.#seen !== this.#changes) await this.#caughtUp(signal);
    if (this.#seen !== this.#changes)
      throw unavailableFault(
        "mcp-being-looked-at",
        "The MCP server's definitions changed, and Paraph has not listed them yet. Paraph will retry.",
      );
    if (digest !== undefined && !this.#approved.has(digest))
      throw unavailableFault(
        "mcp-definition-changed",
        "The MCP server's definition differs from the approved one. Review it with `paraph mcp pins`.",
      );
  }

  async #caughtUp(signal: AbortSignal): Promise<void> {
    const patience = AbortSignal.any([signal, AbortSignal.timeout(maxWaitMs)]);
    while (this.#seen !== this.#changes && !patience.aborted) await this.#nextLook(patience);
    signal.throwIfAborted();
  }

  #nextLook(patience: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        patience.removeEventListener("abort", done);
        resolve();
      };
      patience.addEventListener("abort", done, { once: true });
      this.#waiting.push(done);
    });
  }
}

const maxWaitMs = 5_000;
const unavailableFault = (code: string, message: string) =>
  new CapabilityError("not-performed", code, message);

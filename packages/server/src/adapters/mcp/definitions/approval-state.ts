import { CapabilityError } from "@paraph/core";

/**
 * [TRUST 7] What was approved when the server was last looked at, and whether that was since it last may have changed.
 * Until it was, nothing is asked of it: a tool could be another by now, under the name and the approval of the old one.
 */
export class ApprovalState {
  #changes = 0;
  #seen = -1;
  #approved: ReadonlySet<string> = new Set();
  #waiting: (() => void)[] = [];

  /** It said that something changed, or was started anew. */
  markChanged(): void {
    this.#changes += 1;
  }

  /** To be called before looking; and what it returns, with the digests that are approved, once that is over. */
  beginListing(): (approved: ReadonlySet<string>) => void {
    const changes = this.#changes;
    return (approved) => {
      if (changes < this.#seen) return;
      this.#seen = changes;
      this.#approved = approved;
      for (const wake of this.#waiting.splice(0)) wake();
    };
  }

  /** Settles once it was looked at, and only if this digest, where one is given, is still approved. */
  async requireApproved(digest: string | undefined, signal: AbortSignal): Promise<void> {
    if (this.#seen !== this.#changes) await this.#caughtUp(signal);
    if (this.#seen !== this.#changes)
      throw unavailableFault(
        "mcp-being-looked-at",
        "What the MCP server offers has changed, and was not looked at yet.",
      );
    if (digest !== undefined && !this.#approved.has(digest))
      throw unavailableFault(
        "mcp-definition-changed",
        "The MCP server describes it otherwise than it was approved.",
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

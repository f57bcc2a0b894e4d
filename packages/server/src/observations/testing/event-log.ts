import type { Observation, ObservationPage, ObserveContext } from "@paraph/core";

/** A simulated external system that keeps a log of events and returns the events from a given position. */
export class TestEventLog {
  readonly entries: Observation[] = [];
  readonly requests: { readonly tenant: string; readonly cursor: string | undefined }[] = [];
  /** The number of events per response. */
  batch = 10;
  /** A hook that runs before each response. It may throw or delay the response. */
  beforeAnswer: (context: ObserveContext) => void | Promise<void> = () => {};

  append(...kinds: readonly string[]): void {
    for (const kind of kinds) {
      const id = `e${this.entries.length + 1}`;
      this.entries.push({ id, kind, subject: `thing ${id}`, at: 1_700_000_000_000, data: { id } });
    }
  }

  readonly observe = async (
    cursor: string | undefined,
    context: ObserveContext,
  ): Promise<ObservationPage> => {
    this.requests.push({ tenant: context.tenant, cursor });
    await this.beforeAnswer(context);
    const from = Number(cursor ?? 0);
    const observations = this.entries.slice(from, from + this.batch);
    const next = from + observations.length;
    return { observations, cursor: String(next), more: next < this.entries.length };
  };
}

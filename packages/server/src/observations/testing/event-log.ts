import type { Observation, ObservationPage, ObserveContext } from "@paraph/core";

/** An outside system that keeps a log of what happened, and hands it out from a position on. */
export class TestEventLog {
  readonly entries: Observation[] = [];
  /** At what cursors it was asked, and for whom. */
  readonly requests: { readonly tenant: string; readonly cursor: string | undefined }[] = [];
  /** So many at a time. */
  batch = 10;
  /** What to do before answering: throw, or keep the asker waiting. */
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

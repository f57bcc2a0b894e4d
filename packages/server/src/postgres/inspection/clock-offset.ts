import type { Query } from "../database.ts";

/** The clock of this host compared with that of PostgreSQL. */
export interface ClockOffset {
  /** This host's clock minus PostgreSQL's. */
  readonly offsetMs: number;
  /** The maximum error of `offsetMs`: half of the round trip. */
  readonly uncertaintyMs: number;
}

const samples = 5;

/** Measures several times and takes the fastest round trip, because its error is the smallest. */
export async function readClockOffset(query: Query): Promise<ClockOffset> {
  let best: ClockOffset | undefined;
  for (let sample = 0; sample < samples; sample += 1) {
    const before = Date.now();
    const begun = performance.now();
    const [row] = await query<{ ms: string }>("select extract(epoch from clock_timestamp()) * 1000 as ms");
    const uncertaintyMs = (performance.now() - begun) / 2;
    if (best === undefined || uncertaintyMs < best.uncertaintyMs)
      best = { offsetMs: before + uncertaintyMs - Number(row!.ms), uncertaintyMs };
  }
  return best!;
}

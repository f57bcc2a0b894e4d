import type { Pool } from "pg";

/**
 * The time that a process may be without its lock before it is declared dead. A process tries to take its lock at least
 * twice a second.
 */
export const leaseGraceMs = 5_000;

/** The watch that declares a process dead if the process has lost its lease. */
export interface LeaseWatch {
  /** Checks once which processes are without their lock. Declares a process dead if its grace period has passed. */
  check(): Promise<void>;
}

interface Suspect {
  readonly taken: number;
  readonly server: string;
  readonly since: number;
  seen: number;
}

/**
 * Creates a watch that declares a process dead if its lock stays free for the whole grace period. One observer must see
 * the lock free on the same server for that whole period. The period starts over after a failover or restart of the
 * server, a failed check, or a pause of the observer. Live processes therefore have time to take their locks again.
 */
export function watchLeases(
  sweeper: Pool,
  { graceMs = leaseGraceMs, now = () => performance.now() }: { graceMs?: number; now?: () => number } = {},
): LeaseWatch {
  const suspects = new Map<number, Suspect>();

  const observe = (life: number, taken: number, server: string): Suspect => {
    const [known, at] = [suspects.get(life), now()];
    const continued = known?.taken === taken && known.server === server && at - known.seen <= graceMs / 2;
    const suspect = continued ? known : { taken, server, since: at, seen: at };
    suspect.seen = at;
    suspects.set(life, suspect);
    return suspect;
  };

  const look = async () => {
    const { rows } = await sweeper.query({ name: "free-leases", text: "select * from paraph.free_leases()" });
    const free = new Set(rows.map(({ life }) => life));
    for (const life of suspects.keys()) if (!free.has(life)) suspects.delete(life);
    for (const { life, taken, server } of rows) {
      const { since, seen } = observe(life, taken, server);
      if (seen - since < graceMs) continue;
      await sweeper.query("select paraph.declare_dead($1, $2)", [life, taken]);
    }
  };

  return {
    async check() {
      try {
        await look();
      } catch (error) {
        suspects.clear();
        throw error;
      }
    },
  };
}

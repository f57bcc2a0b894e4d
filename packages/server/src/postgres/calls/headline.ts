/**
 * The SQL expression for the headline of call `c`, as JSON text. It is null for a step, because some readers of a list
 * may not see the details of a step. It is also null if a version without headlines opened the last round.
 */
export const headlineSql = `(select y.body from paraph.payload y where y.tenant = c.tenant and y.call = c.id and y.name = 'headline' and c.parent is null
    and coalesce((select e.data ? 'headline' from paraph.event e where e.tenant = c.tenant and e.call = c.id and e.kind = 'asked' order by e.seq desc limit 1), true)
  order by y.version desc limit 1)`;

/** Returns the headline of a listed row, if it has one. */
export function readHeadline({ headline }: { readonly headline: string | null }): { headline?: string } {
  return headline === null ? {} : { headline: JSON.parse(headline) as string };
}

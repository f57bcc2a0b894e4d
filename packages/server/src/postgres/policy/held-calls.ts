/**
 * The SQL condition that a freeze can hold the call `c`: the call is open, and no attempt is acting. `freezeIdsSql` says
 * which freezes hold it.
 */
export const isHoldableSql = `c.state <> 'closed' and not exists
  (select from paraph.intent i where i.tenant = c.tenant and i.call = c.id and i.ended is null)`;

/** The SQL array of the freezes in force that cover the call `c`. It is null if there are none. */
export const freezeIdsSql = `(select array_agg(f.id) from
  paraph.freezes_on(c.tenant, array[c.principal, c.on_behalf_of], c.capability, split_part(c.capability, '.', 1)) f)::text[]`;

import type { Guard, Principal } from "@paraph/core";
import type { Pool } from "pg";
import { withTenant } from "./database.ts";

/** Open rounds, the soonest to expire first, as one person finds them. */
export async function listInbox(
  app: Pool,
  reader: Principal,
  { after, limit }: { after?: { expiresAt: number; approval: string }; limit: number },
) {
  const rows = await withTenant(app, reader.tenant, (query) =>
    query<Row>(
      // The page first, then what is told of each: the other order would look at everything that is open.
      `with page as materialized (
         select tenant, id, call, guards, expires_at from paraph.approval
         where tenant = $1 and status = 'open' and expires_at > paraph.now()
           and ($3::timestamptz is null or (expires_at, id) > ($3, $4))
         order by expires_at, id limit $5
       )
       select a.id, a.guards, a.expires_at, c.capability, c.principal, p.owner,
              (select count(*)::int from paraph.vote v where v.tenant = a.tenant and v.approval = a.id) as votes,
              exists (select from paraph.vote v where v.tenant = a.tenant and v.approval = a.id and v.voter = $2) as voted,
              $2 in (c.principal, p.owner, c.on_behalf_of)
                and paraph.has_other_person(a.tenant, array_remove(array[c.principal, p.owner, c.on_behalf_of], null)) as own_call
       from page a
         join paraph.call c on c.tenant = a.tenant and c.id = a.call
         join paraph.principal p on p.tenant = c.tenant and p.id = c.principal
       order by a.expires_at, a.id`,
      [reader.tenant, reader.id, after ? new Date(after.expiresAt) : null, after?.approval ?? null, limit],
    ),
  );
  return rows.map((row) => ({
    approval: row.id,
    capability: row.capability,
    asker: { id: row.principal, ...(row.owner !== null && { owner: row.owner }) },
    guards: row.guards,
    votes: row.votes,
    expiresAt: row.expires_at.getTime(),
    voted: row.voted,
    ownCall: row.own_call === true,
  }));
}

interface Row {
  id: string;
  guards: readonly Guard[];
  expires_at: Date;
  capability: string;
  principal: string;
  owner: string | null;
  votes: number;
  voted: boolean;
  own_call: boolean | null;
}

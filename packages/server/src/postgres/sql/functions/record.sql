-- Returns the event at this place of a write whose first event has the number `p_first`.
create or replace function paraph.further_event(p_events jsonb, p_first int, p_place jsonb) returns paraph.further_event
language sql stable as $$ select case when p_place is not null then row(p_first + p_place::int, paraph.instant(p_events->(p_place::int)->'at'), p_events->(p_place::int)->'data')::paraph.further_event end $$;

-- Writes what openings and transitions have in common: events, payloads, rounds and receipts. The calls' rows must
-- already have these epochs. If `p_epochs` is null, the calls are new: they have no earlier events and payloads.
create or replace function paraph.record(p_tenant text, p_calls text[], p_epochs bigint[], p_documents jsonb[]) returns void
language plpgsql set search_path = paraph, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  p jsonb;
  v_kind text;
  v_last int;
  v_has_row boolean;
  v_further jsonb;
  v_numbers int[] := '{}';
  v_events jsonb[] := '{}';
  v_places int[] := '{}';
  v_furthers jsonb[] := '{}';
  v_asks boolean := false;
  v_signs boolean := false;
begin
  -- Chooses the rows of `event_row`. The last row of a write also holds those of its events that have a column of their
  -- own, in `v_further` by their kinds. Of two events of such a kind, the second has a row. If all events have a column,
  -- the last one has a row. The last row thus has the greatest number of the rows, and holds the last event.
  for n in 1..cardinality(p_documents) loop
    p := p_documents[n];
    v_asks := v_asks or p ? 'ask';
    v_signs := v_signs or p ? 'receipt';
    p := p->'events';
    v_last := jsonb_array_length(p) - 1;
    v_has_row := false;
    v_further := '{}';
    for place in 0..v_last loop
      v_kind := p->place->>'kind';
      if v_kind in ('accepted', 'ruled', 'attempted', 'round-closed') and not v_further ? v_kind and (v_has_row or place < v_last) then
        v_further := v_further || jsonb_build_object(v_kind, place);
      else
        v_has_row := true;
        v_numbers := array_append(v_numbers, n);
        v_events := array_append(v_events, p);
        v_places := array_append(v_places, place);
        v_furthers := array_append(v_furthers, null);
      end if;
    end loop;
    if v_has_row then v_furthers[cardinality(v_furthers)] := v_further; end if;
  end loop;

  insert into event_row (tenant, call, seq, kind, at, data, epoch, accepted, ruled, attempted, round_closed)
  select p_tenant, call, first + place, events->place->>'kind', paraph.instant(events->place->'at'), events->place->'data', coalesce(epoch, 1),
         paraph.further_event(events, first, further->'accepted'), paraph.further_event(events, first, further->'ruled'),
         paraph.further_event(events, first, further->'attempted'), paraph.further_event(events, first, further->'round-closed')
  from (select p_calls[n] as call, p_epochs[n] as epoch, events, place, further from unnest(v_numbers, v_events, v_places, v_furthers) as r (n, events, place, further)) x
  cross join lateral (select case when p_epochs is null then 1 else 1 + coalesce((
    select greatest(o.seq, (o.accepted).seq, (o.ruled).seq, (o.attempted).seq, (o.round_closed).seq) from event_row o
    where o.tenant = p_tenant and o.call = x.call order by o.seq desc limit 1), 0) end as first offset 0) y;

  insert into payload (tenant, call, name, version, salt, body)
  select p_tenant, call, e->>'name',
         1 + case when p_epochs is null then 0 else (select count(*) from payload o where o.tenant = p_tenant and o.call = x.call and o.name = e->>'name') end,
         e->>'salt', e->>'body'
  from (select unnest(p_calls) as call, unnest(p_documents) as d) x, jsonb_array_elements(d->'payloads') as z (e);

  if v_asks then
    insert into approval (tenant, id, call, round, digest, guards, expires_at)
    select p_tenant, a->>'id', call, (a->>'round')::int, a->>'digest', a->'guards', paraph.instant(a->'expiresAt')
    from (select call, d->'ask' as a from (select unnest(p_calls) as call, unnest(p_documents) as d) x) y where a is not null;
  end if;

  if v_signs then
    -- A process of an older version gives the whole envelope.
    insert into receipt (tenant, call, digest, envelope, story, key_id, signature)
    select p_tenant, call, r->>'digest', r->>'envelope', r->>'story', r->'signature'->>'keyid', r->'signature'->>'sig'
    from (select call, d->'receipt' as r from (select unnest(p_calls) as call, unnest(p_documents) as d) x) y where r is not null;
  end if;
end $$;

-- Writes the same for a call that exists.
create or replace function paraph.record(p_tenant text, p_call text, p jsonb) returns void
language plpgsql set search_path = paraph, pg_temp as $$
begin
  perform paraph.record(p_tenant, array[p_call], array[(select epoch from call where tenant = p_tenant and id = p_call)], array[p]);
end $$;

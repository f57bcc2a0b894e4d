-- Returns a receipt as it is stored. Its reader puts the events back, unless an older version stored the whole envelope.
create or replace function paraph.read_receipt(r paraph.receipt) returns json
language sql stable set search_path = paraph, pg_temp as $$
  select json_build_object('digest', r.digest, 'envelope', r.envelope, 'story', r.story,
    'signature', case when r.signature is not null then json_build_object('keyid', r.key_id, 'sig', r.signature) end)
$$;

-- The core counts milliseconds. Rows hold timestamps, because people read them.
create or replace function paraph.instant(ms jsonb) returns timestamptz
language sql immutable as $$ select to_timestamp(ms::bigint / 1000.0) $$;

-- The function is `stable`, like the functions it calls. PostgreSQL inlines it only then.
create or replace function paraph.millis(t timestamptz) returns bigint
language sql stable as $$ select round(extract(epoch from t) * 1000)::bigint $$;

-- Ids begin with the time at which they were made, as ten digits of base 32 that count milliseconds. These functions
-- return the digits of a time, and the time of an id. The time is null if the id has another form.
create or replace function paraph.id_digits(t timestamptz) returns text
language sql stable as $$
  select string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', (paraph.millis(t) >> (50 - 5 * n) & 31)::int + 1, 1), '' order by n)
  from generate_series(1, 10) n
$$;

create or replace function paraph.id_time(p_id text) returns timestamptz
language sql immutable as $$
  select case when p_id ~ '^[a-z]+_[0-9a-hjkmnp-tv-z]{26}$' then to_timestamp((
    select sum((strpos('0123456789abcdefghjkmnpqrstvwxyz', substr(split_part(p_id, '_', 2), n, 1)) - 1) * (1::bigint << (50 - 5 * n)))
    from generate_series(1, 10) n) / 1000.0) end
$$;

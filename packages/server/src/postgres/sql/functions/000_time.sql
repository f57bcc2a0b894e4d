-- The core counts milliseconds. Rows hold timestamps, because people read them.
create or replace function paraph.instant(ms jsonb) returns timestamptz
language sql immutable as $$ select to_timestamp(ms::bigint / 1000.0) $$;

-- The function is `stable`, like the functions it calls. PostgreSQL inlines it only then.
create or replace function paraph.millis(t timestamptz) returns bigint
language sql stable as $$ select round(extract(epoch from t) * 1000)::bigint $$;

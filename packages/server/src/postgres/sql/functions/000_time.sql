-- Core counts milliseconds; rows hold timestamps, because people read them.
create or replace function paraph.instant(ms jsonb) returns timestamptz
language sql immutable as $$ select to_timestamp(ms::bigint / 1000.0) $$;

create or replace function paraph.millis(t timestamptz) returns bigint
language sql immutable as $$ select round(extract(epoch from t) * 1000)::bigint $$;

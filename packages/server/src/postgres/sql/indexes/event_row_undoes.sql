-- The calls that undo a call. The index `event_undoes` holds those of older rows.
create index concurrently event_row_undoes on paraph.event_row (tenant, ((accepted).data->>'undoes')) where (accepted).data ? 'undoes'
